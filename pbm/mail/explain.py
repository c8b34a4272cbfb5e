"""`pbm explain`: what is read from a mail on paper, without a database or a configuration (MAIL.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbm.mail.letter import Kind, find_token, read_letter
from pbm.mail.reply import NewText, new_text


def explain(
    raw: bytes, name: str, sent: Sequence[bytes] = (), parses: Callable[[str], bool] | None = None
) -> dict[str, object]:
    """The JSON object for the mail `raw` of the file `name`; `sent` are mails of ours in that thread. Never raises."""
    letter = read_letter(raw)
    read = letter.kind in (Kind.MAIL, Kind.LIST)
    written = new_text(letter, sent, parses=parses) if read else NewText()
    out: dict[str, object] = {
        "file": name,
        "kind": letter.kind.value,
        "from": letter.sender,
        "token": find_token(letter, None),
        "text": written.text,
        "lines": [line.text for line in written.lines],
    }
    if letter.refused is not None:
        out["reason"] = letter.refused
    return out
