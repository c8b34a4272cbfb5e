"""How people's mail programs answer: what they add around the few lines that somebody has typed."""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr, parsedate_to_datetime

from pbm.demo.sheet import Sheet

_BODY = re.compile(r"<body[^>]*>(.*)</body>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, and with which program. `signature` stands below what is written; empty: none."""

    name: str
    address: str
    program: str
    signature: str = ""

    def reply(self, parent: Sheet, lines: Sequence[str], at: int, number: int) -> bytes:
        """An answer to `parent` as this program sends it, CRLF. `at`: seconds UTC; `number`: unique for this writer."""
        mail = EmailMessage(policy=SMTP)
        mail["From"] = formataddr((self.name, self.address))
        mail["To"] = formataddr(("", parent.reply_to))
        mail["Subject"] = parent.subject if parent.subject.lower().startswith("re:") else f"Re: {parent.subject}"
        mail["Date"] = format_datetime(datetime.fromtimestamp(at, UTC))
        mail["Message-ID"] = f"<{at}.{number}.{self.program}@{self.address.partition('@')[0]}.example>"
        mail["In-Reply-To"] = parent.message_id
        mail["References"] = f"{parent.references} {parent.message_id}".strip()
        written = list(lines)
        if self.signature:
            written += ["", *self.signature.splitlines()]
        PROGRAMS[self.program](mail, written, parent)
        return mail.as_bytes()


def _attribution(parent: Sheet) -> str:
    when = parsedate_to_datetime(parent.date)
    return f"On {when:%a}, {when.day} {when:%b %Y} at {when:%H:%M}, Play by Mail <{parent.sender}> wrote:"


def _quoted(parent: Sheet) -> list[str]:
    return [f"> {line}".rstrip() for line in parent.plain.splitlines()]


def _top(mail: EmailMessage, lines: list[str], parent: Sheet) -> None:
    """Above the quoted text, as most do."""
    mail.set_content("\n".join([*lines, "", _attribution(parent), *_quoted(parent)]) + "\n")


def _bottom(mail: EmailMessage, lines: list[str], parent: Sheet) -> None:
    """Below the quoted text, as the old netiquette has it."""
    mail.set_content("\n".join([_attribution(parent), *_quoted(parent), "", *lines]) + "\n")


def _bare(mail: EmailMessage, lines: list[str], parent: Sheet) -> None:
    """Nothing is quoted."""
    mail.set_content("\n".join(lines) + "\n")


def _original(mail: EmailMessage, lines: list[str], parent: Sheet) -> None:
    """The whole mail below a line of dashes, without marks."""
    head = [
        "-----Original Message-----",
        f"From: Play by Mail <{parent.sender}>",
        f"Sent: {parent.date}",
        f"To: {mail['From']}",
        f"Subject: {parent.subject}",
    ]
    mail.set_content("\n".join([*lines, "", *head, "", *parent.plain.splitlines()]) + "\n")


def _webmail(mail: EmailMessage, lines: list[str], parent: Sheet) -> None:
    """Text and HTML, the quote in a block of its own."""
    _top(mail, lines, parent)
    quote = (
        f'<div class="gmail_quote"><div dir="ltr" class="gmail_attr">{html.escape(_attribution(parent))}<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex">'
        f"{_inside(parent)}</blockquote></div>"
    )
    mail.add_alternative(f'<div dir="ltr">{_divs(lines)}</div><br>{quote}', subtype="html")


def _office(mail: EmailMessage, lines: list[str], parent: Sheet) -> None:
    """HTML alone, with the head of the old mail in a box."""
    paragraphs = "".join(f'<p class="MsoNormal">{html.escape(line) or "&nbsp;"}</p>' for line in lines)
    head = (
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal">'
        f"<b>From:</b> Play by Mail &lt;{html.escape(parent.sender)}&gt;<br><b>Sent:</b> {html.escape(parent.date)}<br>"
        f"<b>To:</b> {html.escape(str(mail['From']))}<br><b>Subject:</b> {html.escape(parent.subject)}</p></div>"
    )
    page = f'<html><body><div class="WordSection1">{paragraphs}{head}{_inside(parent)}</div></body></html>'
    mail.set_content(page, subtype="html")


def _divs(lines: Sequence[str]) -> str:
    return "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in lines)


def _inside(parent: Sheet) -> str:
    found = _BODY.search(parent.html)
    return found[1] if found else f"<pre>{html.escape(parent.plain)}</pre>"


PROGRAMS: dict[str, Callable[[EmailMessage, list[str], Sheet], None]] = {
    "top": _top,
    "webmail": _webmail,
    "bottom": _bottom,
    "office": _office,
    "bare": _bare,
    "original": _original,
}
