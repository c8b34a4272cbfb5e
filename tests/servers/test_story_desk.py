"""A moderator at work over real servers: a word without proof that is asked back, more time, an announcement, a close
by mistake and its undo, a key of before that lives again."""

from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from tests.servers.mailhost import MailHost
from tests.servers.players import Mailbox, Received, answer, deliver
from tests.servers.site import ARCHIVE, BASE, MODERATOR, Site, wait_for

ALICE, BOB = "p11@play.test", "p12@home.test"
GAME = f"""
game: dont_get_greedy
id: desk-1
players:
  - {{name: alice, address: {ALICE}}}
  - {{name: bob, address: {BOB}}}
timing: {{default: {{length: 2h}}}}
"""
pytestmark = pytest.mark.servers


class _Person:
    """Somebody's mails of this game, and what they write."""

    def __init__(self, site: Site, address: str) -> None:
        self.site, self.address = site, address
        self._box = Mailbox(site.host, address)

    def mails(self, *kinds: str) -> list[Received]:
        self._box.look()
        return [mail for mail in self._box.mails if mail.game == "desk-1" and mail.kind in kinds]

    def wait(self, kind: str, text: str) -> Received:
        """The newest mail of the kind that says so, in its subject or its text."""

        def found() -> list[Received]:
            return [m for m in self.mails(kind) if text in m.subject or text in " ".join(m.text.split())]

        wait_for(found, 30, f"{kind} with {text!r} to {self.address}", self.site.log)
        return found()[-1]

    def reply(self, parent: Received, lines: str) -> Received:
        """Write, and read the receipt or the question that comes back."""
        before = len(self.mails("receipt", "question"))
        answer(self.site.host, self.address, parent, lines)
        wait_for(lambda: len(self.mails("receipt", "question")) > before, 30, f"an answer to {lines!r}", self.site.log)
        return self.mails("receipt", "question")[-1]


def _words(mail: Received) -> str:
    return " ".join(mail.text.split())


def test_a_moderator_extends_announces_closes_and_undoes_by_mail(mail_servers: MailHost, tmp_path: Path) -> None:
    with Site(tmp_path, mail_servers) as site:
        site.run("init")
        site.open(GAME)
        site.serve()
        alice, bob, archive, moderator = (_Person(site, address) for address in (ALICE, BOB, ARCHIVE, MODERATOR))
        first = bob.wait("round", "Round 1")
        alice.wait("round", "Round 1")
        deadline = site.json("game", "show", "desk-1")["deadline"]

        # Nothing proves this mail to be the moderator's: it is asked back, and done when they say so.
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"], mail["Subject"] = MODERATOR, BASE, "[desk-1] take your time"
        mail["Message-ID"] = "<first@mod.example>"
        mail.set_content("EXTEND 24h\n")
        deliver(mail_servers, MODERATOR, BASE, mail.as_bytes())
        question = moderator.wait("question", "(EXTEND 24h)")
        assert site.json("game", "show", "desk-1")["deadline"] == deadline
        receipt = moderator.reply(question, "Yes, that was me.")
        assert "Round 1 is open until" in _words(receipt)
        moved = site.json("game", "show", "desk-1")["deadline"]
        assert moved > deadline
        alice.wait("notice", "More time")

        assert "goes to the list" in _words(moderator.reply(receipt, "ANNOUNCE: Mind the pot.\nIt is deep.\nEND"))
        for person in (archive, alice, bob):
            assert "Mind the pot." in person.wait("notice", "A word from the moderator").text

        # A close by mistake: bob hadn't written yet. The summary's answer takes it back.
        assert "(TAKE 2)" in alice.reply(alice.wait("round", "Round 1"), "TAKE 2").text
        assert "closes now" in _words(moderator.reply(receipt, "CLOSE"))
        summary = moderator.wait("summary", "Round 1 has closed")
        assert "Missed: bob" in _words(summary)
        alice.wait("round", "Round 2")
        refused = moderator.reply(receipt, "HOLD")
        assert "Too late for Round 1" in _words(refused)
        question = moderator.reply(summary, "UNDO")
        assert "Round 1 is open again" in _words(question)
        assert "is withdrawn" in _words(moderator.reply(question, "yes"))
        archive.wait("notice", "Round 1 is open again")
        assert site.json("game", "show", "desk-1")["status"] == "paused"

        # Keys of before live again; what alice had sent is in.
        assert "is open until" in _words(moderator.reply(receipt, "RESUME"))
        assert "(TAKE 3)" in bob.reply(first, "TAKE 3").text
        alice.wait("round", "Round 2")
        wait_for(lambda: site.json("game", "show", "desk-1")["round"] == 2, 30, "round 2", site.log)
        shown = site.json("game", "show", "desk-1")
        assert shown["public"]["coins"] == {"alice": 2, "bob": 3}
        wait_for(lambda: not site.unsent(), 30, "all sent", site.log)
        site.stop()
        assert site.json("game", "replay", "desk-1")["same"]
