"""What sort of mail this is, by its header: a person's, automatic, a bounce, through a list, our own, or refused.

RFC 3834 for automatic mail, RFC 3464 for delivery reports, RFC 8098 for read receipts, RFC 2919 for lists; and the
marks of the products that follow none of them. `X-Auto-Response-Suppress` is no mark: people's Exchange mail has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from pbm.mail.addrlist import mailboxes
from pbm.mail.headers import Fields, decode_words, every, first, value_and_params
from pbm.mail.kind_phrases import (
    AUTO_FIELDS,
    AUTOMATIC,
    CERTAIN_DAEMON,
    DAEMON,
    DAEMON_NAME,
    FAILED,
    LIST_FIELDS,
    RECEIPT,
    REPLIED,
    ROBOT,
    RSVP,
    SURELY_FAILED,
    TRANSCRIPT,
)
from pbm.mail.mime import Leaf


class Kind(StrEnum):
    """`pbm explain`'s word for a mail (MAIL.md)."""

    MAIL = "mail"
    AUTO = "auto-reply"
    BOUNCE = "bounce"
    LIST = "list"
    OWN = "own"
    REFUSED = "refused"


def kind_of(fields: Fields, parts: Sequence[Leaf]) -> Kind:
    """The kind of a mail that isn't our own: BOUNCE, AUTO, LIST or MAIL, looked for in that order."""
    if _bounce(fields, parts):
        return Kind.BOUNCE
    if _automatic(fields, parts):
        return Kind.AUTO
    names = {name for name, _ in fields}
    precedence = (first(fields, "precedence") or "").strip().lower()
    if names & LIST_FIELDS or precedence == "list":
        return Kind.LIST
    if precedence in ("bulk", "junk", "auto_reply", "auto-reply"):
        return Kind.AUTO
    return Kind.MAIL


def _subject(fields: Fields) -> str:
    subject = decode_words(first(fields, "subject") or "")[:300].strip()
    return subject.lstrip("*[( ")


def _nobody(fields: Fields) -> bool:
    """The envelope had no sender (`<>`): RFC 5321 keeps that for reports and answers of machines."""
    return any(value.replace(" ", "") in ("<>", "") for value in every(fields, "return-path"))


def _bounce(fields: Fields, parts: Sequence[Leaf]) -> bool:
    kind, params = value_and_params(first(fields, "content-type") or "")
    types = {part.type for part in parts}
    if "message/delivery-status" in types or "message/global-delivery-status" in types:
        return True
    report = params.get("report-type", "").lower()
    if kind == "multipart/report" and report not in (
        "disposition-notification",
        "feedback-report",
        "disposition-notifications",
    ):
        return "message/disposition-notification" not in types and "message/feedback-report" not in types
    if first(fields, "x-failed-recipients") is not None:
        return True
    who = mailboxes(first(fields, "from") or "", limit=2)
    local = (who[0].address or "").partition("@")[0] if who else ""
    if not local:
        # `MAILER-DAEMON (Mail Delivery System)`, `<>`: no address at all.
        local = (first(fields, "from") or "").partition("(")[0].strip(' <>"').partition("@")[0]
    subject = _subject(fields)
    failed = bool(FAILED.search(subject)) and not REPLIED.match(subject)
    if CERTAIN_DAEMON.fullmatch(local):
        return True
    empty = _nobody(fields)
    if not REPLIED.match(subject) and SURELY_FAILED.match(subject):
        return True
    if failed and (empty or DAEMON.fullmatch(local) or (who and DAEMON_NAME.search(who[0].name))):
        return True
    machine = empty or bool(DAEMON.fullmatch(local)) or bool(ROBOT.match(local)) or _auto_submitted(fields)
    if failed and (machine or any(name in ("precedence", "x-mlserver") for name, _ in fields)):
        return True
    if not machine:
        return False
    wrapped = "message/rfc822" in types or "text/rfc822-headers" in types
    if DAEMON.fullmatch(local) and (wrapped or _transcript(parts)):
        return True
    return (empty or bool(ROBOT.match(local))) and not AUTOMATIC.search(subject) and _transcript(parts)


def _transcript(parts: Sequence[Leaf]) -> bool:
    return any(TRANSCRIPT.search(part.text()[:8000]) for part in parts[:3] if part.type in ("text/plain", "text/html"))


def _auto_submitted(fields: Fields) -> bool:
    value = first(fields, "auto-submitted")
    return value is not None and value.partition("(")[0].partition(";")[0].strip().lower() not in ("no", "")


def _automatic(fields: Fields, parts: Sequence[Leaf]) -> bool:
    if _auto_submitted(fields) or any(name in AUTO_FIELDS for name, _ in fields) or _nobody(fields):
        return True
    kind, _ = value_and_params(first(fields, "content-type") or "")
    if kind == "multipart/report" or any(_machine_part(part) for part in parts):
        return True
    if (first(fields, "precedence") or "").strip().lower() in ("auto_reply", "auto-reply", "junk"):
        return True
    special = {name: value.lower() for name, value in fields}
    if (
        "autoresp" in special.get("x-post-messageclass", "")
        or "autoresp" in special.get("delivered-to", "").partition("@")[0]
    ):
        return True
    if special.get("x-ms-exchange-generated-message-source", "").startswith(("mailbox rules", "antispam", "tenant")):
        return True
    if special.get("x-apple-action", "").startswith("vacation"):
        return True
    if "vacation" in special.get("x-mailer", "") or "autorespond" in special.get("x-mailer", ""):
        return True
    if re.search(
        r"ipn(n?rn|ndr)|\.oof|resp\.(pos|neg|tent)",
        special.get("x-ms-exchange-message-class", "") + special.get("message-class", ""),
    ):
        return True
    who = mailboxes(first(fields, "from") or "", limit=2)
    if who and who[0].address and ROBOT.match(who[0].address.partition("@")[0]):
        return True
    subject = _subject(fields)
    if RSVP.match(subject):
        return "calendarmessage" in special.get("content-class", "") or any(p.type == "text/calendar" for p in parts)
    return bool(AUTOMATIC.match(subject) or RECEIPT.match(subject))


def _machine_part(part: Leaf) -> bool:
    if part.type in ("message/disposition-notification", "message/feedback-report"):
        return True
    if part.type != "text/calendar":
        return False
    method = part.params.get("method", "").upper()
    if not method:
        found = re.search(r"^METHOD:([A-Z]{1,20})", part.text()[:65536], re.MULTILINE)
        method = found[1] if found else ""
    return method in ("REPLY", "COUNTER", "DECLINECOUNTER")
