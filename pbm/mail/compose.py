"""Values → bytes: a mail as it will lie in the outbox, in one piece, never changed again (DESIGN.md, *At least once*).

The parts are put together by hand, since EmailMessage makes only 113 to 370 mails a second (STACK.md, section 4); then
our own bytes are parsed again and compared with what they should say.
"""

import re
from binascii import a2b_qp, b2a_qp
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.header import Header, decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import format_datetime, parseaddr
from typing import Literal

from pbm.mail import calendar
from pbm.mail.address import valid_address
from pbm.mail.guard import Guard
from pbm.mail.markup import narrowed, parse, to_text
from pbm.mail.markup_html import Links, to_html
from pbm.mail.templates import one_line

TITLE = "Play by mail"

_MESSAGE_ID = re.compile(r"<[^<>\s@]{1,200}@[^<>\s@]{1,200}>")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]*")
_FROM_LINE = re.compile(rb"^From ", re.MULTILINE)
_LINE = 76
_HEADER = BytesHeaderParser()
_LONGEST = 998  # octets, without CRLF (RFC 5322, 2.1.1)
_INNER = re.compile(rb'\r\nContent-Type: multipart/alternative; boundary="([^"]+)"\r\n\r\n')


class ComposeError(ValueError):
    """What went in makes no mail, or our own bytes don't say what went in. Nothing of it may be queued."""


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A display name (may be empty) and one plain ASCII address. Raises ComposeError for any other address."""

    name: str
    address: str

    def __post_init__(self) -> None:
        if not valid_address(self.address):
            raise ComposeError(f"not one plain mail address: {self.address!r}")


@dataclass(frozen=True, slots=True)
class Head:
    """The header of a mail (MAIL.md, *What is sent*): one recipient.

    `date`: seconds UTC. `reply_to` None: answers go to `sender` (the base address; public mails). `references`: the
    thread's root and the parent, at most. `auto`: `auto-replied` for what answers a mail (RFC 3834). `kind`: the
    mail's kind, for `X-PBM`. `entries`: the calendar attachment; none without any.
    """

    sender: Mailbox
    to: Mailbox
    subject: str
    message_id: str
    date: int
    kind: str
    reply_to: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    auto: Literal["auto-generated", "auto-replied"] = "auto-generated"
    entries: tuple[calendar.Entry, ...] = ()


def build(head: Head, source: str, *, guard: Guard, boundary: str, links: bool = True) -> bytes:
    """The whole mail, CRLF, seven bits, no line over 998 octets: text and HTML, and the calendar file if there is one.

    `source`: markup, of a template. `boundary`: `Keys.boundary`. `links`: whether orders are links to this mail's
    Reply-To; there are none without a Reply-To. Raises ComposeError, before anything is queued.
    """
    text, page = bodies(head, source, guard=guard, links=links)
    parts = [("text/plain", _data(text)), ("text/html", _data(page))]
    kind, body = _multipart("alternative", [_part(*part) for part in parts], boundary + "a")
    if head.entries:
        file = calendar.calendar(head.entries)
        parts.append(("text/calendar", file))
        alternative = f"Content-Type: {kind}\r\n\r\n".encode("ascii") + body
        kind, body = _multipart("mixed", [alternative, _calendar_part(file)], boundary + "b")
    fields = list(_fields(head))
    lines = [*(_field(name, value) for name, value in fields), "MIME-Version: 1.0", f"Content-Type: {kind}"]
    raw = "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body
    _compare(raw, head, fields, parts)
    return raw


def bodies(head: Head, source: str, *, guard: Guard, links: bool = True) -> tuple[str, str]:
    """The text and the HTML that `build` sends, for previews and tests."""
    blocks = parse(source)
    if not blocks:
        raise ComposeError("a mail without a word")
    texts = narrowed(blocks)
    safe = guard.safe_blocks(blocks)
    safe_texts = safe if texts is blocks else guard.safe_blocks(texts)
    to = Links(head.reply_to, _reply_subject(head.subject)) if links and head.reply_to else None
    return to_text(safe_texts), to_html(safe, title=TITLE, links=to)


def _reply_subject(subject: str) -> str:
    return f"Re: {one_line(subject)}"


# -- header --------------------------------------------------------------------------------------------------------


def _fields(head: Head) -> Iterator[tuple[str, str]]:
    """Name and value of each field, before encoding: what the parsed mail must say again."""
    for message_id in (head.message_id, *head.references, *((head.in_reply_to,) if head.in_reply_to else ())):
        if not _MESSAGE_ID.fullmatch(message_id) or not message_id.isascii():
            raise ComposeError(f"no Message-ID: {message_id!r}")
    if len(head.references) > 2:
        raise ComposeError("References are the thread's root and the parent, no more")
    yield "From", _mailbox(head.sender)
    yield "To", _mailbox(head.to)
    if head.reply_to is not None:
        yield "Reply-To", Mailbox("", head.reply_to).address
    yield "Subject", one_line(head.subject)
    yield "Date", format_datetime(datetime.fromtimestamp(head.date, UTC))
    yield "Message-ID", head.message_id
    if head.in_reply_to is not None:
        yield "In-Reply-To", head.in_reply_to
    if head.references:
        yield "References", " ".join(head.references)
    yield "Auto-Submitted", head.auto
    # Exchange sends its absence notes unless it is told not to.
    yield "X-Auto-Response-Suppress", "All"
    yield "X-PBM", one_line(head.kind)


def _mailbox(mailbox: Mailbox) -> str:
    """`name <address>` as a field's value, in ASCII already."""
    name = one_line(mailbox.name)
    if not name:
        return mailbox.address
    if not name.isascii() or "=?" in name:
        return f"{Header(name, 'utf-8').encode(maxlinelen=_LINE, linesep=chr(10))} <{mailbox.address}>"
    if _PLAIN_NAME.fullmatch(name):
        return f"{name} <{mailbox.address}>"
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}" <{mailbox.address}>'


def _field(name: str, value: str) -> str:
    """A field with its lines folded (RFC 5322, 2.2.3); what isn't ASCII, or looks encoded, is encoded (RFC 2047)."""
    if name == "Subject" and (not value.isascii() or "=?" in value or len(value) > 900):
        value = Header(value, "utf-8", header_name=name).encode(maxlinelen=_LINE, linesep="\n")
    value = value.replace("\n ", "\r\n ")
    if len(name) + 2 + len(value) <= _LINE or "\r\n" in value:
        return f"{name}: {value}"
    lines = [f"{name}:"]
    for word in value.split(" "):
        if len(lines[-1]) + 1 + len(word) > _LINE and lines[-1] != f"{name}:":
            lines.append("")
        lines[-1] += f" {word}"
    return "\r\n".join(lines)


# -- parts ---------------------------------------------------------------------------------------------------------


def _data(text: str) -> bytes:
    return text.encode("utf-8").replace(b"\n", b"\r\n")


def _multipart(kind: str, parts: Sequence[bytes], boundary: str) -> tuple[str, bytes]:
    """Content-Type and body (RFC 2046, 5.1)."""
    line = f"--{boundary}".encode("ascii")
    body = b"".join(line + b"\r\n" + part + b"\r\n" for part in parts) + line + b"--\r\n"
    return f'multipart/{kind}; boundary="{boundary}"', body


def _part(kind: str, data: bytes) -> bytes:
    charset = "us-ascii" if data.isascii() else "utf-8"
    encoding = "7bit"
    # Mail stores put a sign before a line that begins with "From "; quoted-printable spares it that.
    if not data.isascii() or _FROM_LINE.search(data) or max(map(len, data.split(b"\r\n"))) > _LONGEST:
        encoding = "quoted-printable"
        data = _FROM_LINE.sub(b"=46rom ", b2a_qp(data, istext=True))
    head = f"Content-Type: {kind}; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    return head.encode("ascii") + data


def _calendar_part(file: bytes) -> bytes:
    head = (
        f"Content-Type: text/calendar; charset=utf-8; method={calendar.METHOD}\r\n"
        'Content-Disposition: attachment; filename="deadline.ics"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
    )
    return head.encode("ascii") + b2a_qp(file, istext=True)


# -- proof ---------------------------------------------------------------------------------------------------------


def _compare(raw: bytes, head: Head, fields: list[tuple[str, str]], parts: list[tuple[str, bytes]]) -> None:
    """Read our own bytes again, and raise ComposeError where they don't say what went in."""
    if raw.count(b"\n") != raw.count(b"\r\n") or max(map(len, raw.split(b"\r\n"))) > _LONGEST:
        raise ComposeError("a line is too long, or ends in half a line end")
    header, _, body = raw.partition(b"\r\n\r\n")
    # The header alone: the package would compile patterns for the boundaries of each mail.
    mail = _HEADER.parsebytes(header + b"\r\n\r\n")
    if [*(name for name, _ in fields), "MIME-Version", "Content-Type"] != mail.keys():
        raise ComposeError(f"the header reads {mail.keys()}")
    mailboxes = {"From": head.sender, "To": head.to}
    for name, value in fields:
        got = _unfolded(mail, name)
        if name in mailboxes:
            shown, address = parseaddr(got)
            if (_decoded(shown), address) != (one_line(mailboxes[name].name), mailboxes[name].address):
                raise ComposeError(f"{name} reads {got!r}")
        elif (_decoded(got) if name == "Subject" else got) != value:
            raise ComposeError(f"{name} reads {got!r}")
    read = [_read(part) for part in _split(body, str(mail.get_boundary()).encode("ascii"))]
    if read != parts:
        raise ComposeError("the parts read otherwise than they were written")


def _split(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """The leaves of a multipart body (RFC 2046, 5.1.1). Raises ComposeError where it isn't whole."""
    first, *parts, last = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if first or last != b"--\r\n" or any(not part.startswith(b"\r\n") for part in parts):
        raise ComposeError("a boundary stands where it shouldn't")
    for part in parts:
        inner = _INNER.match(part)
        if inner is None:
            yield part
        else:
            yield from _split(part[inner.end() :], inner[1])


def _read(part: bytes) -> tuple[str, bytes]:
    head, _, data = part.partition(b"\r\n\r\n")
    kind = head.removeprefix(b"\r\nContent-Type: ").partition(b";")[0].decode("ascii")
    return kind, a2b_qp(data) if head.endswith(b"quoted-printable") else data


def _unfolded(mail: Message, name: str) -> str:
    return str(mail[name]).replace("\r\n ", " ").replace("\n ", " ").strip()


def _decoded(value: str) -> str:
    return str(make_header(decode_header(value))) if "=?" in value else value
