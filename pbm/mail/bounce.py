"""A delivery report → who couldn't be reached, for good or for now, and which of our mails it was (RFC 3464)."""

from __future__ import annotations

import email
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email import policy

from flufl.bounce import all_failures

from pbm.mail.addrlist import bare, mailboxes
from pbm.mail.headers import Fields, every, first, split_head
from pbm.mail.letter import Kind, Letter, Own, find_token
from pbm.mail.limits import Unreadable, plain_lines
from pbm.mail.mime import Leaf, leaves
from pbm.mail.own import token_in

_FOR_FLUFL = 24_576
"""Bytes that flufl.bounce gets to see; its patterns were not written for crafted mail."""
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_MESSAGE_ID = re.compile(r"^message-id:\s{0,5}(<[^<>\s]{1,500}>)", re.IGNORECASE | re.MULTILINE)
_DELAYED = re.compile(
    r"delay|still being retried|will (?:be )?retr|will keep trying|not yet been delivered|"
    r"warning[: ].{0,40}(?:not sent|queue)|"
    r"deferred|verzögert|retard|retras|ritardo|vertraagd|försen|forsinke|opóźni|задерж|配信遅延|延迟",
    re.IGNORECASE,
)
_ROLES = ("mailer-daemon", "postmaster", "mail.delivery.system", "mail-daemon")


@dataclass(frozen=True, slots=True)
class Bounce:
    """`addresses` that the report names as not reached; `permanent`: failed, not merely delayed; `original_id`: the
    Message-ID of the mail it is about; `token`: the token in that mail's envelope, Reply-To or From, or of the address
    that the report came to. Without one of ours it proves nothing."""

    addresses: tuple[str, ...]
    permanent: bool
    original_id: str | None
    token: str | None


def bounced(raw: bytes, letter: Letter, own: Own | None = None) -> Bounce | None:
    """The report in `raw`, or None if `letter` (of the same bytes) is no bounce. Never raises."""
    if letter.kind is not Kind.BOUNCE:
        return None
    try:
        fields, body = split_head(plain_lines(raw))
        parts = leaves(fields, body)
    except Unreadable:
        return None
    permanent, addresses = _status(parts, letter)
    inner = _original(parts)
    ids = every(inner, "message-id")
    if not ids and (found := _MESSAGE_ID.search(_first_text(parts)[:200_000])):
        ids = [found[1]]
    if not addresses:
        addresses = _named(raw, fields, inner, letter)
    near = [box.address for value in every(inner, "return-path", "reply-to", "from") for box in mailboxes(value, 20)]
    token = token_in([address for address in near if address], own) or find_token(letter, own)
    if token is None:
        token = token_in(_ADDRESS.findall(_first_text(parts)[:200_000])[:100], own)
    return Bounce(tuple(addresses), permanent, ids[0].strip() if ids else None, token)


def _status(parts: Sequence[Leaf], letter: Letter) -> tuple[bool, list[str]]:
    """Whether a recipient failed for good, and the recipients, by the machine-readable part where there is one."""
    failed: list[str] = []
    delayed: list[str] = []
    told = False
    for part in parts:
        if part.type not in ("message/delivery-status", "message/global-delivery-status"):
            continue
        for block in re.split(r"\n[ \t]*\n", part.text()[:100_000])[:60]:
            group, _ = split_head(block.strip("\n").encode("utf-8") + b"\n")
            action = (first(group, "action") or "").partition(" ")[0].strip().lower()
            status = (first(group, "status") or "").strip()
            who = _typed(first(group, "original-recipient")) or _typed(first(group, "final-recipient"))
            if not action and not status.startswith(("4", "5")):
                continue
            told = True
            if action == "failed" or (not action and status.startswith("5")):
                failed += [who] if who else []
            elif action == "delayed" or (not action and status.startswith("4")):
                delayed += [who] if who else []
            if action == "failed":
                failed = failed or [""]
    if told:
        known = [address for address in failed if address]
        return bool(failed), list(dict.fromkeys(known or delayed))
    late = bool(_DELAYED.search(letter.subject)) or bool(_DELAYED.search(_first_text(parts)[:3000]))
    return not late, []


def _typed(value: str | None) -> str | None:
    """`rfc822; bob@example.org` → the address."""
    if value is None:
        return None
    text = value.partition(";")[2] if ";" in value else value
    found = _ADDRESS.search(text)
    return bare(found[0]) if found else None


def _original(parts: Sequence[Leaf]) -> Fields:
    for part in parts:
        if part.type in (
            "message/rfc822",
            "text/rfc822-headers",
            "message/rfc822-headers",
            "message/global",
            "message/global-headers",
        ):
            try:
                return split_head(part.data().lstrip(b"\n") + b"\n")[0]
            except Unreadable:
                return ()
    return ()


def _first_text(parts: Sequence[Leaf]) -> str:
    return next((part.text() for part in parts if part.type in ("text/plain", "text/html")), "")


def _named(raw: bytes, fields: Fields, inner: Fields, letter: Letter) -> list[str]:
    """The addresses by the header of the report, by flufl.bounce, or by whom the returned mail went to."""
    named = [
        box.address for value in every(fields, "x-failed-recipients") for box in mailboxes(value, 20) if box.address
    ]
    if not named:
        try:
            # ASCII only: it stumbles over fields that hold anything else.
            plain = raw[:_FOR_FLUFL].decode("ascii", "replace").replace("\ufffd", "?")
            message = email.message_from_string(plain, policy=policy.compat32)
            found = all_failures(message)
            named = sorted(address.decode("ascii", "replace") for address in found[0] | found[1])
        except Exception:
            # A fault of another's parser on a strange report costs the address, not the report.
            named = []
    if not named:
        named = [box.address for value in every(inner, "to") for box in mailboxes(value, 5) if box.address]
    ours = {address.lower() for address in letter.recipients}
    sound = [address for name in named if (address := bare(name))]
    return [
        address
        for address in dict.fromkeys(sound)
        if address.lower() not in ours and not address.lower().startswith(_ROLES)
    ]
