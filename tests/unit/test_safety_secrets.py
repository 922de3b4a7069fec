"""Every key here is put together at run time, so that no scanner trips over this file."""

from __future__ import annotations

import base64

import pytest

from engram.safety.scan import redact, scan

HEX = "3f7a91c0de" * 7
MIXED = "aB3dE6gH9jK2mN5pQ8rS" * 5


def b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


SECRETS = {
    "secret/aws-access-key": [
        "AKIA" + "Z7QW3ERT5YU2IOPA",
        "ASIA" + "Z7QW3ERT5YU2IOPA",
        "AKIA" + "IOSFODNN7" + "EXAMPLE",
    ],
    "secret/github-token": [f"gh{kind}_" + MIXED[:36] for kind in "pousr"]
    + ["github_pat_" + MIXED[:22] + "_" + MIXED[:59]],
    "secret/gitlab-token": ["glpat" + "-" + MIXED[:20]],
    "secret/openai-key": ["sk" + "-" + MIXED[:48], "sk-" + "proj-" + MIXED[:80]],
    "secret/anthropic-key": ["sk-" + "ant-api03-" + MIXED[:93] + "AA"],
    "secret/google-key": ["AI" + "za" + MIXED[:35]],
    "secret/slack-token": ["xoxb" + "-123456789012-123456789012-" + MIXED[:24]],
    "secret/slack-webhook": ["https://hooks." + "slack.com/services/T0AB1CD2E/B0AB1CD2E/" + MIXED[:24]],
    "secret/stripe-key": ["sk_" + "live_" + MIXED[:24], "rk_" + "live_" + MIXED[:24]],
    "secret/discord-token": ["M" + MIXED[:23] + ".Ab1_-x." + MIXED[:27]],
    "secret/telegram-token": [
        "123456789" + ":AA" + MIXED[:33],
        "https://api.telegram.org/bot" + "123456789" + ":AA" + MIXED[:33] + "/getMe",
    ],
    "secret/npm-token": ["npm" + "_" + MIXED[:36]],
    "secret/pypi-token": ["pypi" + "-AgEIcHlwaS5vcmc" + MIXED[:70]],
    "secret/sendgrid-key": ["SG" + "." + MIXED[:22] + "." + MIXED[:43]],
    "secret/twilio-key": ["SK" + HEX[:32]],
    "secret/huggingface-token": ["hf" + "_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"],
    "secret/jwt": ["eyJ" + b64('{"alg":"HS256"}')[3:] + "." + b64('{"sub":"1234567890"}') + "." + MIXED[:43]],
    "secret/private-key": [
        "-----BEGIN " + "RSA PRIVATE KEY-----\n" + MIXED[:64] + "\n-----END " + "RSA PRIVATE KEY-----",
        "-----BEGIN " + "PRIVATE KEY-----\\n" + MIXED[:64] + "\\n-----END " + "PRIVATE KEY-----",
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n" + MIXED[:64],
    ],
    "secret/authorization-header": [
        "Authorization: " + "Bearer " + MIXED[:30],
        "Authorization: Basic " + b64("me:hush"),
    ],
    "secret/url-password": ["postgres://app:" + "s3cr3tpw" + "@db.internal/app", "redis://:" + MIXED[:12] + "@cache"],
    "secret/artifactory-key": ["cmVmd" + "GtuOjAx" + MIXED[:52], "cmVmd" + MIXED[:59]],
    "secret/assigned-secret": [
        'api_key = "' + MIXED[:32] + '"',
        "aws_secret_access_key=" + MIXED[:40],
        "SECRET=" + HEX[:40],
        "the API key is " + HEX[:32],
        'setenv("API_KEY", "' + MIXED[:32] + '")',
        "deploy --api-key " + MIXED[:32],
        "The client_secret: " + MIXED[:32] + ". Rotate it.",
        "ALGOLIA_ADMIN_KEY=" + HEX[:32],
    ],
    "secret/assigned-password": [
        "password: " + "S3cure!pass",
        "password = " + "hunter2",
        "DB_PASSWORD=" + "hunter2x",
        '"password": "' + 'Passw0rd"',
        "The password is " + "hunter2.",
        "Server=db;User Id=sa;Password=" + "Yukon900;",
        "<password>" + "hunter2</password>",
        "la contraseña es " + "hunter2",
        "密码：" + "hunter2",
        "mysql password: `" + "hunter2`",
        "deploy --password " + "hunter2x",
        "sshpass -p " + "hunter2",
        "password = '" + "correct-horse-battery-staple'",
        "password: " + "correcthorsebattery",
        "DB_PASSWORD=" + "hunterxyzq",
        "export PGPASSWORD='" + "CorrectHorse'",
        "password: " + "%Kx9!vbQ2pl",
        "password=" + "sMmLRtwLRZfJ",
    ],
    "secret/basic-auth": [
        "machine db.test login me password " + "qwerty99",
        "curl -u admin:" + "hunter2 https://x.test",
        "mysqldump -uroot -p" + "hunter2x app",
        "db.test:5432:app:svc:" + "hunter2x",
        '"auth": "' + base64.b64encode(b"me:hush").decode() + '"',
    ],
    "secret/service-key": [
        "HEROKU_API_KEY=" + "123e4567-e89b-12d3-a456-426614174000",
        "CODECOV_TOKEN=" + "123e4567-e89b-12d3-a456-426614174000",
        "DROPBOX_APP_SECRET=" + "a1b2c3d4e5f6g7h",
    ],
    "secret/application-key": [
        "SECRET_KEY = '" + "django-insecure-" + "yp*d=^c(y@)iz$k(443rgzga3j!7^%#4$zbpb2o1+^8(@=o*7&'",
        "APP_KEY=base64:" + MIXED[:43] + "=",
    ],
    "secret/cookie": ["Cookie: theme=dark; session=" + MIXED[:40], "Set-Cookie: sid=" + MIXED[:32] + "; HttpOnly"],
    "secret/password-hash": [
        "$2b$" + "12$" + MIXED[:53],
        "$apr1$" + MIXED[:8] + "$" + MIXED[:22],
        "$6$" + MIXED[:16] + "$" + MIXED[:86],
        "$argon2id" + "$v=19$m=65536,t=3,p=4$" + MIXED[:22] + "$" + MIXED[:43],
    ],
    "secret/azure-function-key": ["https://x.azurewebsites.net/api/run?code=" + MIXED[:52] + "=="],
    "secret/vault-token": ["VAULT_TOKEN=" + "s." + MIXED[:24]],
    "secret/kubeadm-token": ["kubeadm join --token " + "a1b2c3" + ".d4e5f6g7h8i9j0k1"],
    "secret/okta-token": ["Authorization: SSWS " + "00" + MIXED[:40]],
    "secret/lark-webhook": ["https://open." + "feishu.cn/open-apis/bot/v2/hook/123e4567-e89b-12d3-a456-426614174000"],
    "secret/infura-key": ["https://mainnet." + "infura.io/v3/" + HEX[:32]],
    "secret/azure-client-secret": ["a1B" + "8Q~" + MIXED[:34]],
    "secret/terraform-token": [MIXED[:14] + ".atlas" + "v1." + MIXED[:67]],
    "secret/kubernetes-key": ["client-key-data: " + MIXED[:80]],
}
CASES = [(rule, text) for rule, texts in SECRETS.items() for text in texts]


@pytest.mark.parametrize(("rule", "text"), CASES)
@pytest.mark.parametrize("frame", ["{}", "Use `{}` for staging.", "密钥{}。", "first line\n\tkey={}\nlast"])
def test_a_secret_is_found_in_any_surroundings_and_masked(rule: str, text: str, frame: str) -> None:  # C3
    whole = frame.format(text)
    for kind in ("rule", "knowledge", "note"):
        found = [finding for finding in scan(whole, kind=kind) if finding.group == "secret"]
        assert rule in [finding.rule for finding in found]
        for finding in found:
            value = whole[finding.start : finding.end]
            assert value[4:] not in finding.message
            assert finding.line == whole[: finding.start].count("\n") + 1


@pytest.mark.parametrize(("rule", "text"), [case for case in CASES if len(case[1]) > 20])
def test_a_zero_width_character_inside_does_not_hide_a_secret(rule: str, text: str) -> None:  # C3
    middle = text.find("-----\n") + 20 if "PRIVATE" in text else len(text) - 8
    found = scan(text[:middle] + "\u200b" + text[middle:])
    assert rule in [finding.rule for finding in found]
    assert "hidden/zero-width" in [finding.rule for finding in found]


@pytest.mark.parametrize(
    ("rule", "first", "second"),
    [
        ("secret/github-token", "ghp_" + MIXED[:20], MIXED[20:36]),
        ("secret/aws-access-key", "AKIA", "Z7QWBERTCYUDIOPA"),
        (
            "secret/private-key",
            "-----BEGIN " + "PRIVATE KEY-----\n" + MIXED[:10],
            MIXED + "\n-----END PRIVATE KEY-----",
        ),
        ("secret/assigned-password", "password = " + "hun", "ter2x"),
    ],
)
@pytest.mark.parametrize("comment", ["<!-- -->", "<!-- a\nb --><!---->"])
@pytest.mark.parametrize("before", ["", "Ein Wort mit\u200b Lücke. "])
def test_a_comment_inside_does_not_hide_a_secret_and_goes_with_it(
    rule: str, first: str, second: str, comment: str, before: str
) -> None:  # C3
    whole = f"{before}{first}{comment}{second} and more"
    found = [finding for finding in scan(whole) if finding.rule == rule]
    assert redact(whole, found).endswith(f"[redacted: {rule}] and more")
    assert second not in redact(whole, found)
    assert comment not in redact(whole, found)


@pytest.mark.parametrize(
    "text",
    [
        "Fixed in " + HEX[:40] + ".",  # a Git sha
        "Run 123e4567-e89b-12d3-a456-426614174000 failed.",
        "max_tokens = 4096",
        "token_count: 1234567890123456",
        "api_key = os.environ['SERVICE_API_KEY_V2']",
        "secret: ${{ secrets.DEPLOY_KEY_2 }}",
        "password = settings.DB_PASSWORD_1",
        "Authorization: Bearer <token>, or the header Authorization: Bearer $TOKEN",
        "Set DATABASE_URL=postgres://app:${DB_PASSWORD}@db/app",
        "A token such as ghp_" + "x" * 36 + " goes into .env",
        "Keys begin with AKIA, ghp_, sk-ant- or xoxb-; we refuse them.",
        "A file that begins with -----BEGIN " + "PRIVATE KEY----- is refused.",
        "access_token_lifetime: 3600",
        "Send Authorization: Bearer authentication, or Authorization: Bearer YOUR_ACCESS_TOKEN",
        "Authorization: Basic realmofthings",
        "Connect to postgres://app:PASSWORD@db/app as in the manual.",
        "password = vault.read_secret_v2",
        "DB_PASSWORD_FILE=/run/Secrets/db_1",
        "password: /run/Secrets/db_1",
        "api_key: changeme-0aB1cD2eF3gH4",
        "openai sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "The class sk-navigation-container-with-children-rows is generated.",
        "ssh://git@host.test:22/repo and https://host.test:8080/@scope/pkg",
        "integrity sha256-" + HEX[:44],
        "password: required, password = None, password: str | None = None",
        "Password: 8 characters minimum, 12-char phrases are better",
        "passwords are hashed with argon2id; the password is sha256-hashed",
        "password = generate_password2(), password = input(), password=password1",
        "The reset-password page, password rotation: 90days, password: user1@host.test",
        "the password is stored in vault/kv2; pass: all 12 tests",
        "DB_PASSWORD=changeme, POSTGRES_PASSWORD=postgres, SMTP_PASSWORD=yourpassword, PASSWORD=getpass.getpass",
        "password: authentication, password: userauthentication, the password is straightforwardly kept",
        "password = hashedpassphrases(value), password: settings.accounts.default",
        "password=%(password)s, password: %PASSWORD%, 'password: %s' % value, password=%{DB_PASSWORD}",
        "FIRST_PASS=quantization and SINGLE_PASS=deduplicate",
        "sgx enclave: sgx2test, access_token_expires = 3600s, secretName: tls-cert-2024",
        "glpat-" + MIXED[:16] + " is too short, and glptt-" + MIXED[:20] + " too",
        "The secret lives in arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/billing-AbCdEf",
        "password = newUserInputValue, Password=getUserFromForm",
        "The token 123e4567-e89b-12d3-a456-426614174000 links both logs; token: 123e4567-e89b-12d3-a456-426614174000",
        "mysql -P3306 -ppassword, mysql -p app",
        "Set-Cookie: theme=dark; Path=/; session=<id>",
        "FROM x@sha256:" + HEX[:64] + " and https://git.test/a/" + HEX[:40],
        "The hash looks like $2b$12$ and 53 characters more.",
        "s.replaceAllOccurrencesOf(x), s.ReplaceAllStringFuncForMe1",
    ],
)
def test_ordinary_engineering_text_holds_no_secret(text: str) -> None:  # C3
    assert [finding.rule for finding in scan(text) if finding.group == "secret"] == []


@pytest.mark.parametrize(
    "stand_in", ["password", "pass", "PASSWORD", "secret", "xxx", "***", "changeme", "<password>", "${PASSWORD}"]
)
def test_a_stand_in_for_a_password_in_a_url_is_no_secret(stand_in: str) -> None:  # C3
    assert not scan(f"the URL postgres://user:{stand_in}@localhost:5432/app")


@pytest.mark.parametrize("lines", [0, 1, 5_000])
@pytest.mark.parametrize("end", ["\n", " "])
def test_a_hidden_secret_is_found_at_its_place_in_a_text_of_any_length(lines: int, end: str) -> None:  # C3
    around = f"The importer reads its settings from the environment.{end}" * lines
    key = f"ghp_{MIXED[:12]}\u200b{MIXED[12:36]}"
    text = f"{around}{key} {around}"
    found = [text[finding.start : finding.end] for finding in scan(text) if finding.group == "secret"]
    assert found == [key]


@pytest.mark.parametrize("letter", ["\u0130", "\u017f", "\u212a"])
def test_letters_that_only_a_pattern_without_case_takes_for_ascii_stop_no_scan(letter: str) -> None:
    for name in ("Authorization: Basic ", "Authorization: Bearer ", "api_key = ", "password = ", "https://user:"):
        scan(f"{name}{letter}aGVsbG86d29ybGQ9{letter}x1Y2z3W4v5U6t7@example.org")


def test_the_place_of_a_secret_is_exact() -> None:
    key = "ghp_" + MIXED[:36]
    (finding,) = scan(f"one\ntwo\n  use {key}, then\n")
    assert (finding.line, finding.column) == (3, 7)
    assert (finding.group, finding.kind) == ("secret", "github-token")
    assert finding.message == "a GitHub token (ghp_…)"
    assert f"one\ntwo\n  use {key}, then\n"[finding.start : finding.end] == key


@pytest.mark.parametrize("password", ["hunter2", "ghp_hunter2", "correct-horse-battery-staple-9"])
def test_of_a_password_and_of_a_short_value_no_character_is_shown(password: str) -> None:  # C3
    (finding,) = scan("https://me:" + password + "@host.test")
    assert finding.message == "a password in a URL"
