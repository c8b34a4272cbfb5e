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
# Not every Tontine calls the jury, or has a winner: the last two may kill each other. Of four, some do.
GAMES = {"thief": "point_thief", "bullet": "buy_the_bullet", **{f"tontine-{n}": "tontine" for n in range(1, 5)}}
PLAYERS = {"tontine": 8, "point_thief": 10, "buy_the_bullet": 10}
COSTLY = ("HIT", "PROTECT", "BRIBE", "SECRET")
LIMIT = 1800.0


@dataclass
class _Seat:
    """One player of one game; the mailbox is shared with the same person's other games."""

    writer: Writer
    mind: Mind
    reckless: bool = False
    sent: int = 0

    def react(self, host: MailHost, mail: Received) -> None:
        sheet = Sheet.read(mail.raw)
        if sheet.kind == "round":
            thought = self.mind.think(sheet)
            if self.reckless and not self.sent:
                # More than anybody can pay: it ends in jail (ruling T9).
                thought = Thought(tuple(line for line in sheet.offers if line.split()[0] in COSTLY))
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
            Writer(name, _address(n), list(PROGRAMS)[n % len(PROGRAMS)]),
            MINDS[key](name, Random(f"{game} {name}")),
            reckless=key == "tontine" and n < 2,
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
    assert {("jury",), ("vote",)} <= set(site.rows("SELECT DISTINCT phase FROM turn"))
    pledges = site.rows("SELECT count(*) FROM action WHERE game_id = 'bullet' AND kind = 'act'")
    assert pledges[0][0] > 0
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
