"""The hard limits of a mail, checked on its raw bytes before anything is parsed (DESIGN.md, "Facts").

Everything behind this module works on bytes whose lines end in LF only, at most `READ` of them, without NUL and
without a lone CR: a lone CR or LF can forge a header line in one reader and not in another.
"""

from __future__ import annotations

MAX_MAIL = 10 * 1024 * 1024
"""Bytes of a whole mail."""
READ = 1024 * 1024
"""Bytes that are read of it: photos come last, words come first."""
MAX_HEAD = 128 * 1024
MAX_FIELD = 32 * 1024
MAX_PARTS = 200
MAX_DEPTH = 10
MAX_ADDRESSES = 50
MAX_LINES = 10_000
"""Lines of one body that are looked at; what a person writes is near the top or the end of far fewer."""


class Unreadable(Exception):
    """The mail is over a limit or broken in a way that readers disagree about; the argument is the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def plain_lines(raw: bytes) -> bytes:
    """The first `READ` bytes of a mail with LF line ends; a file that is all LF is taken as it is.

    Raises `Unreadable` for a mail that is too large, empty, has a NUL, a lone CR, or mixed line ends.
    """
    if len(raw) > MAX_MAIL:
        raise Unreadable("the mail is larger than 10 MB")
    data = raw[:READ]
    if len(raw) >= READ and data.endswith(b"\r"):
        data = data[:-1]
    if not data.strip():
        raise Unreadable("the mail is empty")
    if b"\0" in data:
        raise Unreadable("the mail contains a NUL byte")
    returns, feeds, pairs = data.count(b"\r"), data.count(b"\n"), data.count(b"\r\n")
    if returns != pairs:
        raise Unreadable("the mail contains a lone carriage return")
    if pairs and feeds != pairs:
        raise Unreadable("the mail mixes line ends")
    if pairs:
        data = data.replace(b"\r\n", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf")
