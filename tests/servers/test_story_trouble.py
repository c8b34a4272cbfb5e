"""Servers that go away and come back, a service that sleeps over a deadline, addresses that don't exist."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.servers.door import Door
from tests.servers.mailhost import MailHost
from tests.servers.players import Mailbox, Received, answer
from tests.servers.site import ARCHIVE, BASE, MODERATOR, Site, wait_for

ALICE, BOB = "p11@play.test", "p12@home.test"
GAME = """
game: dont_get_greedy
id: {id}
players:
  - {{name: alice, address: {alice}}}
  - {{name: bob, address: {bob}}}
timing: {{default: {{length: 10m}}}}
"""
pytestmark = pytest.mark.servers


def _file(game: str, alice: str = ALICE, bob: str = BOB) -> str:
    return GAME.format(id=game, alice=alice, bob=bob)


class _Reader:
    """Somebody's mails of one game."""

    def __init__(self, host: MailHost, address: str, game: str) -> None:
        self.host, self.game, self._box = host, game, Mailbox(host, address)

    def mails(self, kind: str) -> list[Received]:
        self._box.look()
        return [mail for mail in self._box.mails if mail.game == self.game and mail.kind == kind]

    def wait(self, kind: str, count: int = 1, *, told: Callable[[], str] = str, seconds: float = 60) -> Received:
        """The newest mail of the kind, once there are so many."""
        wait_for(lambda: len(self.mails(kind)) >= count, seconds, f"{kind} {count} to {self._box.address}", told)
        return self.mails(kind)[-1]

    def answer(self, lines: str) -> None:
        """To the newest round mail; it is in the service's mailbox when this returns."""
        box = Mailbox(self.host, BASE)
        before = len(box.look())
        answer(self.host, self._box.address, self.mails("round")[-1], lines)
        wait_for(lambda: box.look() or len(box.mails) > before, 30, "the mail in the mailbox", self.host.log)
        box.close()


def _mails(site: Site, **wanted: str) -> list[Any]:
    return [row for row in site.json("mail", "list") if all(row[key] == value for key, value in wanted.items())]


def test_only_what_came_in_time_counts_when_the_service_sleeps_over_a_deadline(
    mail_servers: MailHost, tmp_path: Path
) -> None:
    """And `serve --once` reads, closes what is due, sends, and ends."""
    alice, bob, archive = (_Reader(mail_servers, address, "asleep-1") for address in (ALICE, BOB, ARCHIVE))
    with Site(tmp_path, mail_servers) as site:
        site.run("init")
        site.open(_file("asleep-1"))
        assert not alice.mails("round")
        site.run("serve", "--once")
        alice.wait("round")
        bob.wait("round")
        alice.answer("TAKE 4")
        site.run("game", "close", "asleep-1")
        time.sleep(1.1)
        bob.answer("TAKE 5")
        site.run("serve", "--once")
        shown = site.json("game", "show", "asleep-1")
        assert (shown["round"], shown["public"]["coins"]) == (2, {"alice": 4, "bob": 1})
        assert "bob sent nothing in time" in archive.wait("digest", 2).text
        assert "too late for Round 1" in " ".join(bob.wait("receipt").text.split())
        assert [row["outcome"] for row in _mails(site, direction="in", game="asleep-1")] == ["refused", "accepted"]
        assert not site.unsent()
        # Nothing is due now: it does nothing, and ends.
        listed = site.json("mail", "list")
        site.run("serve", "--once")
        assert site.json("mail", "list") == listed
        assert site.json("game", "replay", "asleep-1")["same"]


def test_servers_that_go_away_over_a_deadline(mail_servers: MailHost, tmp_path: Path) -> None:
    """IMAP away: the phase waits for the mailbox. SMTP away: mails wait, and go out later, the same bytes."""
    alice, bob, archive = (_Reader(mail_servers, address, "away-1") for address in (ALICE, BOB, ARCHIVE))
    with Door(mail_servers.imaps_port) as imap, Door(mail_servers.submission_port) as smtp:
        settings = {"imap": {"port": imap.port}, "smtp": {"port": smtp.port}}
        with Site(tmp_path, mail_servers, settings=settings) as site:
            site.run("init")
            site.open(_file("away-1"))
            site.serve()
            alice.wait("round", told=site.log)
            bob.wait("round", told=site.log)
            imap.shut()
            alice.answer("TAKE 2")
            site.run("game", "close", "away-1")
            # What the command has told goes out all the same.
            alice.wait("notice", told=site.log)
            bob.answer("TAKE 3")
            time.sleep(2)
            assert not _closed(site)
            smtp.shut()
            imap.open()
            wait_for(lambda: _closed(site), 60, "the close", site.log)
            query = "SELECT id, kind, content FROM outbox WHERE status = 'queued' AND tries > 0"
            wait_for(lambda: "digest" in {row[1] for row in site.rows(query)}, 30, "a try that fails", site.log)
            waiting = site.rows(query)
            smtp.open()
            digest = archive.wait("digest", 2, told=site.log)
            alice.wait("round", 2, told=site.log)
            wait_for(lambda: not site.unsent(), 60, "all sent", site.log)
            site.stop()
            shown = site.json("game", "show", "away-1")
            assert (shown["round"], shown["public"]["coins"]) == (2, {"alice": 2, "bob": 1})
            for number, _, content in waiting:
                assert site.rows("SELECT status, content FROM outbox WHERE id = ?", number) == [("sent", content)]
            assert digest.body.removeprefix(b"\r\n") in [content for _, kind, content in waiting if kind == "digest"]
            assert not site.rows("SELECT id FROM outbox WHERE status = 'failed'")


def _closed(site: Site) -> bool:
    return site.rows("SELECT status FROM turn WHERE n = 1") == [("closed",)]


def test_the_moderator_hears_of_addresses_that_do_not_exist(mail_servers: MailHost, tmp_path: Path) -> None:
    """Refused with 5xx, each is told once."""
    moderator = _Reader(mail_servers, MODERATOR, "nobody-1")
    with Site(tmp_path, mail_servers) as site:
        site.run("init")
        site.open(_file("nobody-1", "nobody@play.test", "bob@elsewhere.test"))
        site.run("serve", "--once")
        for name, address in (("alice", "nobody@play.test"), ("bob", "bob@elsewhere.test")):
            told = [mail for mail in moderator.mails("trouble") if address in mail.text]
            assert [f"A mail to {name}" in mail.text for mail in told] == [True]
        failed = {row["seat"]: row["reason"] for row in site.json("mail", "list", "--outcome", "failed")}
        assert {name: reason[0] for name, reason in failed.items()} == {"alice": "5", "bob": "5"}
        # Once the address is there the very same mail goes out.
        number = site.rows("SELECT id, content FROM outbox WHERE reader = 'alice' AND kind = 'round'")
        assert site.run("mail", "retry", f"out-{number[0][0]}")
        assert site.rows("SELECT id, content FROM outbox WHERE status = 'queued'") == number
