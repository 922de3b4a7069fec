"""Personal data: addresses, phone, card and account numbers, hosts of private networks.

The default action is to redact (F21), which changes what a person wrote: so each kind is proven by its check digits,
its length or its grouping, and a bare number stays a number.
"""

from __future__ import annotations

from engram.safety.rule import ALNUM, Rule, Table, compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from engram.safety.rule import Hit, Sheet

__all__ = ["TABLE", "find"]

_NO_PERSON = ("example.com", "example.org", "example.net", "noreply.github.com")

# Length of an IBAN by country, from the registry of ISO 13616.
_IBAN = dict(
    part.split(":")
    for part in (  # noqa: SIM905 (seventy quoted strings read worse)
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 DO:28 EE:20 "
        "EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IS:26 IT:27 JO:30 "
        "KW:30 KZ:20 LB:28 LI:21 LT:20 LU:20 LV:21 MC:27 MD:24 ME:22 MK:19 MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 "
        "PT:25 QA:29 RO:24 RS:22 SA:24 SE:24 SI:19 SK:24 SM:27 TN:24 TR:26 UA:29 VG:24 XK:20"
    ).split()
)


def _email(value: str) -> bool:
    """Accept an address that can be somebody's: not those reserved for documentation, not ``git@host`` of a remote."""
    folded = value.lower()
    return not folded.endswith(_NO_PERSON) and not folded.startswith(("git@", "noreply@", "no-reply@"))


def _phone(value: str) -> bool:
    digits = [char for char in value if char.isdigit()]
    return 10 <= len(digits) <= 15 and len(set(digits)) > 2


def _card(value: str) -> bool:
    """Accept a number of a card network: its first digits, its length, and Luhn's check digit."""
    digits = [int(char) for char in value if char.isdigit()]
    head = int("".join(map(str, digits[:4])))
    known = {
        14: 3000 <= head <= 3059 or 3600 <= head <= 3699 or 3800 <= head <= 3899,
        15: 3400 <= head <= 3499 or 3700 <= head <= 3799,
        16: 4000 <= head <= 5599
        or 2221 <= head <= 2720
        or head == 6011
        or 6440 <= head <= 6599
        or 3528 <= head <= 3589,
    }
    if not known.get(len(digits)) or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


def _iban(value: str) -> bool:
    """Accept an account number of the length of its country, with the remainder 1 modulo 97 (ISO 7064)."""
    compact = value.replace(" ", "")
    if str(len(compact)) != _IBAN.get(compact[:2]):
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def _host(value: str) -> bool:
    """Accept the address of a machine in a private network, not of the network itself (``10.0.0.0``)."""
    parts = [int(part) for part in value.split(".")]
    if len(parts) != 4:
        return False
    private = parts[0] == 10 or parts[:2] == [192, 168] or (parts[0] == 172 and 16 <= parts[1] <= 31)
    return private and max(parts) <= 255 and parts[3] != 0


TABLE = Table(
    Rule(
        "email",
        "an e-mail address",
        (),
        r"(?<![A-Za-z0-9._%+/:-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9])",
        needs=("@",),
        accept=_email,
    ),
    Rule(
        "phone",
        "a phone number",
        ("+",),
        r"[1-9][0-9]{0,2}[ .-]?\(?[0-9]{1,4}\)?(?:[ .-]?[0-9]{2,5}){2,4}(?![A-Za-z0-9])",
        accept=_phone,
    ),
    Rule(
        "phone",
        "a phone number",
        (),
        # Here and below the first character is consumed before its left side is looked at: the search skips to it.
        r"[(2-9](?<![A-Za-z0-9.+-].)(?:(?<=\()[2-9][0-9]{2}\) ?|(?<!\()[0-9]{2}-)[0-9]{3}-[0-9]{4}(?![A-Za-z0-9-])",
        needs=("-",),
        digits=10,
        accept=_phone,
    ),
    Rule(
        "card",
        "a card number",
        (),
        r"[2-6](?<![A-Za-z0-9._-].)(?:[0-9]{13,15}|[0-9]{3}(?:[ -][0-9]{4}){3}|[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5})"
        r"(?![A-Za-z0-9_-])",
        digits=14,
        accept=_card,
    ),
    Rule(
        "iban",
        "a bank account number",
        (),
        r"[A-Z](?<![A-Za-z0-9].)[A-Z][0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])",
        digits=10,
        accept=_iban,
    ),
    Rule(
        "ip",
        "an address in a private network",
        ("10.", "172.", "192.168."),
        r"[0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]{1,3})?(?![0-9A-Za-z/_-]|\.[0-9])",
        before=ALNUM + "._-",
        accept=_host,
    ),
)


# A number of four parts that a word or a sign calls a version: of `10.0.12.1` alone nobody could tell.
_VERSION_BEFORE = (
    r"(?:\b(?:versions?|versión|versiones|releases?|ver\.?|builds?|drivers?|firmware|sdk|runtime|phiên bản)"
    r"|版本|[>~]=|[~^])[ :=(\"'`v号號]{0,3}(?:[0-9.]{7,15}(?:,|、| ?[-–/]| and| or| to| y| a| và|和|至|到)[ ]?){0,3}$"
)
_VERSION_AFTER = r"[\"'`)]{0,2} ?(?:版本|(?:releases?|versions?|versión|builds?|drivers?|hotfix|patch|update)\b)"
_AROUND = 80  # characters before a number in which a word for it is looked for


def find(sheet: Sheet) -> Iterator[Hit]:
    """Yield personal data in the text of ``sheet``."""
    for hit in TABLE.hits(sheet):
        if hit.kind != "ip" or not _is_version(sheet.text, hit.start, hit.end):
            yield hit


def _is_version(text: str, start: int, end: int) -> bool:
    return bool(
        compiled(_VERSION_BEFORE, fold=True).search(text, max(0, start - _AROUND), start)
        or compiled(_VERSION_AFTER, fold=True).match(text, end)
    )
