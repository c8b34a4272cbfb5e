"""An HTML body → lines of text, each with what its containers say of it: quoted, signature, below the quote's mark.

The containers are those of the mail programs: block quotes, and the classes and ids that programs put around what
they quote. An indented block (Gmail's `border:none`) is no quote.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from pbm.mail.limits import MAX_LINES
from pbm.mail.mime import clean_text
from pbm.mail.phrases import word_set
from pbm.mail.tagstream import Token, tokens


@dataclass(frozen=True, slots=True)
class HtmlLine:
    """`quoted`: inside a container for quotes. `tail`: behind a mark that a program sets before what it quotes.
    `signature`: inside a container for signatures. `attribution`: inside one for "On … wrote:"."""

    text: str
    quoted: bool = False
    tail: bool = False
    signature: bool = False
    attribution: bool = False


_BLOCK = word_set(
    "address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr "
    "html li main nav ol p pre section table tbody td tfoot th thead tr ul"
)
_CONTAINER = word_set("address article aside blockquote center div footer header main pre section table")
_QUOTE_WORDS = word_set(
    "yahoo_quoted protonmail_quote tutanota_quote zmail_extra outlookmessageheader quoted-text quotedtext quoted_text "
    "replyforwardquote olk_src_body_section isreplycontent isforwardcontent replybody origbody original-content "
    "messagereplysection mail-app-auto-quote elided-text mailquote mail-quote reply-quote replyquote quote-wrapper "
    "mcntmcntphp __aliyun_previous_history cmd_quote quotedmessage original_message originalmessage replied-message "
    "mailbox_quote airmail_original unibox_quote yj6qo_quote mailspring-quote nylas-quote gmail_quote_body "
    "forwarded-message "
    "tagx_quote reply_message front-blockquote missive_quote quote__body ntes_quote ox-quote freebirdquote"
)
_TAIL_WORDS = word_set(
    "divrplyfwdmsg appendonsend stopspelling mail-editor-reference-message-container zwchr reply-intro "
    "orimsghtmlseperator ms-outlook-mobile-reference-message replysplit original_header mailoriginal "
    "composer_quote_header message_header_reply x_divrplyfwdmsg"
)
_ATTRIBUTION_WORDS = word_set("gmail_attr moz-cite-prefix moz-email-headers-table moz-forward-container")
_SIGNATURE_WORDS = word_set(
    "gmail_signature moz-signature ms-outlook-mobile-signature signature applemailsignature apple-signature "
    "protonmail_signature_block tutanota_signature composer_signature bloop_sign mobile-signature mail_signature "
    "zmail_signature_below mail-signature email-signature id-signature ntes-pcmac-signature yahoo-signature "
    "ymail_android_signature signature_block mailspring-signature"
)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_PREFIX = re.compile(r"(?:(?:x|yiv\d{1,15}|ecx|m_-?\d{1,25})_?)")
_BAR = re.compile(r"border-left\s{0,3}:(?!\s{0,3}(?:none|0|medium none))|border-left-width\s{0,3}:\s{0,3}[1-9]|"
                  r"border-(?:width|style)\s{0,3}:\s{0,3}(?:none|0(?:px)?)\s{1,3}(?:none|"
                  r"0(?:px)?)\s{1,3}(?:none|0(?:px)?)\s{1,3}(?:solid|[1-9])")  # fmt: skip
_NO_BAR = re.compile(r"border(?:-width|-style|-left)?\s{0,3}:\s{0,3}(?:none|0|0px|medium none)\b")
_HIDDEN = re.compile(r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|mso-hide\s{0,3}:\s{0,3}all")
_MAX_OPEN = 2000
_MOST_TOKENS = 60_000
"""Tags and texts that are read; a long thread from Outlook has some 30,000."""


@dataclass(slots=True)
class _Marks:
    quoted: bool = False
    tail: bool = False
    signature: bool = False
    attribution: bool = False
    hidden: bool = False

    @property
    def any(self) -> bool:
        return self.quoted or self.signature or self.attribution or self.hidden


def _words(attributes: dict[str, str]) -> set[str]:
    names = " ".join(attributes.get(key, "") for key in ("class", "id", "name")).lower().split()[:40]
    out = set(names)
    for name in names:
        if found := _PREFIX.match(name):
            out.add(name[found.end() :])
        out.add(name.rstrip("0123456789").rstrip("_-"))
    return out


def _marks(token: Token) -> _Marks:
    attributes = token.attributes() if token.attrs else {}
    marks = _Marks()
    words = _words(attributes)
    style = attributes.get("style", "").lower()[:1000]
    if token.value == "blockquote":
        cited = (
            "cite" in (attributes.get("type", "").lower(), *words)
            or "cite" in attributes
            or bool(words & {"gmail_quote"})
        )
        marks.quoted = cited or not (_NO_BAR.search(style) and not _BAR.search(style))
    elif token.value in ("div", "section", "table", "td", "span", "p") and style and _BAR.search(style):
        marks.quoted = token.value in ("div", "section", "table")
    if words & _QUOTE_WORDS or attributes.get("name", "").lower() == "quote":
        marks.quoted = True
    if attributes.get("data-marker") == "__QUOTED_TEXT__":
        marks.quoted = True
    marks.tail = bool(words & _TAIL_WORDS)
    marks.signature = bool(words & _SIGNATURE_WORDS) or attributes.get("data-smartmail") == "gmail_signature"
    marks.attribution = bool(words & _ATTRIBUTION_WORDS)
    marks.hidden = bool(style and _HIDDEN.search(style)) or "hidden" in attributes
    return marks


class _Writer:
    """Collects text into lines; what a line is follows from where its first visible sign stood."""

    def __init__(self) -> None:
        self.lines: list[HtmlLine] = []
        self.parts: list[str] = []
        self.flags: HtmlLine | None = None
        self.blank = True

    def text(self, value: str, flags: HtmlLine, keep: bool) -> None:
        if keep:
            head, *more = value.split("\n")
            self._add(head, flags)
            for piece in more:
                self.end_line()
                self._add(piece, flags)
        else:
            self._add(_SPACE.sub(" ", value), flags)

    def _add(self, value: str, flags: HtmlLine) -> None:
        if self.flags is None and value.strip():
            self.flags = flags
        if value:
            self.parts.append(value)

    def end_line(self) -> None:
        """End the line here, even an empty one."""
        text = "".join(self.parts).strip(" \n")
        flags = self.flags or HtmlLine("")
        if len(self.lines) < MAX_LINES:
            self.lines.append(HtmlLine(text, flags.quoted, flags.tail, flags.signature, flags.attribution))
        self.parts.clear()
        self.flags = None

    def block(self) -> None:
        """End the line if there is something on it."""
        if self.flags is not None:
            self.end_line()
        self.parts.clear()

    def gap(self) -> None:
        """An empty line, unless there is one."""
        self.block()
        if self.lines and self.lines[-1].text:
            self.end_line()


def html_lines(source: str) -> list[HtmlLine]:
    """The visible lines of an HTML body; at most `MAX_LINES`."""
    writer = _Writer()
    stack: list[tuple[str, _Marks]] = []
    open_tags: Counter[str] = Counter()
    depth: Counter[str] = Counter()
    tail = False
    for token in islice(tokens(clean_text(source)), _MOST_TOKENS):
        if token.kind == "text":
            if not depth["hidden"]:
                flags = HtmlLine("", depth["quoted"] > 0, tail, depth["signature"] > 0, depth["attribution"] > 0)
                writer.text(token.value, flags, open_tags["pre"] > 0)
            continue
        name = token.value
        if token.kind == "start":
            if name == "br":
                writer.end_line()
                continue
            if name in ("td", "th"):
                writer.text(" ", HtmlLine(""), False)
            elif name in ("p", "blockquote", "h1", "h2", "h3", "hr"):
                writer.gap()
            elif name in _BLOCK:
                writer.block()
            marks = _marks(token) if token.attrs or name == "blockquote" else _Marks()
            tail = tail or marks.tail
            if name in ("hr", "img", "meta", "input", "link") or len(stack) >= _MAX_OPEN:
                continue
            if name in _CONTAINER or (marks.any and name not in ("p", "td", "tr", "li", "body", "html", "head")):
                stack.append((name, marks))
                open_tags[name] += 1
                for mark in ("quoted", "signature", "attribution", "hidden"):
                    depth[mark] += getattr(marks, mark)
            continue
        if name in ("p", "h1", "h2", "h3"):
            writer.gap()
        elif name in _BLOCK and name not in ("td", "th"):
            writer.block()
        if open_tags[name]:
            while stack:
                closed, marks = stack.pop()
                open_tags[closed] -= 1
                for mark in ("quoted", "signature", "attribution", "hidden"):
                    depth[mark] -= getattr(marks, mark)
                if closed == name:
                    break
    writer.block()
    return writer.lines
