"""A scan as a SARIF log, version 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0): one result a finding."""

from __future__ import annotations

import os

from engram.store.files import digest
from engram.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from engram.service.scanning import Located, Scan

__all__ = ["sarif_log"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"block": "error", "redact": "warning"}
_GROUPS = {
    "secret": "A key, a password or a token stands in a file.",
    "personal": "Personal data stands in a file.",
    "instruction": "A text gives orders to the agent that reads it.",
    "hidden": "A text holds what a reader does not see.",
}


def sarif_log(scan: Scan, here: str) -> dict[str, Any]:
    """Return the log; addresses are relative to the folder ``here``, columns count Unicode code points from 1."""
    rules = {one.finding.rule: one for one in scan.found}
    names = sorted(rules)
    seen: dict[tuple[str, str], int] = {}
    results = []
    for one in scan.found:
        uri = _uri(one.path, here)
        number = seen[uri, one.finding.rule] = seen.get((uri, one.finding.rule), 0) + 1
        results.append(_result(one, uri, names.index(one.finding.rule), number))
    notifications = [
        {
            "level": "error",
            "message": {"text": f"This file was not scanned: {reason}"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(path, here)}}}],
        }
        for path, reason in scan.unread
    ]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "engram",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(rules[name]) for name in names],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {"executionSuccessful": not notifications, "toolExecutionNotifications": notifications}
                ],
                "results": results,
            }
        ],
    }


def _rule(one: Located) -> dict[str, Any]:
    finding = one.finding
    return {
        "id": finding.rule,
        "shortDescription": {"text": _GROUPS[finding.group]},
        "defaultConfiguration": {"level": _LEVELS[one.action]},
        "properties": {"tags": ["security", finding.group]},
    }


def _result(one: Located, uri: str, index: int, number: int) -> dict[str, Any]:
    finding = one.finding
    # What was found is not in the fingerprint either: of a weak password its hash would tell enough.
    fingerprint = digest(f"{finding.rule}\n{uri}\n{number}".encode("utf-8", "replace"))
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[one.action],
        "message": {"text": f"{finding.message[:1].upper()}{finding.message[1:]}."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri},
                    "region": {
                        "startLine": finding.line,
                        "startColumn": finding.column,
                        "endLine": one.end_line,
                        "endColumn": one.end_column,
                        "charOffset": finding.start,
                        "charLength": finding.end - finding.start,
                    },
                }
            }
        ],
        "partialFingerprints": {"engramFinding/v1": fingerprint},
    }


def _uri(path: str, here: str) -> str:
    from urllib.parse import quote

    try:
        name = os.path.relpath(path, here).replace(os.sep, "/")
    except ValueError:  # another drive
        return "file:///" + quote(os.fsencode(path.replace(os.sep, "/")), safe="/:")
    # A first part with a colon would pass for a scheme.
    return quote(os.fsencode(name), safe="/")
