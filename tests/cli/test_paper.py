"""`pbm adjudicate` and `pbm explain` (SCENARIOS.md, MAIL.md): one JSON document a file, in the order given."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pbm.cli import main

SCENARIO = """
game: money_grab
seed: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
players: [ann, bøb]
steps:
  - orders: {ann: ["TAKE 1"], bøb: ["TAKE 99"]}
"""
MAIL = b"From: ann@example.org\nTo: pbm+abcdefghijklmnopqrstuvwxyz@example.org\nSubject: x\n\nTAKE 1\n\n> old\n"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, list[str], str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(args)
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out.splitlines(), err


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration and no database is needed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PBM_CONFIG", raising=False)
    Path("good.yaml").write_text(SCENARIO, encoding="utf-8")
    Path("bad.yaml").write_text("game: [")
    Path("deep.yaml").write_text("[" * 5000)
    Path("a.eml").write_bytes(MAIL)


def test_one_document_a_line_in_the_order_given(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines, err = run(capsys, "adjudicate", "good.yaml", "bad.yaml", "none.yaml", "deep.yaml", "good.yaml")
    assert (status, err) == (1, "")
    found = [json.loads(line) for line in lines]
    assert ["error" in shown for shown in found] == [False, True, True, True, False]
    assert found[0] == found[4]
    assert "bøb" in lines[0]
    assert found[0]["steps"][0]["refused"][0]["player"] == "bøb"


def test_good_files_alone_are_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "adjudicate", "good.yaml")[0] == 0


def test_pretty_indents(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines, _ = run(capsys, "adjudicate", "--pretty", "good.yaml")
    assert status == 0
    assert len(lines) > 20
    assert json.loads("\n".join(lines))["game"] == "money_grab"


def test_a_folder_and_binary_rubbish_are_errors(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "rubbish.yaml").write_bytes(bytes(range(256)))
    (tmp_path / "half.yaml").write_text(SCENARIO.replace("ann", '"a\\ud800n"').replace("[bøb]", "x"))
    status, lines, _ = run(capsys, "adjudicate", str(tmp_path), "rubbish.yaml", "half.yaml")
    assert status == 1
    assert len(lines) == 3
    assert all("error" in json.loads(line) for line in lines[:2])


def test_explain_needs_nothing_and_goes_on_behind_a_file_that_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines, _ = run(capsys, "explain", "none.eml", "a.eml")
    assert status == 1
    missing, found = (json.loads(line) for line in lines)
    assert missing.keys() == {"file", "error"}
    assert found["file"] == "a.eml"
    assert (found["kind"], found["from"], found["token"]) == (
        "mail",
        "ann@example.org",
        "abcdefghijklmnopqrstuvwxyz",
    )
    assert found["lines"] == ["TAKE 1"]
    assert run(capsys, "explain", "a.eml", "--sent", "a.eml")[0] == 0
    assert run(capsys, "explain", "a.eml", "--sent", "none.eml")[0] == 1


def test_a_reader_who_goes_away_is_no_traceback(tmp_path: Path) -> None:
    """`pbm adjudicate … | head -1`."""
    command = [sys.executable, "-m", "pbm", "adjudicate", *["good.yaml"] * 200]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=_env()) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 1


def test_paper_and_help_load_nothing_of_the_service() -> None:
    """They have to start quickly: no database, no mail, no scheduler."""
    code = (
        "import sys, pbm.cli, pbm.paper\n"
        "heavy = ('peewee', 'aioimaplib', 'aiosmtplib', 'apscheduler', 'jinja2', 'structlog', 'icalendar', 'lxml')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_env())
    assert found.stdout.strip() == "[]"


def _env() -> dict[str, str]:
    import os

    root = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": root}
