"""Tokens of services for chat, payment, mail, monitoring and the rest, by the formats that they publish."""

from __future__ import annotations

from engram.safety.judging import has_digits, is_mixed, is_random, is_real
from engram.safety.provider import BASE64, END, TOKEN, UUID, row
from engram.safety.rule import ALNUM, Rule

__all__ = ["SERVICES"]

_CHAT = (
    Rule(
        "slack-token",
        "a Slack token",
        ("xox", "xapp"),
        r"(?:e\.xox[a-z]|[a-z])?-[A-Za-z0-9-]{20}",
        tail=TOKEN,
        accept=has_digits,
    ),
    # The cookie of a browser's session, with its signs escaped.
    row("slack-token", "a Slack session", ("xoxd-",), "[A-Za-z0-9%/+-]{40}", tail=TOKEN + "%/+=").replace(
        accept=is_mixed
    ),
    Rule(
        "slack-webhook",
        "a Slack webhook",
        ("hooks.slack.com/",),
        r"(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{24}",
        tail=TOKEN + "/+",
        accept=is_real,
    ),
    Rule(
        "discord-token",
        "a Discord bot token",
        (),
        # The first character is consumed before its left side is looked at: so the search skips to it quickly.
        r"[MNO](?<![A-Za-z0-9].)[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}",
        longest=59,
        tail=TOKEN,
        accept=is_mixed,
    ),
    row("discord-token", "a Discord token", ("mfa.",), "[A-Za-z0-9_-]{80}", tail=TOKEN),
    Rule(
        "discord-webhook",
        "a Discord webhook",
        ("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
        r"\d{17,20}/[A-Za-z0-9_-]{40}",
        tail=TOKEN,
        accept=is_real,
    ),
    Rule(
        "telegram-token",
        "a Telegram bot token",
        (),
        r"[0-9](?:(?<![A-Za-z0-9].)|(?<=/bot.))[0-9]{4,15}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])",
        needs=(":A",),
        accept=is_real,
    ),
    Rule(
        "teams-webhook",
        "a Teams webhook",
        ("webhook.office.com/webhookb2/",),
        rf"{UUID}@{UUID}/IncomingWebhook/[a-z0-9]{{32}}/{UUID}",
        before="",
        tail=TOKEN,
        accept=is_real,
    ),
    row("zapier-webhook", "a Zapier webhook", ("hooks.zapier.com/hooks/catch/",), "[0-9]{4,12}/[A-Za-z0-9]{5,24}"),
    row(
        "lark-webhook",
        "a webhook of Lark or Feishu",
        ("open.feishu.cn/open-apis/bot/v2/hook/", "open.larksuite.com/open-apis/bot/v2/hook/"),
        UUID,
    ),
    row("wecom-webhook", "a WeCom webhook", ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",), UUID),
    row("dingtalk-secret", "a DingTalk signing secret", ("SEC",), "[a-f0-9]{64}"),
    row("twitch-token", "a Twitch token", ("oauth:",), "(?=[a-z]{0,29}[0-9])[a-z0-9]{30}"),
    row("clickup-token", "a ClickUp token", ("pk_",), "[0-9]{6,9}_[A-Z0-9]{32}"),
    row("linkedin-secret", "a LinkedIn secret", ("WPL_AP1.",), r"[A-Za-z0-9]{12,20}\.[A-Za-z0-9+/]{4,8}={0,2}"),
    row("instagram-token", "an Instagram token", ("IGQV", "IGAA"), "[A-Za-z0-9_-]{90}", tail=TOKEN),
    row("tiktok-token", "a TikTok token", ("act.",), r"[A-Za-z0-9]{40,90}![0-9]{3,5}\.[a-z]{2}"),
    row("vk-token", "a VK token", ("vk1.a.",), "[A-Za-z0-9_-]{80}", tail=TOKEN),
    row("trello-token", "a Trello token", ("ATTA",), "[a-f0-9]{60}", tail=ALNUM),
    row("notion-token", "a Notion token", ("ntn_",), "[0-9]{11}[A-Za-z0-9]{35}"),
    row("notion-token", "a Notion token", ("secret_",), "(?=[A-Za-z]{0,42}[0-9])[A-Za-z0-9]{43}"),
    row("linear-key", "a Linear key", ("lin_api_", "lin_oauth_", "lin_wh_"), "[A-Za-z0-9]{32}", tail=ALNUM),
    row("airtable-token", "an Airtable token", ("pat",), r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Rule(
        "asana-token",
        "an Asana token",
        ("1/", "2/"),
        r"[0-9]{12,17}(?:/[0-9]{12,17})?:[a-f0-9]{32}" + END,
        before=ALNUM + "/.",
        accept=is_real,
    ),
    row("typeform-token", "a Typeform token", ("tfp_",), r"[A-Za-z0-9_.=-]{40}", tail=TOKEN + ".="),
    row("dropbox-token", "a Dropbox token", ("sl.",), r"(?:u\.)?[A-Za-z0-9_=-]{120}", tail=TOKEN + "="),
    row("contentful-token", "a Contentful token", ("CFPAT-",), "[A-Za-z0-9_-]{40}", tail=TOKEN),
    row("frameio-token", "a Frame.io token", ("fio-u-",), "[A-Za-z0-9_=-]{64}"),
    row("hubspot-token", "a HubSpot token", ("pat-na1-", "pat-eu1-", "pat-na2-"), UUID),
    row("facebook-token", "a Facebook token", ("EAAM", "EAAC", "EAAB", "EAAG", "EAAJ"), "[A-Za-z0-9]{80}", tail=ALNUM),
    row("twitter-token", "a Twitter bearer token", ("AAAAAAAAAAAAAAAAAAAAA",), "[A-Za-z0-9%]{60}", tail=ALNUM + "%"),
)

_PAYMENT = (
    row(
        "stripe-key",
        "a Stripe key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"),
        "[A-Za-z0-9]{10}",
        tail=ALNUM,
    ),
    row("stripe-webhook-secret", "a Stripe webhook secret", ("whsec_",), "[A-Za-z0-9+/]{24}", tail=BASE64),
    row("square-token", "a Square token", ("sq0atp-", "sq0csp-"), "[A-Za-z0-9_-]{22}", tail=TOKEN),
    Rule("square-token", "a Square token", ("EAAA",), "[A-Za-z0-9_-]{56,64}" + END, accept=is_mixed),
    row("shopify-token", "a Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"), "[A-Fa-f0-9]{32}"),
    row(
        "braintree-token",
        "a Braintree token",
        ("access_token$",),
        r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    row("plaid-token", "a Plaid token", ("access-",), f"(?:sandbox|development|production)-{UUID}"),
    row("razorpay-key", "a Razorpay key", ("rzp_live_", "rzp_test_"), "[A-Za-z0-9]{14}"),
    row("flutterwave-key", "a Flutterwave key", ("FLWSECK_TEST-", "FLWSECK-"), "[A-Za-z0-9]{12,32}(?:-X)?"),
    row("mollie-key", "a Mollie key", ("live_", "test_"), "(?=[A-Za-z]{0,29}[0-9])[A-Za-z0-9]{30,35}").replace(
        accept=is_random
    ),
    row("gocardless-token", "a GoCardless token", ("live_", "sandbox_"), "[A-Za-z0-9_=-]{40}").replace(
        accept=is_random
    ),
    row("checkout-key", "a Checkout.com key", ("sk_sbox_",), "[a-z0-9*#$=]{26}"),
    row(
        "mercadopago-token",
        "a Mercado Pago token",
        ("APP_USR-", "TEST-"),
        "[0-9]{12,16}-[0-9]{6}-[a-f0-9]{32}-[0-9]{6,10}",
    ),
    row("asaas-key", "an Asaas key", ("$aact_",), "[A-Za-z0-9_:]{60}", tail=TOKEN + ":"),
    row(
        "adyen-key", "an Adyen key", ("AQE",), "[A-Za-z0-9+/]{30,120}-[A-Za-z0-9+/]{30,60}=-[A-Za-z0-9]{12}", tail=ALNUM
    ),
    row("shippo-token", "a Shippo token", ("shippo_live_", "shippo_test_"), "[a-fA-F0-9]{40}"),
    row("easypost-key", "an EasyPost key", ("EZAK", "EZTK"), "[A-Za-z0-9]{54}"),
    row("duffel-token", "a Duffel token", ("duffel_test_", "duffel_live_"), "[A-Za-z0-9_=-]{43}"),
)

_MAIL = (
    Rule(
        "sendgrid-key",
        "a SendGrid key",
        ("SG.",),
        r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16}",
        tail=TOKEN,
        accept=is_mixed,
    ),
    row("twilio-key", "a Twilio key", ("SK",), "[0-9a-fA-F]{32}"),
    row("mailchimp-key", "a Mailchimp key", (), r"(?<![0-9A-Za-z])[0-9a-f]{32}-us[0-9]{1,2}").replace(needs=("-us",)),
    row("mailchimp-key", "a Mandrill key", ("md-",), "(?=[A-Za-z_-]{0,21}[0-9])[A-Za-z0-9_-]{22}").replace(
        accept=is_random
    ),
    row("mailgun-key", "a Mailgun key", ("key-", "pubkey-"), "[0-9a-f]{32}"),
    row("sendinblue-key", "a Brevo key", ("xkeysib-", "xsmtpsib-"), "[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Rule("resend-key", "a Resend key", ("re_",), "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}" + END, accept=is_mixed),
    row("firebase-key", "a Firebase server key", ("AAAA",), r"[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100}", tail=TOKEN),
)

_WATCHING = (
    row("grafana-token", "a Grafana token", ("glsa_",), "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    row("grafana-token", "a Grafana token", ("glc_",), "[A-Za-z0-9+/]{32}", tail=BASE64),
    row("grafana-token", "a Grafana key", ("eyJrIjoi",), "[A-Za-z0-9]{70}", tail=BASE64),
    row("newrelic-key", "a New Relic key", ("NRAK-", "NRJS-", "NRII-", "NRRA-"), "[A-Za-z0-9_-]{19}", tail=TOKEN),
    row("sentry-token", "a Sentry token", ("sntrys_eyJ",), "[A-Za-z0-9+/=_]{60}", tail=BASE64 + "_"),
    row("sentry-token", "a Sentry token", ("sntryu_", "sntrya_", "sntryi_"), "[a-f0-9]{64}"),
    row("dynatrace-token", "a Dynatrace token", ("dt0c01.", "dt0s01.", "dt0s16."), r"[A-Z0-9a-z]{24}\.[A-Z0-9a-z]{64}"),
    row("honeycomb-key", "a Honeycomb key", ("hcaik_", "hcamk_", "hcxik_"), "[a-z0-9]{26,58}"),
    row("posthog-key", "a PostHog key", ("phx_",), "[A-Za-z0-9]{40}", tail=ALNUM),
    row("launchdarkly-key", "a LaunchDarkly key", ("sdk-", "api-"), UUID),
    row("segment-token", "a Segment token", ("sgp_",), "[A-Za-z0-9]{64}"),
    row("snyk-token", "a Snyk token", ("snyk_uat.", "snyk_sat."), r"[a-f0-9]{8}\.[A-Za-z0-9_-]{40}", tail=TOKEN + "."),
    row("inngest-key", "an Inngest key", ("signkey-prod-", "signkey-test-", "signkey-branch-"), "[a-f0-9]{64}"),
    row("trigger-key", "a Trigger.dev key", ("tr_prod_", "tr_dev_", "tr_stg_"), "[A-Za-z0-9]{20,24}").replace(
        accept=is_mixed
    ),
    Rule("databento-key", "a Databento key", ("db-",), "[A-Za-z0-9]{29}" + END, accept=is_random),
    row("openweather-key", "an OpenWeather key", ("appid=",), "[a-f0-9]{32}"),
    row("infura-key", "an Infura key", ("infura.io/v3/", "infura.io/ws/v3/"), "[a-f0-9]{32}"),
    row("alchemy-key", "an Alchemy key", ("g.alchemy.com/v2/",), "[A-Za-z0-9_-]{32}(?![_-])"),
    row("maxmind-key", "a MaxMind key", (), r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk").replace(
        needs=("_mmk",)
    ),
    Rule(
        "mapbox-token",
        "a Mapbox secret token",
        ("sk.eyJ",),
        r"[A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{20}",
        tail=TOKEN,
        accept=is_real,
    ),
    row("adobe-secret", "an Adobe client secret", ("p8e-", "p8-"), "[A-Za-z0-9]{32}"),
    row("settlemint-token", "a SettleMint token", ("sm_aat_", "sm_pat_", "sm_sat_"), "[A-Za-z0-9]{16}"),
    row("wakatime-key", "a WakaTime key", ("waka_",), UUID),
    row("adafruit-key", "an Adafruit key", ("aio_",), "[A-Za-z0-9]{28}"),
    row("lob-key", "a Lob key", ("live_", "test_"), "[a-f0-9]{35}"),
    Rule(
        "authress-key",
        "an Authress key",
        ("sc_", "ext_", "scauth_", "authress_"),
        r"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}",
        accept=is_real,
    ),
)

SERVICES = (*_CHAT, *_PAYMENT, *_MAIL, *_WATCHING)
