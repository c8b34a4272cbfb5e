"""Every mail of `tests/mails` comes out as the JSON file beside it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbm.mail.bounce import bounced
from pbm.mail.explain import explain
from pbm.mail.letter import read_letter
from pbm.mail.reply import new_text

FOLDER = Path(__file__).parents[1] / "mails"
MAILS = sorted(FOLDER.glob("*.eml"))


def expectation(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return loaded


def test_the_corpus_is_large_enough() -> None:
    """Issue 4: at least 150 mails, each with what must come out."""
    assert len(MAILS) >= 150
    assert all(path.with_suffix(".json").exists() for path in MAILS)


@pytest.mark.parametrize("path", MAILS, ids=lambda path: path.stem)
def test_mail_is_read_as_expected(path: Path) -> None:
    expected = expectation(path)
    raw = path.read_bytes()
    sent = [(FOLDER / name).read_bytes() for name in expected.get("sent", ())]
    orders = set(expected.get("parses", ()))
    read = explain(raw, path.name, sent, (lambda line: line.strip() in orders) if orders else None)
    assert read["kind"] == expected["kind"]
    assert read["from"] == expected["from"]
    assert read["token"] == expected["token"]
    assert read["lines"] == expected["lines"]
    assert ("reason" in read) == (expected["kind"] == "refused")
    if "doubtful" in expected:
        lines = new_text(read_letter(raw), sent).lines
        assert [line.text for line in lines if line.doubtful] == expected["doubtful"]
    if "bounce" in expected:
        report = bounced(raw, read_letter(raw))
        assert report is not None
        assert list(report.addresses) == expected["bounce"]["addresses"]
        assert report.permanent == expected["bounce"]["permanent"]
        assert report.original_id == expected["bounce"]["original_id"]
        assert report.token == expected["bounce"]["token"]
