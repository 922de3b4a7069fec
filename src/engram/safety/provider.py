"""Tokens that begin with their provider's mark, by the formats that the providers publish (C3 of the complaint kinds).

A documented example key such as AWS's own is refused too: whoever leaves it out of a memory loses nothing.
"""

from __future__ import annotations

from itertools import pairwise

from engram.safety.rule import ALNUM, Rule

__all__ = ["BASE64", "TOKEN", "TOKENS", "entropy", "is_random", "is_real", "turns"]

TOKEN = ALNUM + "_-"
BASE64 = ALNUM + "+/="
_HEX = frozenset("0123456789abcdefABCDEF")
_END = r"(?![A-Za-z0-9])"

# What people write where a key belongs: filling, and words (in lower case).
_FILLING = ("xxxx", "XXXX", "****", "....", "00000000")
_STAND_INS = ("your-", "your_", "placeholder", "changeme", "change-me", "redacted")


def is_real(value: str) -> bool:
    """Tell a value from the stand-ins of documentation, such as ``ghp_xxxxxxxx``."""
    folded = value.lower()
    return not any(run in value for run in _FILLING) and not any(word in folded for word in _STAND_INS)


def _is_mixed(value: str) -> bool:
    """Accept what has capitals and small letters: an identifier with a provider's prefix has not."""
    return is_real(value) and value.lower() != value and value.upper() != value


def _has_digits(value: str) -> bool:
    """Accept what holds at least six digits, as every Slack token does."""
    return is_real(value) and sum(char.isdigit() for char in value) >= 6


def is_random(value: str) -> bool:
    """Accept what changes between letters, capitals and digits as often as random text does, and long hexadecimal."""
    if not is_real(value) or entropy(value) < 3.0:
        return False
    return turns(value) * 5 >= len(value) or (len(value) >= 32 and _HEX.issuperset(value.rpartition("-")[2]))


def turns(value: str) -> int:
    """Count the places where a small letter, capital or digit stands beside one of another class."""
    classes = ["a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else "" for c in value]
    return sum(1 for left, right in pairwise(classes) if left and right and left != right)


def entropy(value: str) -> float:
    """Return Shannon's entropy of ``value`` in bits a character."""
    from math import log2

    size = len(value)
    return -sum((n := value.count(char)) / size * log2(n / size) for char in set(value))


def _row(kind: str, label: str, starts: tuple[str, ...], body: str, *, tail: str = "") -> Rule:
    """Build the row of a token that begins with a prefix and ends where its characters end."""
    return Rule(kind, label, starts, body if tail else body + _END, tail=tail, accept=is_real)


TOKENS = (
    _row("aws-access-key", "an AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), "[A-Z0-9]{16}"),
    _row("aws-bedrock-key", "an Amazon Bedrock key", ("ABSK",), "[A-Za-z0-9+/]{80}", tail=BASE64),
    _row("github-token", "a GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), "[A-Za-z0-9]{36}", tail=ALNUM),
    _row("github-token", "a GitHub token", ("github_pat_",), "[A-Za-z0-9_]{36}", tail=TOKEN),
    _row(
        "gitlab-token",
        "a GitLab token",
        ("glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glcbt-", "glptt-", "glimt-", "glagent-", "glffct-"),
        "[A-Za-z0-9_-]{20}",
        tail=TOKEN + ".",
    ),
    _row("gitlab-token", "a GitLab token", ("GR1348941",), "[A-Za-z0-9_-]{20}", tail=TOKEN),
    _row("anthropic-key", "an Anthropic key", ("sk-ant-",), "[A-Za-z0-9_-]{24}", tail=TOKEN),
    _row("openrouter-key", "an OpenRouter key", ("sk-or-v1-",), "[a-f0-9]{64}"),
    Rule(
        "openai-key",
        "an OpenAI key",
        ("sk-",),
        # `sk-` also begins names of classes and packages: the rest has to look random.
        r"(?:(?:proj|svcacct|admin|service)-[A-Za-z0-9_-]{32}|[A-Za-z0-9]{32})",
        tail=TOKEN,
        accept=is_random,
    ),
    Rule("google-key", "a Google API key", ("AIza",), r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", accept=is_real),
    _row("google-oauth-secret", "a Google client secret", ("GOCSPX-",), "[A-Za-z0-9_-]{24}", tail=TOKEN),
    _row("google-oauth-token", "a Google access token", ("ya29.",), "[A-Za-z0-9_-]{20}", tail=TOKEN + "."),
    Rule(
        "slack-token",
        "a Slack token",
        ("xox", "xapp"),
        r"[a-z]?-[A-Za-z0-9-]{20}",
        tail=TOKEN,
        accept=_has_digits,
    ),
    Rule(
        "slack-webhook",
        "a Slack webhook",
        ("hooks.slack.com/",),
        r"(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{24}",
        tail=TOKEN + "/+",
        accept=is_real,
    ),
    _row(
        "stripe-key",
        "a Stripe key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"),
        "[A-Za-z0-9]{10}",
        tail=ALNUM,
    ),
    _row("stripe-webhook-secret", "a Stripe webhook secret", ("whsec_",), "[A-Za-z0-9+/]{24}", tail=BASE64),
    Rule(
        "discord-token",
        "a Discord bot token",
        (),
        # The first character is consumed before its left side is looked at: so the search skips to it quickly.
        r"[MNO](?<![A-Za-z0-9].)[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}",
        needs=(".",),
        tail=TOKEN,
        accept=_is_mixed,
    ),
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
        r"[0-9](?<![A-Za-z0-9].)[0-9]{7,9}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])",
        needs=(":A",),
        accept=is_real,
    ),
    _row("npm-token", "an npm token", ("npm_",), "[A-Za-z0-9]{36}"),
    _row("pypi-token", "a PyPI token", ("pypi-AgE",), "[A-Za-z0-9_-]{50}", tail=TOKEN),
    Rule(
        "sendgrid-key",
        "a SendGrid key",
        ("SG.",),
        r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16}",
        tail=TOKEN,
        accept=_is_mixed,
    ),
    _row("twilio-key", "a Twilio key", ("SK",), "[0-9a-f]{32}"),
    Rule("mailchimp-key", "a Mailchimp key", (), r"[0-9a-f]{32}-us[0-9]{1,2}" + _END, needs=("-us",), accept=is_real),
    _row("mailgun-key", "a Mailgun key", ("key-",), "[0-9a-f]{32}"),
    Rule(
        "huggingface-token",
        "a Hugging Face token",
        ("hf_", "api_org_"),
        r"[A-Za-z0-9]{34}(?![A-Za-z0-9_])",
        accept=_is_mixed,
    ),
    _row("groq-key", "a Groq key", ("gsk_",), "[A-Za-z0-9]{48}", tail=ALNUM),
    _row("xai-key", "an xAI key", ("xai-",), "[A-Za-z0-9]{70}", tail=ALNUM),
    _row("perplexity-key", "a Perplexity key", ("pplx-",), "[A-Za-z0-9]{40}", tail=ALNUM),
    _row("replicate-token", "a Replicate token", ("r8_",), "[A-Za-z0-9]{37}"),
    _row("digitalocean-token", "a DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), "[a-f0-9]{64}"),
    _row("shopify-token", "a Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), "[A-Fa-f0-9]{32}"),
    _row("square-token", "a Square token", ("sq0atp-", "sq0csp-"), "[A-Za-z0-9_-]{22}", tail=TOKEN),
    _row("databricks-token", "a Databricks token", ("dapi",), "[a-f0-9]{32}(?:-[0-9])?"),
    _row("doppler-token", "a Doppler token", ("dp.pt.", "dp.st.", "dp.ct."), "[A-Za-z0-9.]{40}", tail=ALNUM),
    _row("linear-key", "a Linear key", ("lin_api_", "lin_oauth_"), "[A-Za-z0-9]{32}", tail=ALNUM),
    _row("notion-token", "a Notion token", ("ntn_",), "[0-9]{11}[A-Za-z0-9]{35}"),
    _row("grafana-token", "a Grafana token", ("glsa_",), "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    _row("grafana-token", "a Grafana token", ("glc_eyJ",), "[A-Za-z0-9+/]{32}", tail=BASE64),
    _row("newrelic-key", "a New Relic key", ("NRAK-", "NRJS-", "NRII-"), "[A-Za-z0-9_-]{19}", tail=TOKEN),
    _row("postman-key", "a Postman key", ("PMAK-",), "[a-f0-9]{24}-[a-f0-9]{34}"),
    _row("vault-token", "a Vault token", ("hvs.", "hvb."), "[A-Za-z0-9_-]{24}", tail=TOKEN),
    _row("sentry-token", "a Sentry token", ("sntrys_eyJ", "sntryu_"), "[A-Za-z0-9+/]{60}", tail=BASE64 + "_"),
    _row("supabase-key", "a Supabase key", ("sbp_", "sb_secret_"), "[A-Za-z0-9_-]{20}", tail=TOKEN),
    _row("docker-token", "a Docker token", ("dckr_pat_", "dckr_oat_"), "[A-Za-z0-9_-]{27}", tail=TOKEN),
    _row("rubygems-key", "a RubyGems key", ("rubygems_",), "[a-f0-9]{48}"),
    _row("atlassian-token", "an Atlassian token", ("ATATT3",), "[A-Za-z0-9_=-]{60}", tail=TOKEN + "="),
    _row("figma-token", "a Figma token", ("figd_",), "[A-Za-z0-9_-]{38}", tail=TOKEN),
    _row("onepassword-token", "a 1Password token", ("ops_eyJ",), "[A-Za-z0-9+/_-]{50}", tail=BASE64 + "_-"),
    _row("age-key", "an age key", ("AGE-SECRET-KEY-1",), "[A-Z0-9]{58}"),
    Rule(
        "azure-client-secret",
        "an Azure client secret",
        (),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        needs=("Q~",),
        accept=is_real,
    ),
    Rule(
        "azure-storage-key",
        "an Azure storage key",
        ("AccountKey=", "SharedAccessKey="),
        r"([A-Za-z0-9+/]{42,86}={1,2})",
        accept=is_real,
    ),
)
