"""Bytes → `Letter`: what a mail says about itself, within hard limits, never raising (DESIGN.md, MAIL.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from pbm.mail.addrlist import mailboxes
from pbm.mail.headers import Fields, decode_words, every, first, message_ids, split_head
from pbm.mail.kinds import Kind, kind_of
from pbm.mail.limits import MAX_ADDRESSES, Unreadable, plain_lines
from pbm.mail.mime import Leaf, leaves
from pbm.mail.own import Own, looks_own, token_in

__all__ = ["Kind", "Letter", "Own", "find_token", "read_letter"]

_RECIPIENTS = ("x-original-to", "delivered-to", "to", "cc")
_HASHED = ("from", "to", "date", "message-id", "subject", "content-type")
_PLAIN = ("text/plain", "text/markdown", "text/x-markdown", "text/enriched")


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as it came. Nothing in it is proven, and `kind` is only how it presents itself.

    `sender` is the From address if there is exactly one, else None; domains are in lower case. `recipients` are those
    of X-Original-To and Delivered-To (the envelope), then To and Cc. `text` and `html` are the bodies that a mail
    program would show, decoded, or None; `unread` says in a person's words why there is neither. `headers` are
    unfolded, without controls, in order; RFC 2047 words in them are not decoded, since a decoded word could pass for
    grammar. `refused` is the reason why a mail of kind REFUSED isn't read. Then it has no body; where not even its
    header is safe to read, it has nothing but `content_hash` (hex SHA-256) and `size` (bytes).
    """

    from_addrs: tuple[str, ...] = ()
    sender: str | None = None
    from_name: str = ""
    recipients: tuple[str, ...] = ()
    subject: str = ""
    message_id: str | None = None
    in_reply_to: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    date: str | None = None
    text: str | None = None
    html: str | None = None
    flowed: bool = False
    delsp: bool = False
    headers: Fields = ()
    content_hash: str = ""
    kind: Kind = Kind.MAIL
    size: int = 0
    refused: str | None = None
    unread: str | None = None


def read_letter(raw: bytes, *, own: Own | None = None) -> Letter:
    """The letter in `raw`; of a mail over 1 MB only its first megabyte. Never raises."""
    try:
        return _read(raw, own)
    except Unreadable as over:
        reason = over.reason
    except Exception:
        # The last fence: a fault in our reading must not stop the mail behind this one.
        reason = "the mail can't be read"
    return Letter(content_hash=hashlib.sha256(raw).hexdigest(), kind=Kind.REFUSED, size=len(raw), refused=reason)


def find_token(letter: Letter, own: Own | None) -> str | None:
    """The token of the reply address that the letter came to, in lower case, or None (MAIL.md, "Addresses")."""
    return token_in(letter.recipients, own)


def _read(raw: bytes, own: Own | None) -> Letter:
    data = plain_lines(raw)
    fields, body = split_head(data)
    senders = [box for value in every(fields, "from") for box in mailboxes(value, MAX_ADDRESSES + 1)]
    recipients: list[str] = []
    for name in _RECIPIENTS:
        for value in every(fields, name):
            recipients += [box.address for box in mailboxes(value, MAX_ADDRESSES + 1) if box.address]
            if len(recipients) > MAX_ADDRESSES or len(senders) > MAX_ADDRESSES:
                raise Unreadable("the mail has more than 50 addresses")
    from_addrs = tuple(box.address for box in senders if box.address)
    message_id = (first(fields, "message-id") or "").strip() or None
    letter = Letter(
        from_addrs=from_addrs,
        sender=from_addrs[0] if len(senders) == 1 and from_addrs else None,
        from_name=senders[0].name if senders else "",
        recipients=tuple(recipients),
        subject=decode_words(first(fields, "subject") or ""),
        message_id=message_id,
        in_reply_to=message_ids(first(fields, "in-reply-to") or ""),
        references=message_ids(first(fields, "references") or ""),
        date=first(fields, "date"),
        headers=fields,
        content_hash=_content_hash(raw, fields, body),
        size=len(raw),
    )
    ours = looks_own(fields, from_addrs, message_id, own)
    try:
        parts = leaves(fields, body)
    except Unreadable as over:
        # Who wrote it is known, so it can be answered; a machine's mail stays a machine's.
        kind = Kind.OWN if ours else kind_of(fields, ())
        if kind in (Kind.OWN, Kind.AUTO, Kind.BOUNCE):
            return replace(letter, kind=kind)
        return replace(letter, kind=Kind.REFUSED, refused=over.reason)
    return _with_bodies(replace(letter, kind=Kind.OWN if ours else kind_of(fields, parts)), parts)


def _with_bodies(letter: Letter, parts: Sequence[Leaf]) -> Letter:
    text, html, shown, unread = _bodies(parts)
    params = shown.params if shown else {}
    flowed = params.get("format", "").lower() == "flowed"
    return replace(
        letter,
        text=text,
        html=html,
        unread=unread,
        flowed=flowed,
        delsp=flowed and params.get("delsp", "").lower() == "yes",
    )


def _content_hash(raw: bytes, fields: Fields, body: bytes) -> str:
    """Two arrivals of one mail have one hash: trace headers differ, what was written doesn't (MAIL.md)."""
    if first(fields, "message-id") is None and first(fields, "date") is None:
        return hashlib.sha256(raw).hexdigest()
    digest = hashlib.sha256()
    for name in _HASHED:
        for value in every(fields, name):
            # The length keeps one field from passing for two.
            line = f"{name}:{' '.join(value.split())}".encode("utf-8", "surrogatepass")
            digest.update(b"%d:%s\n" % (len(line), line))
    digest.update(b"\n" + body)
    return digest.hexdigest()


def _bodies(parts: Sequence[Leaf]) -> tuple[str | None, str | None, Leaf | None, str | None]:
    """Text body, HTML body, the part of the text body, and why there is none."""
    plain = _shown(parts, _PLAIN)
    html = _shown(parts, ("text/html",))
    if plain and html and not any("multipart/alternative" in part.around for part in html):
        # Not two versions of one text but one text in pieces.
        shown = {id(part) for part in (*plain, *html)}
        pieces = [
            part.text() if part.type == "text/html" else _as_html(part.text()) for part in parts if id(part) in shown
        ]
        return None, "\n".join(pieces), None, None
    text_body = "\n".join(part.text() for part in plain) if plain else None
    html_body = "\n".join(part.text() for part in html) if html else None
    if plain or html:
        return text_body, html_body, plain[0] if plain else None, None
    kinds = {part.type for part in parts} | {kind for part in parts for kind in part.around}
    if kinds & {
        "multipart/encrypted",
        "application/pkcs7-mime",
        "application/x-pkcs7-mime",
        "application/pgp-encrypted",
    }:
        return None, None, None, "it is encrypted"
    if "application/ms-tnef" in kinds:
        return None, None, None, "its text is inside a winmail.dat file"
    if kinds & {"message/rfc822", "message/partial", "message/external-body"}:
        return None, None, None, "it holds nothing but another mail"
    return None, None, None, "it has no text"


def _as_html(text: str) -> str:
    return f"<div>{escape(text).replace(chr(10), '<br>')}</div>"


def _shown(parts: Sequence[Leaf], types: tuple[str, ...]) -> list[Leaf]:
    """The inline parts of these types; a file is taken only where there is nothing else to read."""
    found = [part for part in parts if part.type in types]
    inline = [part for part in found if not part.attached]
    if inline:
        return inline
    readable = any(
        not part.attached for part in parts if part.type.startswith("text/") and part.type != "text/calendar"
    )
    return [] if readable else found[:1]
