"""How the rows of orders are built, and the words that many of them share; ``orders`` and its like hold them.

A row with words between its verb and its object is anchored at the object: it is the rarer of the two, so no text makes
the rows slow.
"""

from __future__ import annotations

from engram.safety.rule import Rule

__all__ = [
    "CONCEAL", "GUARD", "IGNORE", "LOOT", "LOOT_ES", "LOOT_ZH", "NOUN", "OBEY", "OUT", "PRECIOUS", "PROMPT",
    "ROLE", "SENDS_OUT", "SHELL", "THINGS", "THINGS_ES", "UNASKED", "UNSAFE", "UNSEEN_CODE", "VOICE", "gapped",
    "order",
]  # fmt: skip

SENDS_OUT = "text that tells an agent to send data out"
UNSAFE = "text that tells an agent to switch a safety measure off"
UNASKED = "text that tells an agent to act without its human"
UNSEEN_CODE = "a download that is run unseen"
VOICE = "text that speaks as the model's system"
IGNORE = "text that tells an agent to ignore its instructions"
ROLE = "text that gives an agent another role"
CONCEAL = "text that tells an agent to hide something from its human"
PROMPT = "text that is after the agent's own prompt"
OBEY = "text that orders an agent about"


def order(kind: str, label: str, starts: str, rest: str) -> Rule:
    """Build a row whose matches begin with one of the words of ``starts``, separated by bars; case does not matter."""
    return Rule(kind, label, tuple(starts.split("|")), rest, fold=True)


def gapped(  # noqa: PLR0917 (a row of a table reads best without names)
    kind: str,
    label: str,
    starts: str,
    gap: int,
    needs: str,
    rest: str,
    *,
    between: tuple[str, ...] = (),
    endings: str = "|s",
    stops: str = ".\n",
) -> Rule:
    """Build a row of a word of ``starts``, a gap, and ``rest``, which begins with one of ``needs``; see ``Rule``."""
    return Rule(
        kind,
        label,
        tuple(starts.split("|")),
        rest,
        needs=tuple(needs.split("¦")),
        gap=gap,
        between=between,
        endings=tuple(endings.split("|")),
        stops=stops,
        fold=True,
    )


THINGS = (
    "api¦access¦ssh¦private¦credential¦password¦secrets¦cookies¦auth¦environment¦env¦.env¦id_rsa¦/etc/¦user¦browsing"
    "¦conversation¦chat¦system¦~/.aws¦~/.ssh¦$¦whole¦entire¦source code"
)
THINGS_ES = ".env¦~/.ssh¦~/.aws¦id_rsa¦contraseña¦credenciales¦clave¦token¦secretos¦cookies¦variables"
NOUN = (
    r"(?:instructions?|prompts?|directives?|guidelines?|rules|commands?|orders|directions|constraints?|programming"
    r"|training|(?:search )?goals?|context)\b"
)
GUARD = (
    r"\b(?<!-)(?:safety|security|ethical|agent)[ -](?:[a-z]{1,20} ){0,2}(?:protocols?|guidelines?|polic(?:y|ies)"
    r"|constraints?|restrictions?|filters?|checks?|protections?|measures?|guardrails?)\b"
)
LOOT = (
    r"(?:api[ _-]?keys?|access keys?|ssh keys?|private keys?|credentials?|passwords?|secrets\b|access tokens?|cookies"
    r"|auth(?:entication)? tokens?|environment variables?|env vars|\.env\b|id_rsa|/etc/(?:passwd|shadow)"
    r"|user(?:'s)? data|browsing history|conversation history|chat history|system files?"
    r"|(?:whole|entire) (?:repository|repo|codebase|source(?: code| tree))|source code"
    # A file of keys, and a variable of the environment that by its name holds one.
    r"|~/\.(?:ssh|aws)\b(?:/[a-z0-9_]{1,30})?|\$\{?[a-z0-9_]{0,30}(?:token|secret|key|password|credentials)\b\}?)"
)
LOOT_ES = (
    r"(?:contraseñas?|credenciales|claves? (?:api|privadas?|ssh|de acceso|de (?:la carpeta )?\.ssh)|tokens?|secretos"
    r"|cookies|variables de entorno|\.env\b|~/\.(?:ssh|aws)\b|id_rsa)"
)
LOOT_ZH = r"(?:密钥|密码|凭证|凭据|令牌|私钥|环境变量|密鑰|密碼|憑證|權杖|私鑰|環境變數|cookie|token|api ?key|ssh)"
OUT = (
    r"(?:https?://|ftp://|[a-z0-9._-]{1,40}@|webhook|(?:external|remote|attacker|third[- ]party|our|this|my)[ -]"
    r"(?:[a-z]{1,20} ){0,2}(?:server|address|host|endpoint|url|email|site|domain|location))"
)
SHELL = r"(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k|fi|a)?sh|python[0-9.]{0,4}|perl|ruby|node|php)\b"
PRECIOUS = r"(?:\.env\b|id_rsa|\.ssh\b|/etc/passwd|/etc/shadow|\.aws/|credentials)"
