"""The real mails of public projects, kept beside the repository; skipped where they are absent (issue 4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbm.mail.explain import explain
from pbm.mail.letter import Kind, read_letter

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
HEAD = b"From: Bob <bob@example.org>\nTo: pbm@example.org\nSubject: Re: x\nMessage-ID: <a@b>\nMIME-Version: 1.0\n"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus is not here")


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def lines_of(kind: bytes, body: bytes) -> list[str]:
    read = explain(HEAD + b"Content-Type: text/" + kind + b"; charset=utf-8\n\n" + body, "x")
    assert read["kind"] == "mail"
    return squeezed(str(read["text"]))


def test_replies_give_all_new_lines_and_no_quoted_one() -> None:
    """Every new line out in at least 42 of 44, no quoted line in any. A forward's own text is never new (MAIL.md)."""
    missing = []
    for path in sorted((CORPUS / "replies").glob("*.txt")):
        wanted = squeezed(path.with_suffix(".expect").read_text(encoding="utf-8"))
        got = lines_of(b"plain", path.read_bytes().replace(b"\r\n", b"\n"))
        assert not [line for line in got if line not in wanted], path.name
        if [line for line in wanted if not line.startswith(">") and line not in got]:
            missing.append(path.name)
    assert missing in ([], ["forwarded_message.txt"])


def test_html_of_real_clients() -> None:
    for path in sorted((CORPUS / "html").glob("*.html")):
        assert lines_of(b"html", path.read_bytes().replace(b"\r\n", b"\n")) == ["Hi. I am fine.", "Thanks,", "Alex"], (
            path.name
        )


def test_real_bounces_are_bounces() -> None:
    for path in sorted((CORPUS / "bounces").glob("*.eml")):
        assert read_letter(path.read_bytes()).kind is Kind.BOUNCE, path.name
