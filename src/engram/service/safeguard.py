"""Every text of a candidate is checked before anything of it is shown or written (F21 ``safety.*``)."""

from __future__ import annotations

from engram.safety.scan import check, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from engram.proposals.candidates import Candidate
    from engram.safety.finding import Finding
    from engram.service.session import Session

__all__ = ["checked_candidate", "checked_texts", "names_author"]


def checked_candidate(session: Session, candidate: Candidate) -> tuple[Candidate, tuple[str, ...]]:
    """Return a candidate after redaction, and what was redacted.

    What a field holds reaches the file, the preview or an error message; of an id only a refusal counts, since a
    redacted one would name another memory.

    Raises:
        SafetyError: when a field holds what must not become memory; nothing of it is shown.
    """
    kind = candidate.type or "knowledge"
    names = ("text", "title", "context", "level", "light", "balanced", "strict")
    texts, said = checked_texts(session, {name: getattr(candidate, name) for name in names}, kind)
    lists = {name: "\n".join(getattr(candidate, name)) for name in ("triggers", "role")}
    safe_lists, said_too = checked_texts(session, lists, kind)
    ids = {name: getattr(candidate, name) for name in ("update", "supersedes")}
    checked_texts(session, ids | {"depends_on": "\n".join(candidate.depends_on)}, kind)
    split = {name: tuple(line for line in text.split("\n") if line) for name, text in safe_lists.items()}
    return candidate.replace(**texts, **split), (*said, *said_too)


def checked_texts(session: Session, texts: Mapping[str, str], kind: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the texts after redaction, and what was redacted, each by the name of its field.

    Raises:
        SafetyError: when one holds what must not become memory.
    """
    out: dict[str, str] = {}
    said: list[str] = []
    for name, text in texts.items():
        result = check(text, kind=kind, actions=session.settings.action)
        field = "" if name == "text" else name
        if result.blocked:
            raise refusal(result.blocked, field=field)
        out[name] = result.text
        said += [finding.message + (f" in the field {field}" if field else "") for finding in result.redacted]
    return out, tuple(said)


def names_author(text: str, finding: Finding) -> bool:
    """Tell whether a finding is the author whom every memory names in its frontmatter (F6), which no rule keeps out."""
    start = text.rfind("\n", 0, finding.start) + 1
    return (
        finding.group == "personal"
        and text.startswith(("author:", "author_name:", "author_email:"), start)
        and finding.start < text.find("\n---")
    )
