"""Whole games over real SMTP and IMAP on the embedded server, in fast time."""

import contextlib
import imaplib
import io
import mailbox
import re
import smtplib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
import yaml

from pbm.demo import cast, play
from pbm.demo.files import check
from pbm.store import db
from pbm.store.models import Game, Mail, Outbox, Turn, database


@dataclass(frozen=True)
class Played:
    folder: Path
    shown: str


def played(key: str, folder: Path, seed: int) -> Played:
    """A demo of this rule set, and what it has printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert play.run(key, keep=folder, seed=seed) == play.DONE
    return Played(folder, out.getvalue())


@pytest.fixture(scope="module")
def greedy(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Don't Get Greedy, played once for several tests."""
    return played("dont_get_greedy", tmp_path_factory.mktemp("demo"), 7)


@contextlib.contextmanager
def database_of(game: Played) -> Iterator[None]:
    db.connect(f"sqlite:///{game.folder}/pbm.db")
    try:
        yield
    finally:
        database.close()


def _look_at(game: Played) -> None:
    assert re.search(r"^(Alice|Bruno) wins (Money Grab|Don't Get Greedy)\.$", game.shown, re.MULTILINE)
    assert "same game, and the archive is one thread" in game.shown
    assert "\x1b" not in game.shown, "colours in a pipe"
    assert str(game.folder / "archive.mbox") in game.shown

    archive = list(mailbox.mbox(game.folder / "archive.mbox"))
    digests = [post for post in archive if post["X-PBM"] == "digest"]
    with database_of(game):
        row = Game.get()
        assert row.status == "over"
        assert f"{row.winners[0]} wins" in game.shown
        assert len(digests) == Turn.select().where(Turn.status == "closed").count() + 1
        assert "is over" in str(digests[-1]["Subject"])
        assert Outbox.select().where(Outbox.status == "queued").count() == 0
        assert {mail.outcome for mail in Mail.select()} <= {"accepted", "refused"}
        # Every mail that was sent to a player lies in that player's mailbox.
        alice = list(mailbox.mbox(game.folder / "alice.mbox"))
        assert len(alice) == Outbox.select().where(Outbox.recipient == cast.address("Alice")).count()
    assert list(mailbox.mbox(game.folder / "moderator.mbox"))
    assert yaml.safe_load((game.folder / "config.yaml").read_text())["database"] == "sqlite:///pbm.db"


def test_a_whole_game_of_dont_get_greedy(greedy: Played) -> None:
    _look_at(greedy)


def test_a_whole_match_of_money_grab(tmp_path: Path) -> None:
    _look_at(played("money_grab", tmp_path, 7))


def test_equal_seeds_play_equal_games(greedy: Played, tmp_path: Path) -> None:
    """But for ports, folders, and how long it took."""

    def lines(shown: str) -> list[str]:
        return [line for line in shown.splitlines() if not re.search(r"\d seconds|port \d|/", line)]

    assert lines(played("dont_get_greedy", tmp_path, 7).shown) == lines(greedy.shown)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"game": "money_grab", "players": 3}, "is for 2 players, not 3"),
        ({"game": "tontine", "players": 2}, "is for 3 or more players, not 2"),
        ({"players": 4}, "--players needs --game"),
        ({"game": "money_grab", "join": "TELL"}, "--join TELL: “tell” is a word of the orders"),
        ({"join": "a/b"}, "--join a/b: a name has letters"),
    ],
)
def test_what_cannot_be_played_is_refused_and_leaves_nothing(
    wrong: dict[str, Any], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play.run(**wrong, keep=tmp_path / "new") == play.WRONG
    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_game_in_it_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pbm.db").write_bytes(b"mine")
    assert play.run("money_grab", keep=tmp_path) == play.WRONG
    assert (tmp_path / "pbm.db").read_bytes() == b"mine"
    assert "holds a game already" in capsys.readouterr().err


def test_an_archive_that_is_no_thread_is_told(greedy: Played) -> None:
    posts = [post.as_bytes() for post in mailbox.mbox(greedy.folder / "archive.mbox")]
    stray = posts[-1].replace(b"\nReferences: ", b"\nX-Was: ")
    with database_of(greedy):
        assert check("dont-get-greedy-demo", posts, ()).faults == ()
        [fault] = check("dont-get-greedy-demo", [*posts[:-1], stray], ()).faults
        assert "not in the archive's thread" in fault
        [fault] = check("dont-get-greedy-demo", posts[:-1], ()).faults
        assert "digests" in fault
        assert check("dont-get-greedy-demo", posts, ("odd",)).faults == ("odd",)


class Guest(threading.Thread):
    """A person with a mail program, who answers every round mail by plain smtplib and imaplib."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(daemon=True)
        self._capsys = capsys
        self.answered = 0
        self.account: dict[str, str] = {}
        self.shown = ""

    def run(self) -> None:
        deadline = time.monotonic() + 30
        while "SMTP" not in self.account and time.monotonic() < deadline:
            self.shown += self._capsys.readouterr().out
            self.account = dict(re.findall(r"^  (address, user|password|IMAP|SMTP) +(\S.*)$", self.shown, re.MULTILINE))
            time.sleep(0.05)
        try:
            self._play()
        except (OSError, imaplib.IMAP4.error, smtplib.SMTPException):
            return  # the demo has ended

    def _play(self) -> None:
        user, password = self.account["address, user"], self.account["password"]
        seen: set[str] = set()
        imap = imaplib.IMAP4("127.0.0.1", _port(self.account["IMAP"]), timeout=10)
        imap.login(user, password)
        while True:
            imap.select("INBOX")
            for number in imap.search(None, "ALL")[1][0].split():
                head = imap.fetch(number, "(BODY.PEEK[HEADER])")[1][0]
                assert isinstance(head, tuple)
                found = re.search(rb"^Reply-To: (\S+)", head[1], re.MULTILINE)
                if b"X-PBM: round" in head[1] and found and found[1].decode() not in seen:
                    seen.add(found[1].decode())
                    self._answer(user, password, found[1].decode())
            time.sleep(0.05)

    def _answer(self, user: str, password: str, to: str) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = user, to, "my order"
        mail["Message-ID"] = f"<{self.answered}@guest.example>"
        mail.set_content("TAKE 5")
        with smtplib.SMTP("127.0.0.1", _port(self.account["SMTP"]), timeout=10) as smtp:
            smtp.login(user, password)
            smtp.send_message(mail)
        self.answered += 1


def _port(text: str) -> int:
    found = re.search(r"port (\d+)", text)
    assert found
    return int(found[1])


def test_a_person_joins_with_a_mail_program_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guest = Guest(capsys)
    guest.start()
    assert play.run("dont_get_greedy", keep=tmp_path, seed=2, join="Maria") == play.DONE
    guest.join(timeout=5)
    shown = guest.shown + capsys.readouterr().out
    assert "the game waits for Maria" in shown
    assert shown.count("Maria  has written") == guest.answered
    with database_of(Played(tmp_path, shown)):
        assert guest.answered == Turn.select().where(Turn.status == "closed").count()
        assert all(
            5 in (take for e in turn.events if e["type"] == "takes" for take in e["takes"].values())
            for turn in Turn.select()
        )
        assert (tmp_path / "maria.mbox").exists()
