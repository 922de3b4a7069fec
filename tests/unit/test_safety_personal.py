from __future__ import annotations

import pytest

from engram.safety.scan import scan


def rules(text: str) -> list[str]:
    return [finding.rule for finding in scan(text) if finding.group == "personal"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("personal/email", "Ask mara.quint@acme.test about it."),
        ("personal/phone", "On call: +49 30 901 8200"),
        ("personal/phone", "On call: (212) 555-0187"),
        ("personal/card", "Paid with 4111 1111 1111 1111."),
        ("personal/card", "Paid with 378282246310005"),
        ("personal/iban", "Pay to DE89 3704 0044 0532 0130 00, please"),
        ("personal/iban", "GB82WEST12345698765432"),
        ("personal/ip", "ssh to 192.168.1.17 or"),
        ("personal/ip", "http://10.2.30.4:8080/x"),
        ("personal/ip", "Version 3 of the build server 10.0.12.1 is up"),
        ("personal/ip", "HOST=10.0.12.1"),
    ],
)
def test_personal_data_is_found(rule: str, text: str) -> None:
    assert rules(text) == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "git clone git@github.com:acme/web.git",
        "Write to user@example.com.",
        "@acme/ui@1.2.3 is pinned",
        "Order 4111111111111112 and build 1718000000000",  # no check digit, a time in milliseconds
        "DE88 3704 0044 0532 0130 00",  # wrong remainder
        "The cluster uses 10.0.0.0/8 and 172.32.0.1, version 10.2.1",
        "Version 10.0.12.1 is broken, the 10.0.12.2 release is not.",
        "Versions 10.0.12.1, 10.0.12.3 and 10.0.12.4 are affected; pin agent>=10.0.12.5 (build 10.0.12.7)",
        "Versión 10.0.12.1, phiên bản 10.0.12.1, 版本 10.0.12.1",
        "2024-05-11, 555-1234, +1 -1, 1.2.3.4",
        "3f786850e387550fdab836ed7e6dc881de23001b",
    ],
)
def test_numbers_and_names_of_engineering_are_not_personal(text: str) -> None:
    assert rules(text) == []


def test_the_inside_of_a_secret_is_not_personal_data_as_well() -> None:
    found = scan("postgres://app:" + "s3cr3tpw" + "@db.acme.test/app")
    assert [finding.rule for finding in found] == ["secret/url-password"]
