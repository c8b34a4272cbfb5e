"""kill -9 of the service at random moments of two games, and a restart each time: the same games as undisturbed."""

import itertools
import re
import sqlite3
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.servers.mailhost import MailHost
from tests.servers.players import Company, Received
from tests.servers.site import ARCHIVE, MODERATOR, SEED, Site, on_paper, orders_told, summaries, wait_for

KILLS = 15
# Long enough for a fast machine: each close takes 3 s at least, and the kills some 40 s in all.
OPTIONS = {"pot": 120, "replay_pot": 20}
GAMES = {
    "kill-1": {"alice": "p5@play.test", "bob": "p6@play.test"},
    "kill-2": {"carol": "p7@home.test", "dave": "p8@home.test"},
}
PEOPLE = {address: name for players in GAMES.values() for name, address in players.items()}


def _file(game: str) -> str:
    players = "".join(f"\n  - {{name: {name}, address: {address}}}" for name, address in GAMES[game].items())
    rules = f"game: dont_get_greedy\nid: {game}\noptions: {OPTIONS}\n"
    return f'{rules}seed: "{SEED}"\nplayers:{players}\ntiming: {{default: {{length: 10m}}}}\nreminders: []\n'


def _take(name: str, round_number: int, replay: int) -> int:
    return Random(f"{name} {round_number} {replay}").randint(2, 4)


def _order(name: str, mail: Received) -> str:
    found = re.search(r"\] (?:Game (\d+), )?[Rr]ound (\d+):", mail.subject)
    assert found is not None
    number = int(found[2])
    press = f"\nTELL ALL:\nThis is my word in round {number}.\nEND\n" if number % 2 else ""
    return f"TAKE {_take(name, number, int(found[1] or 1))}{press}"


def _undisturbed(names: tuple[str, ...]) -> tuple[list[dict[str, list[str]]], Any]:
    """The orders of each round, and how the game ends, on paper."""
    steps: list[dict[str, list[str]]] = []
    replay, number = 1, 0
    while True:
        number += 1
        steps.append({name: [f"TAKE {_take(name, number, replay)}"] for name in names})
        played = on_paper("dont_get_greedy", names, steps, **OPTIONS)
        if played["over"]:
            return steps, played
        if played["steps"][-1]["public"]["game"] > replay:
            replay, number = replay + 1, 0


@pytest.mark.servers
def test_a_service_killed_at_random_moments_plays_the_same_games(mail_servers: MailHost, tmp_path: Path) -> None:
    minds = {address: partial(_order, name) for address, name in PEOPLE.items()}
    chance = Random(20261129)
    with Site(tmp_path, mail_servers) as site, Company(mail_servers, minds, (ARCHIVE, MODERATOR)) as company:
        site.run("init")
        for game in GAMES:
            site.open(_file(game))
        site.serve()
        for n in range(KILLS):
            if n % 4:
                wait_for(site.is_serving, 60, "a service", site.log)
                time.sleep(chance.uniform(0.0, 2.2))
            else:  # while it starts
                time.sleep(chance.uniform(0.2, 1.0))
            site.kill()
            site.serve()
        assert not all(_over(company, game) for game in GAMES), "the games were over before the last kill"
        wait_for(lambda: all(_over(company, game) for game in GAMES), 120, "two ends", site.log)
        time.sleep(1)
        site.stop()
        shown = {game: site.json("game", "show", game) for game in GAMES}
        assert all(site.json("game", "replay", game)["same"] for game in GAMES)
        listed = site.json("mail", "list")
    assert not company.faults
    for game, players in GAMES.items():
        steps, played = _undisturbed(tuple(players))
        assert shown[game]["winners"] == played["winners"]
        assert shown[game]["public"] == played["steps"][-1]["public"]
        assert [orders_told(mail, list(players)) for mail in summaries(company.box(MODERATOR, game))] == steps
        _closed_once(tmp_path, game, len(steps))
        _told_once(company, game, len(steps))
        # No order was lost: each mail of a player was taken, once.
        taken = [m for m in listed if (m["direction"], m["game"], m["outcome"]) == ("in", game, "accepted")]
        assert len(taken) == len([sent for sent in company.sent if sent[0] in players.values()]) == 2 * len(steps)
    assert {m["outcome"] for m in listed} <= {"accepted", "dropped", "sent", "cancelled"}


def _over(company: Company, game: str) -> bool:
    return any("over" in mail.subject for mail in summaries(company.box(MODERATOR, game)))


def _closed_once(folder: Path, game: str, rounds: int) -> None:
    with sqlite3.connect(folder / "pbm.db") as database:
        query = "SELECT turn, kind, count(*) FROM action WHERE game_id = ? GROUP BY turn, kind"
        rows = database.execute(query, (game,)).fetchall()
    closes = [row for row in rows if row[1] == "close"]
    assert len(closes) == rounds
    assert all(count == 1 for _, _, count in closes)


def _told_once(company: Company, game: str, rounds: int) -> None:
    """Nobody got two different mails of one close; what came twice (at least once, recognisably) is the same bytes."""
    for address in (*GAMES[game].values(), ARCHIVE, MODERATOR):
        copies = defaultdict(list)
        for mail in company.boxes[address].mails:
            if mail.game == game:
                copies[mail.message_id].append(mail)
        for mails in copies.values():
            assert len({mail.body for mail in mails}) == 1
        told = [mail for mail in company.box(address, game) if mail.kind in ("round", "result", "digest", "summary")]
        assert len({mail.subject for mail in told}) == len(told)
        started = address != MODERATOR
        assert len(told) == rounds + started
        for early, late in itertools.pairwise(told):
            assert early.at <= late.at
    for address in GAMES[game].values():
        words = [mail.text for mail in company.box(address, game) if mail.kind.startswith("press")]
        assert [f"word in round {n}" in "".join(words) for n in (1, 3, 5)] == [True] * 3
        assert len(words) == len(set(words))
