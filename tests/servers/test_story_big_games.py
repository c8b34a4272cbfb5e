"""The three larger games at once over real servers, played by demo players who know nothing but their mails."""

import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
import yaml

from pbm.demo.mailer import PROGRAMS, Writer
from pbm.demo.minds import MINDS, Mind, Thought
from pbm.demo.sheet import Sheet
from tests.servers.mailhost import MailHost
from tests.servers.players import Mailbox, Received, deliver
from tests.servers.site import ARCHIVE, BASE, MODERATOR, SEED, Site, summaries

NAMES = ("Alice", "Bruno", "Chidi", "Daphne", "Emil", "Fatima", "Günther", "Hanako", "Ines", "Jorge")
# The last two of a Tontine may kill each other (nobody wins then): one of three will have a winner.
GAMES = {"big-1": "tontine", "big-2": "tontine", "big-3": "tontine", "big-4": "point_thief", "big-5": "buy_the_bullet"}
PLAYERS = {"tontine": 8, "point_thief": 10, "buy_the_bullet": 10}
LIMIT = 1800.0


@dataclass
class _Seat:
    """One player of one game; the mailbox is shared with the same person's other games."""

    writer: Writer
    mind: Mind
    sent: int = 0

    def react(self, host: MailHost, mail: Received) -> None:
        sheet = Sheet.read(mail.raw)
        if sheet.kind == "round":
            thought = self.mind.think(sheet)
        elif sheet.kind == "question":
            thought = Thought(words=("Yes, that is what I mean.",))
        else:
            thought = self.mind.hear(sheet) if sheet.kind not in ("receipt", "reminder") else Thought()
        if not thought:
            return
        self.sent += 1
        lines = (*thought.orders, "", *thought.words)
        raw = self.writer.reply(sheet, lines, int(time.time()), self.sent)
        deliver(host, self.writer.address, sheet.reply_to or BASE, raw)


def _file(game: str) -> str:
    players = [{"name": name, "address": _address(n)} for n, name in enumerate(_names(game))]
    timing = {"default": {"length": "60s", "min": "0m"}}
    data = {"game": GAMES[game], "id": game, "seed": SEED, "players": players, "timing": timing, "reminders": []}
    return yaml.safe_dump(data, allow_unicode=True)


def _names(game: str) -> tuple[str, ...]:
    return NAMES[: PLAYERS[GAMES[game]]]


def _address(n: int) -> str:
    return f"p{n + 1}@{('play.test', 'home.test')[n % 2]}"


@pytest.mark.servers
@pytest.mark.slow
def test_the_three_larger_games_are_played_to_their_winners(mail_servers: MailHost, tmp_path: Path) -> None:
    seats = {
        (_address(n), game): _Seat(
            Writer(name, _address(n), list(PROGRAMS)[n % len(PROGRAMS)]), MINDS[key](name, Random(f"{game} {name}"))
        )
        for game, key in GAMES.items()
        for n, name in enumerate(_names(game))
    }
    boxes = {address: Mailbox(mail_servers, address) for address, _ in seats}
    public, moderator = Mailbox(mail_servers, ARCHIVE), Mailbox(mail_servers, MODERATOR)
    for box in (*boxes.values(), public, moderator):
        box.empty()
    with Site(tmp_path, mail_servers) as site:
        site.run("init")
        for game in GAMES:
            site.open(_file(game))
        site.serve()
        end = time.monotonic() + LIMIT
        while _over(site) < len(GAMES):
            assert time.monotonic() < end, site.log()
            for address, box in boxes.items():
                for mail in box.look():
                    if (address, mail.game) in seats:
                        seats[address, mail.game].react(mail_servers, mail)
            time.sleep(0.2)
        while site.unsent():
            assert time.monotonic() < end, site.log()
            time.sleep(0.2)
        site.stop()
        winners = {game: site.json("game", "show", game)["winners"] for game in GAMES}
        for game in GAMES:
            assert site.json("game", "replay", game)["same"], game
        assert not [row for row in site.json("mail", "list") if row["outcome"] in ("new", "shunted", "failed")]
    assert {GAMES[game] for game, names in winners.items() if names} == set(PLAYERS), winners
    phases = set(site.rows("SELECT DISTINCT phase FROM turn"))
    assert {("jury",), ("pledge",), ("vote",)} <= phases
    for box in (public, moderator, *boxes.values()):
        box.look()
        box.close()
    for game in GAMES:
        closed = site.rows("SELECT count(*) FROM turn WHERE game_id = ? AND status = 'closed'", game)[0][0]
        thread = [mail for mail in public.mails if mail.game == game]
        assert [mail.kind for mail in thread].count("digest") == closed + 1
        (root,) = (mail for mail in thread if not mail.references)
        assert {mail.references[0] for mail in thread if mail is not root} == {root.message_id}
        assert len(summaries([mail for mail in moderator.mails if mail.game == game])) == closed


def _over(site: Site) -> int:
    return int(site.rows("SELECT count(*) FROM game WHERE status = 'over'")[0][0])
