"""The body of a mail → its leaf parts, walked without recursion and within the limits of `pbm.mail.limits`.

The standard library's parser is not used: it recurses, differs between Python versions in what it forgives, and takes
seconds for a crafted mail (STACK.md). Messages inside the mail are leaves: what was forwarded is nobody's new text.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pbm.mail.charsets import decode
from pbm.mail.headers import Fields, base64_bytes, first, split_head, value_and_params
from pbm.mail.limits import MAX_DEPTH, MAX_PARTS, Unreadable


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part that isn't multipart: its type in lower case, the types of the parts around it, and its raw body."""

    type: str
    params: Mapping[str, str]
    fields: Fields
    body: bytes
    around: tuple[str, ...]

    @property
    def attached(self) -> bool:
        """A file rather than something to read at once."""
        how, params = value_and_params(first(self.fields, "content-disposition") or "")
        return how == "attachment" or bool(params.get("filename") or self.params.get("name"))

    def data(self) -> bytes:
        """The body with its transfer encoding undone."""
        coding = (first(self.fields, "content-transfer-encoding") or "").partition(";")[0].strip().lower()
        if coding == "base64":
            return _base64_body(self.body)
        return binascii.a2b_qp(self.body) if coding == "quoted-printable" else self.body

    def text(self) -> str:
        """The body as text with LF line ends, without controls."""
        data = self.data()
        label = self.params.get("charset")
        if label is None and self.type == "text/html" and (found := _META_CHARSET.search(data[:4096])):
            label = found[1].decode("ascii")
        return clean_text(decode(data, label))


_META_CHARSET = re.compile(rb"<meta[^>]{1,200}charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_BREAKS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160), 65279, 65534, 65535))
_CODED_LINE = re.compile(rb"[A-Za-z0-9+/=\s]*")
_FIRST_BOUNDARY = re.compile(rb"\A\s*--([!-~][ -~]{0,199}?)[ \t]*\n(?=[Cc]ontent-)")


def clean_text(text: str) -> str:
    """Every kind of line break → LF; controls dropped."""
    return _BREAKS.sub("\n", text).translate(_CONTROLS)


def _base64_body(body: bytes) -> bytes:
    """A base64 body; text that a list or a scanner hung behind it in clear is kept as it is."""
    if _CODED_LINE.fullmatch(body):
        return base64_bytes(body)
    lines = body.split(b"\n")
    good = next(number for number, line in enumerate(lines) if not _CODED_LINE.fullmatch(line))
    return base64_bytes(b"\n".join(lines[:good])) + b"\n" + b"\n".join(lines[good:])


def leaves(fields: Fields, body: bytes) -> list[Leaf]:
    """The leaf parts in the order of the mail. Raises `Unreadable` over 200 parts or 10 levels."""
    out: list[Leaf] = []
    waiting: list[tuple[Fields, bytes, tuple[str, ...]]] = [(fields, body, ())]
    seen = 0
    while waiting:
        head, content, around = waiting.pop()
        kind, params = value_and_params(first(head, "content-type") or "")
        if "/" not in kind:
            kind = "message/rfc822" if around and around[-1] == "multipart/digest" else "text/plain"
        if not kind.startswith("multipart/"):
            out.append(Leaf(kind, params, head, content, around))
            continue
        if len(around) >= MAX_DEPTH:
            raise Unreadable("the parts of the mail are nested deeper than 10 levels")
        children = []
        for piece in _pieces(content, params.get("boundary", "")):
            seen += 1
            if seen > MAX_PARTS:
                raise Unreadable("the mail has more than 200 parts")
            children.append((*split_head(piece), (*around, kind)))
        if children:
            waiting.extend(reversed(children))
        else:
            # A boundary that never comes: the words are still there.
            out.append(Leaf("text/plain", params, (), content, (*around, kind)))
    return out


def _pieces(content: bytes, boundary: str) -> Iterator[bytes]:
    mark = boundary.strip().encode("utf-8", "replace")
    content = b"\n" + content
    if not mark or b"\n--" + mark not in content:
        found = _FIRST_BOUNDARY.match(content)
        if found is None:
            return
        mark = found[1]
    mark = b"\n--" + mark
    begin, at = -1, content.find(mark)
    while at >= 0:
        end = content.find(b"\n", at + len(mark))
        end = len(content) if end < 0 else end
        rest = content[at + len(mark) : end].strip()
        if rest in (b"", b"--"):
            if begin >= 0:
                yield content[begin:at]
            begin = end + 1
            if rest == b"--":
                return
            # The line end before the next mark belongs to that mark: look from this line's own end on.
            at = content.find(mark, end)
        else:
            at = content.find(mark, at + len(mark))
    if 0 <= begin < len(content):
        yield content[begin:]
