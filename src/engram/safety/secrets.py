"""Keys, tokens and passwords (C3 of the complaint kinds): what providers mark, and what its surroundings give away.

Entropy counts only where a name announces a secret. A weak password is one too (``password = hunter2``); to tell it
from a word, a type, a measure or a name for the value, it has to mix letters with digits or signs.
"""

from __future__ import annotations

from engram.safety.judging import entropy, is_composed, is_random, is_real, turns
from engram.safety.provider import BASE64, TOKEN, TOKENS, UUID
from engram.safety.rule import ALNUM, LIMIT, Hit, Rule, Table, compiled
from engram.safety.services import SERVICES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.safety.rule import Sheet

__all__ = ["MARKS", "find"]

# What documentation writes where a password belongs in a URL.
_STAND_INS = frozenset(
    (
        "password", "passwd", "passphrase", "pass", "pwd", "pw", "secret", "token", "yourpassword", "mypassword",
        "userpassword", "dbpassword", "db_password", "user_password", "my_password", "my-password", "contraseña",
        "密码", "密碼",
    )
)  # fmt: skip
# What a word that stands in for a password of letters alone holds.
_STAND_IN_WORDS = (
    "pass", "pwd", "secret", "token", "credential", "change", "your", "example", "sample", "dummy", "placeholder",
    "test", "foo", "bar", "redact", "replace", "insert", "enter", "todo", "none", "null", "undefined", "value",
    "string", "here", "required", "option", "encrypt", "hidden", "mask", "generat", "random", "unset", "abled",
    "postgres", "mysql", "mariadb", "redis", "mongo", "rabbit", "admin", "root", "guest", "default", "local", "develop",
    "production", "staging", "auth", "user", "contrase", "clave", "input", "config", "xxx", "setting", "provide",
    "specif", "somewhere", "vault", "keyring", "keychain", "prompt", "lorem", "whatever", "anything", "something",
)  # fmt: skip
# Of a programming language: the value is computed, not written.
_EXPRESSION = frozenset("()[]{}$<>")
# Words in what stands behind a password-like name where people write about passwords: algorithms, formats, versions,
# and names for a value.
_NO_PASSWORDS = frozenset(
    (
        "sha", "md", "bcrypt", "scrypt", "argon", "argonid", "pbkdf", "base", "utf", "oauth", "http", "https", "aes",
        "rsa", "hs", "rs", "es", "ed", "hmac", "fa", "mfa", "otp", "sso", "oidc", "saml", "ldap", "ntlm", "krb",
        "param", "params", "arg", "args", "argv", "field", "input", "column", "varchar", "char", "string", "str",
        "secret", "token", "env", "config", "version", "step", "page", "level", "rule", "section", "chapter", "line",
        "row",
    )
)  # fmt: skip
_NAMES_OF_PASSWORDS = ("password", "passwd", "passphrase", "pass", "pwd")
_MEASURES = (
    "d", "h", "m", "s", "x", "k", "ms", "kb", "mb", "st", "nd", "rd", "th", "day", "days", "hour", "hours", "min",
    "minutes", "char", "chars", "character", "characters", "bit", "bits", "byte", "bytes", "times", "months", "weeks",
    "years", "seconds", "attempts", "letters", "digits", "or", "and",
)  # fmt: skip


def _not_a_reference(value: str) -> bool:
    """Tell a written value from a name for one: ``$TOKEN``, ``<token>``, ``{{ secrets.X }}``, ``PASSWORD``."""
    if not is_real(value) or value[0] in "$<{[(*&@." or "example" in value or "://" in value:
        return False
    # `%s`, `%(name)s`, `%PASSWORD%`: a place for a value. `%Kx9!` is one.
    if value[0] == "%" and (value[-1] == "%" or value[1:2] in {"", "(", "{"} or not value[2:3].isalnum()):
        return False
    if value.isupper() and value.replace("_", "").isalpha():
        return False
    # `settings.API_KEY_V2`, `C:\\Users\\me`: where a value is read from, not the value.
    # A stop at the end is the sentence's, and makes no path of names of a key.
    inner = value.rstrip(".")
    return not ("." in inner and inner.replace(".", "_").isidentifier()) and ":\\" not in value


def _url_password(value: str) -> bool:
    """Tell a password in a URL from what documentation writes there: ``user:password@localhost``, ``user:xxx@host``."""
    return _not_a_reference(value) and value.lower() not in _STAND_INS and not set("xX*.").issuperset(value)


def _bearer(value: str) -> bool:
    if not _not_a_reference(value):
        return False
    if any(char.isdigit() for char in value):
        return entropy(value) >= 2.5
    # "Bearer authentication": a word is no token. No English word in use has sixteen letters and a second capital.
    return len(value) >= 16 and (value.isalpha() or turns(value) >= 3)


def _basic(value: str) -> bool:
    import base64

    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:  # in a pattern that ignores case [a-z] has letters of other scripts too, such as the long s
        return False


def _written(value: str) -> bool:
    return _not_a_reference(value) and not _EXPRESSION.intersection(value)


def _assigned(value: str) -> bool:
    """Accept the value of a key-like name when it looks made by a machine, not like a name or an expression."""
    return len(value) >= 16 and _written(value) and is_random(value) and not _is_uuid(value) and not _is_path(value)


def _is_path(value: str) -> bool:
    """Tell ``prod/billing-AbCdEf``, the name of a secret in a store, from a key: most of it are words."""
    if "/" not in value:
        return False
    parts = value.replace("_", "/").replace("-", "/").split("/")
    return sum(part.isalpha() and part.islower() and len(part) > 2 for part in parts) * 2 >= len(parts)


def _literal(value: str) -> bool:
    """Accept a quoted value with signs in it, as Django makes its key: no sentence, and no place for a value."""
    signs = sum(not char.isalpha() for char in value)
    return (
        is_real(value)
        and value[:2] not in {"${", "$(", "{{"}
        and signs * 5 >= len(value)
        and entropy(value) >= 3.5
        and sum(char.isdigit() for char in value) >= 2
        and not _is_uuid(value)
    )


def _cookie(value: str) -> bool:
    return _written(value) and is_random(value) and not _is_uuid(value)


def _is_uuid(value: str) -> bool:
    return len(value) == 36 and [len(part) for part in value.split("-")] == [8, 4, 4, 4, 12]


def _announced(value: str) -> bool:
    """Accept a value that only a blank parts from its name: it is part of a sentence, so nothing short."""
    return len(value) >= 20 and _assigned(value)


def _login(value: str) -> bool:
    return (
        len(value) >= 4 and _written(value) and value.lower() not in {"password", "passwd", "pass", "token", "secret"}
    )


def _password(value: str) -> bool:
    """Accept the value of a password-like name when it is none of the words that stand there in text and code."""
    value = value.rstrip(".!?")
    if len(value) < 6 or not _written(value) or value[0] in "/~" or "/" in value[1:3]:
        return False
    folded = value.lower()
    digits = sum(char.isdigit() for char in value)
    words = "".join(char if char.isalpha() else " " for char in folded).split()
    named = _NO_PASSWORDS.intersection(words)
    if (
        # Two letters of many are chance: `ES9I96zeqn4aFG`.
        (named and (len(words) <= 1 + (value in {folded, value.upper()}) or max(map(len, named)) > 2))
        or _is_measure(folded)
        or (digits < 2 and folded.rstrip("0123456789_-") in _NAMES_OF_PASSWORDS)
    ):
        return False
    letters = sum(char.isalpha() for char in value)
    signs = sum(not char.isalnum() and char not in "-_.:/\\" for char in value)
    if "@" in value and "." in value.rpartition("@")[2]:
        return False  # an address
    if letters >= 3 and digits:
        return _is_dense(value)
    if _is_scrambled(value):
        return True
    return letters >= 3 and signs > 0 and len(value) >= 8 and value[-1] not in "|&;" and "=" not in value


def _is_scrambled(value: str) -> bool:
    """Accept letters alone that change their case as no name does: ``sMmLRtwLRZfJ``, and not ``newUserInput``."""
    return (
        len(value) >= 10
        and value.isascii()
        and value.isalpha()
        and turns(value) * 3 >= len(value)
        and _no_stand_in(value)
        and is_real(value)
        and not is_composed(value)
    )


def _phrase(value: str) -> bool:
    """Accept small letters alone, where they are more than one word has: ``correcthorsebattery``."""
    return len(value) >= 16 and value.isascii() and value.islower() and value.isalpha() and _no_stand_in(value)


def _set(value: str) -> bool:
    """Accept letters alone as the value of a variable of the environment: ``DB_PASSWORD=hunterxyzq``.

    There no type and no name of an argument stands, only a password or what documentation writes in its place.
    """
    return not value.isupper() and _no_stand_in(value)


def _no_stand_in(value: str) -> bool:
    folded = value.lower()
    return not any(word in folded for word in _STAND_IN_WORDS)


def _is_dense(value: str) -> bool:
    """Tell ``hunter2`` from ``login-page-2`` and ``step_1``: names are words with strokes between them."""
    parts = value.replace("_", "-").split("-")
    words = sum(part.isalpha() and len(part) > 1 for part in parts)
    return len(parts) == 1 or words * 2 < len(parts) or len(value) >= 16


def _quoted(value: str) -> bool:
    """Accept as ``_password`` does, and a phrase of four words or more."""
    parts = value.split("-")
    phrase = len(parts) >= 4 and all(part.isalpha() and len(part) > 2 for part in parts) and _written(value)
    return phrase or _password(value)


def _is_measure(folded: str) -> bool:
    """Tell whether it is a number with what it counts: ``90days``, ``12-char``, ``8+``, ``2024-05-11``."""
    rest = folded.lstrip("0123456789").lstrip("-_+")
    return not any(char.isalpha() for char in folded) or (rest != folded and rest in _MEASURES)


# Names that announce a secret, wherever they stand in an identifier: `aws_secret_access_key`, `clientSecret`.
_NAMES = (
    "secret",
    "token",
    "credential",
    "x-jfrog-art-api",
    "_pat",
    *(
        f"{owner}{dash}key"
        for owner in (
            "api",
            "access",
            "auth",
            "private",
            "signing",
            "encryption",
            "account",
            "admin",
            "master",
            "license",
            "shared",
            "app",
            "application",
            "deploy",
            "project",
            "write",
        )
        for dash in ("_", "-", "", " ")
    ),
)
_PASSWORDS = (
    "password", "passwd", "passphrase", "passcode", "pwd", "_pass", "-pass", "dbpass", "userpass", "contraseña",
    "密码", "密碼", "口令",
)  # fmt: skip
# After the name: `Base64` and the like, a closing quote, the sign, an opening quote. Everything bounded.
_AFTER = r"(?:[_-]?(?:key|value|base64|base|token|secret|production|prod|dev|test)){0,2}s?[\"'`\]*]{0,3}"
_SIGN = r"[ \t]{0,4}(?:[:|?.]{0,3}={1,2}>?|->|:|：|\||>)[ \t]{0,4}"
_IS = r"[ \t]{0,2}(?:[ \t](?:is|was|are|es)[ \t]|是|为|為)[ \t]{0,2}(?:set[ \t]to[ \t])?"
_WHOLE = r"(?![A-Za-z0-9_(\[{$<:/@=+-]|\.[A-Za-z])"  # a word, and not the first part of a name or an expression
_PAIR = r"[ \t]{0,2}[,(][ \t]{0,2}"
_WITH_UUID = (
    "heroku", "snyk", "sendbird", "hubspot", "kucoin", "squarespace", "messagebird", "message_bird", "secret_id",
    "postmark_", "postmark-", "docusign", "apikey", "api_key", "api-key", "client_secret", "clientsecret", "secret_key",
    "auth_token", "authtoken",
)  # fmt: skip
_BEARER = BASE64 + "._~-"

TABLE = Table(
    *TOKENS,
    *SERVICES,
    Rule(
        "npm-auth",
        "an npm registry password",
        (":_authToken", ":_auth", ":_password"),
        r"[ \t]{0,4}=[ \t]{0,4}[\"']?([A-Za-z0-9_+/=.-]{16})",
        tail=BASE64 + "_-.",
        accept=_not_a_reference,
    ),
    Rule(
        "jwt",
        "a JSON web token",
        ("eyJ",),
        r"[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{10,}+(?:\.[A-Za-z0-9_-]{4,}+)?",
        before=TOKEN,  # its runs have no greatest length, so a match may begin only where a run does
    ),
    Rule("jwt", "a JSON web token in base64", ("ZXlK",), r"[A-Za-z0-9+/_-]{60}", tail=BASE64 + "_-", accept=is_random),
    Rule(
        "authorization-header",
        "an Authorization header",
        ("authorization",),
        r"[\"'`]{0,2}[ \t]{0,4}[:=,][ \t]{0,4}[\"'`]?(?:bearer|token|apikey|api-key|key)[ \t]{1,4}"
        r"([A-Za-z0-9._~+/=-]{8})",
        fold=True,
        tail=_BEARER,
        accept=_bearer,
    ),
    Rule(
        "authorization-header",
        "an Authorization header",
        ("authorization",),
        r"[\"'`]{0,2}[ \t]{0,4}[:=,][ \t]{0,4}[\"'`]?basic[ \t]{1,4}([A-Za-z0-9+/]{8})",
        fold=True,
        tail=BASE64,
        accept=_basic,
    ),
    Rule(
        "bearer-token",
        "a bearer token",
        ("bearer ",),
        r"[ ]{0,3}([A-Za-z0-9._~+/=-]{20})",
        fold=True,
        tail=_BEARER,
        accept=is_random,
    ),
    Rule(
        "basic-auth",
        "a user name with its password",
        ("curl",),
        r"(?:-u|--user)(?:=|[ \t]{0,3})[\"']?[^\s:\"'$<{]{1,64}:([^\s\"'|]{4,64})",
        needs=("-u", "--user"),
        gap=300,
        stops="\n",
        accept=_login,
    ),
    Rule(
        "basic-auth",
        "a user name with its password",
        ("machine ",),
        r"\S{1,100}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}password\s{1,4}([^\s\"'()]{4,160})",
        accept=_login,
    ),
    Rule(
        "basic-auth",
        "a user name with its password",
        ('"auth"',),
        r"\s{0,4}:\s{0,4}\"([A-Za-z0-9+/]{8})",
        tail=BASE64,
        accept=_basic,
    ),
    Rule(
        "url-password",
        "a password in a URL",
        ("://",),
        r"[^\s/:@\"'<>`|]{0,100}+:([^\s/@\"'<>`|]{1,200}+)@(?=[A-Za-z0-9\[${])",
        before="",
        accept=_url_password,
    ),
    Rule(
        "kubernetes-key",
        "a client key of Kubernetes",
        ("client-key-data",),
        r"[\"']?:[ \t]{0,4}[\"']?([A-Za-z0-9+/]{40})",
        tail=BASE64,
    ),
    Rule(
        "private-key",
        "a private key",
        ("PuTTY-User-Key-File",),
        r"Private-Lines: \d{1,3}(?:\r?\n[A-Za-z0-9+/=]{1,80}){1,60}",
        needs=("Private-Lines:",),
        gap=6000,
        stops="",
    ),
    Rule(
        "assigned-secret",
        "a secret value",
        _NAMES,
        rf"{_AFTER}(?:{_SIGN}[\"'`]?([^\s\"'`,;:<>()\[\]{{}}]{{12,160}}+)(?![(\[{{])"
        rf"|{_PAIR}[\"'`]([^\s\"'`,;:]{{12,160}})[\"'`]"
        rf"|(?:{_IS}|[ \t])[\"'`*]{{0,2}}([^\s\"'`,;:*<>()\[\]{{}}]{{20,160}}+)(?![(\[{{]))",
        before="",
        fold=True,
        value=12,
        accept=(_assigned, _assigned, _announced),
    ),
    Rule(
        "service-key",
        "a service's key",
        _WITH_UUID,
        rf"[a-z_ .-]{{0,24}}[\"'`]?[ \t]{{0,3}}(?::=|=>|=|:|,)[ \t]{{0,3}}[\"'`]?({UUID})(?![0-9a-z-])",
        before="",
        fold=True,
    ),
    # A UUID is a name for most things; as the value of such a variable it opens something.
    Rule(
        "password-hash",
        "the hash of a password",
        ("$1$", "$apr1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$argon2"),
        r"(?:(?<=\$2.\$)[0-9]{2}\$[./A-Za-z0-9]{53}|(?:(?<=\$1\$)|(?<=\$apr1\$))[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"
        r"|(?<=\$[56]\$)(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}"
        r"|(?<=argon2)id?\$v=[0-9]{1,3}\$m=[0-9]{1,8},t=[0-9]{1,4},p=[0-9]{1,4}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{20,90})"
        r"(?![A-Za-z0-9/]|\.[A-Za-z0-9])",
        before=ALNUM + "$",
        accept=is_real,
    ),
    Rule(
        "service-key",
        "a service's key",
        ("_TOKEN", "_SECRET"),
        rf"[\"']?(?:[ \t]{{0,3}}=|:)[ \t]{{0,3}}[\"']?({UUID})(?![0-9a-z-])",
        before="",
    ),
    Rule(
        "service-key",
        "a service's key",
        ("DROPBOX_APP_SECRET", "DROPBOX_APP_KEY", "DROPBOX_SECRET"),
        r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?([a-z0-9]{15})(?![a-z0-9])",
    ),
    Rule(
        "application-key",
        "the key of a web application",
        ("SECRET_KEY", "secret_key", "secretKey"),
        r"[\"'`\]]{0,2}[ \t]{0,4}[:=]{1,2}[ \t]{0,4}(?:\"([A-Za-z0-9!@#$%^&*(_=+)-]{32,120}+)\""
        r"|'([A-Za-z0-9!@#$%^&*(_=+)-]{32,120}+)')",
        before="",
        accept=_literal,
    ),
    Rule(
        "application-key",
        "the key of a web application",
        ("APP_KEY=base64:", "APP_KEY: base64:", 'APP_KEY="base64:'),
        "([A-Za-z0-9+/]{43}=)",
        before="",
    ),
    Rule(
        "cookie",
        "a session's cookie",
        ("cookie",),
        r"(?:sess|sid|auth)[a-z0-9_.-]{0,20}=([a-z0-9%+/_.:~-]{20,512}+)",
        needs=("sess", "sid=", "auth"),
        gap=240,
        stops="\n",
        fold=True,
        accept=_cookie,
    ),
    Rule(
        "basic-auth",
        "a password on a command line",
        ("mysql", "mariadb"),
        r" -p([^\s\"'`$<{(-][^\s\"'`();,]{5,64})",
        needs=(" -p",),
        gap=60,
        endings=("", "dump", "admin"),
        stops="\n|",
        accept=_password,
    ),
    Rule(
        "basic-auth",
        "a password of PostgreSQL",
        (":5432:",),
        r"[^\s:\"'`]{1,64}:[^\s:\"'`]{1,64}:([^\s:\"'`()]{6,100})",
        before="",
        accept=_password,
    ),
    Rule(
        "assigned-password",
        "a password",
        _PASSWORDS,
        rf"{_AFTER}(?:(?:{_SIGN}|{_PAIR}|[ \t])[\"'`]([^\s\"'`]{{6,160}})[\"'`]"
        rf"|(?:{_SIGN}|{_IS}[\"'`*]{{0,2}})([^\s\"'`,;<>*()\[\]{{}}]{{6,160}}+)(?![(\[{{]))",
        before="",
        fold=True,
        accept=(_quoted, _password),
    ),
    Rule(
        "assigned-password",
        "a password",
        _PASSWORDS,
        rf"{_AFTER}{_SIGN}[\"'`]?([a-z]{{16,160}}+){_WHOLE}",
        before="",
        fold=True,
        accept=_phrase,
    ),
    Rule(
        "assigned-password",
        "a password",
        # Not `_PASS=`: a compiler has a first one.
        ("PASSWORD=", "PASSWD=", "PASSPHRASE=", "DB_PASS=", "USER_PASS=", "SMTP_PASS=", "MAIL_PASS=", "DB_PWD="),
        rf"[\"']?([A-Za-z]{{8,160}}+){_WHOLE}",
        before="",
        accept=_set,
    ),
    Rule(
        "assigned-password",
        "a password",
        ("clave", "pass", "pw", "creds"),
        rf"{_AFTER}{_SIGN}[\"'`]?([^\s\"'`,;<>()\[\]{{}}]{{6,160}}+)(?![(\[{{])",
        fold=True,
        accept=_password,
    ),
    Rule(
        "assigned-password",
        "a password",
        ("--password", "--passwd", "--pass", "sshpass -p"),
        r"[ \t]{1,3}[\"']?([^\s\"'`,;<>()\[\]{}-][^\s\"'`,;<>()\[\]{}]{5,160}+)(?![(\[{])",
        before="",
        fold=True,
        accept=_password,
    ),
)

# What a long secret may begin with in a message: everybody knows these, and they tell whose key it is.
MARKS = tuple(start for rule in (*TOKENS, *SERVICES) for start in rule.starts if len(start) > 2)

_PEM = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----"
# Between the opening line and the key: line ends, also written as \\n in a JSON string, quotes, and header lines.
_PEM_BODY = r"(?:\s|\\n|\\r|[\"'+>|#]){0,80}+(?:[A-Za-z0-9-]{1,40}: [^\n]{0,200}\n\s{0,8}){0,6}[A-Za-z0-9+/=]{12,64}"
# A 16,384-bit RSA key is 13 KB of PEM; of one that has no end within that, its first line is taken.
_PEM_LIMIT = 16_384


def find(sheet: Sheet) -> Iterator[Hit]:
    """Yield every secret in the text of ``sheet``. The span is what redaction takes out."""
    yield from TABLE.hits(sheet)
    if "PRIVATE KEY" in sheet.text:
        yield from _pem(sheet.text)


def _pem(text: str) -> Iterator[Hit]:
    """Yield private keys in PEM armour; an opening line that no key text follows is only somebody writing about it."""
    taken = count = 0
    closing = 0
    for opening in compiled(_PEM).finditer(text):
        if opening.start() < taken:
            continue
        limit = min(len(text), opening.end() + _PEM_LIMIT)
        body = compiled(_PEM_BODY).match(text, opening.end(), limit)
        if body is None:
            continue
        if 0 <= closing < opening.end():
            closing = text.find("-----END", opening.end())
        last = compiled(_PEM_END).match(text, closing) if 0 <= closing < limit else None
        taken = last.end() if last else body.end()
        count += 1
        if count == LIMIT:
            yield Hit("private-key", "a private key, and more to the end of the text", opening.start(), len(text))
            return
        yield Hit("private-key", "a private key", opening.start(), taken)
