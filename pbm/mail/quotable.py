"""What a reply may quote of a mail of ours, read in a tenth of the time that a stranger's mail takes."""

import html
import re
from binascii import a2b_qp

_PART = re.compile(
    rb"\r\n(--[!-~]+)\r\nContent-Type: text/(plain|html); charset=[!-~]+\r\nContent-Transfer-Encoding: ([!-~]+)\r\n\r\n"
)
_HEAD = re.compile(r".*?<body[^>]*>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NO_LETTER = re.compile(r"[\W_]+")


def bodies_of(raw: bytes) -> list[str]:
    """The bodies of a mail that `compose.build` made, as words in their order: the text, and the HTML only where it
    says something else (a table that is too wide for the text). Nothing of any other mail."""
    found: dict[bytes, str] = {}
    for part in _PART.finditer(raw):
        boundary, kind, encoding = part.groups()
        data = raw[part.end() : raw.find(b"\r\n" + boundary, part.end())]
        found[kind] = (a2b_qp(data) if encoding == b"quoted-printable" else data).decode("utf-8", "replace")
    text = found.get(b"plain", "")
    page = html.unescape(_TAG.sub(" ", _HEAD.sub("", found.get(b"html", ""), count=1)))
    return [body for body in (text, page if _letters(page) != _letters(text) else "") if body]


def _letters(body: str) -> str:
    return _NO_LETTER.sub("", body)
