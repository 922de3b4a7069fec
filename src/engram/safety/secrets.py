"""Keys, tokens and passwords (C3 of the complaint kinds): what providers mark, and what its surroundings give away."""

from __future__ import annotations

from engram.safety.provider import BASE64, TOKEN, TOKENS, entropy, is_random, is_real, turns
from engram.safety.rule import Hit, Rule, compiled, hits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find"]


_EXPRESSION = frozenset("()[]{}$<>")  # of a programming language: the value is computed, not written


def _not_a_reference(value: str) -> bool:
    """Tell a written value from a name for one: ``$TOKEN``, ``<token>``, ``{{ secrets.X }}``, ``PASSWORD``."""
    if not is_real(value) or value[0] in "$<{[(%*&@." or "example" in value or "://" in value:
        return False
    if value.isupper() and value.replace("_", "").isalpha():
        return False
    # `settings.API_KEY_V2`, `C:\\Users\\me`: where a value is read from, not the value.
    return not ("." in value and value.replace(".", "_").isidentifier()) and ":\\" not in value


def _bearer(value: str) -> bool:
    if not _not_a_reference(value):
        return False
    if any(char.isdigit() for char in value):
        return entropy(value) >= 2.5
    # "Bearer authentication": a word is no token. No English word in use has sixteen letters and a second capital.
    return len(value) >= 16 and (value.isalpha() or turns(value) >= 3)


def _basic(value: str) -> bool:
    import base64
    import binascii

    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return False


def _assigned(value: str) -> bool:
    """Accept the value of a key-like name when it looks made by a machine, not like a name or an expression."""
    return len(value) >= 16 and _not_a_reference(value) and not _EXPRESSION.intersection(value) and is_random(value)


def _password(value: str) -> bool:
    """Accept the value of a password-like name when it is one that a person would make up as a strong one."""
    if not _not_a_reference(value) or _EXPRESSION.intersection(value) or value[0] == "/":
        return False
    kinds = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum() and char not in "-_.")
    return sum(any(kind(char) for char in value) for kind in kinds) >= 3 or (len(value) >= 16 and _assigned(value))


# Names that announce a secret, wherever they stand in an identifier: `aws_secret_access_key`, `clientSecret`.
_NAMES = (
    "secret",
    "token",
    "credential",
    *(
        f"{owner}{dash}key"
        for owner in ("api", "access", "auth", "private", "signing", "encryption", "account", "master")
        for dash in ("_", "-", "")
    ),
)
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "contraseña", "密码", "密碼")
# After the name: `_id`, `Base64` and the like, a closing quote, the sign, an opening quote. Everything bounded.
_SIGN = (
    r"(?:[_-]?(?:key|value|id|base64|token|secret|production|prod|dev|test)){0,2}s?"
    r"[\"'`\]]{0,2}[ \t]{0,4}(?::=|=>|==|=|:|：)[ \t]{0,4}[\"'`]?"
)

_RULES = (
    *TOKENS,
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
        r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{4,})?",
        before=TOKEN,  # its runs have no greatest length, so a match may begin only where a run does
    ),
    Rule(
        "authorization-header",
        "an Authorization header",
        ("authorization",),
        r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:bearer|token|apikey)[ \t]{1,4}([A-Za-z0-9._~+/=-]{8})",
        fold=True,
        tail=BASE64 + "._~-",
        accept=_bearer,
    ),
    Rule(
        "authorization-header",
        "an Authorization header",
        ("authorization",),
        r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?basic[ \t]{1,4}([A-Za-z0-9+/]{8})",
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
        tail=BASE64 + "._~-",
        accept=is_random,
    ),
    Rule(
        "url-password",
        "a password in a URL",
        ("://",),
        r"[^\s/:@\"'<>`|]{0,100}:([^\s/@\"'<>`|]{1,200})@(?=[A-Za-z0-9\[${])",
        before="",
        accept=_not_a_reference,
    ),
    Rule(
        "assigned-secret",
        "a secret value",
        _NAMES,
        _SIGN + r"([^\s\"'`,;:]{12,160})",
        before="",
        fold=True,
        accept=_assigned,
    ),
    Rule(
        "assigned-password",
        "a password",
        _PASSWORDS,
        _SIGN + r"([^\s\"'`,;]{8,160})",
        before="",
        fold=True,
        accept=_password,
    ),
)

_PEM = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----"
# Between the opening line and the key: line ends, also written as \\n in a JSON string, quotes, and header lines.
_PEM_BODY = r"(?:\s|\\n|\\r|[\"'+>|#]){0,80}(?:[A-Za-z0-9-]{1,40}: [^\n]{0,200}\n\s{0,8}){0,6}[A-Za-z0-9+/=]{12,}"
# A 16,384-bit RSA key is 13 KB of PEM; of one that has no end within that, its first line is taken.
_PEM_LIMIT = 16_384


def find(text: str, lower: str) -> Iterator[Hit]:
    """Yield every secret in ``text``; ``lower`` is ``folded(text)``. The span is what redaction takes out."""
    yield from hits(_RULES, text, lower)
    if "PRIVATE KEY" in text:
        yield from _pem(text)


def _pem(text: str) -> Iterator[Hit]:
    """Yield private keys in PEM armour; an opening line that no key text follows is only somebody writing about it."""
    taken = 0
    for opening in compiled(_PEM).finditer(text):
        if opening.start() < taken:
            continue
        limit = min(len(text), opening.end() + _PEM_LIMIT)
        body = compiled(_PEM_BODY).match(text, opening.end(), limit)
        if body is None:
            continue
        closing = text.find("-----END", opening.end(), limit)
        last = compiled(_PEM_END).match(text, closing) if closing >= 0 else None
        taken = last.end() if last else body.end()
        yield Hit("private-key", "a private key", opening.start(), taken)
