"""Issue: a whole game over real mail. Both coin games at once, from the invitation to the winner, in real time."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.mailhost import MailHost
from tests.servers.players import Company, Mind, Received
from tests.servers.site import ARCHIVE, MODERATOR, SEED, Site, on_paper, orders_told, summaries, wait_for

GRAB = f"""
game: money_grab
id: real-grab
title: Grab in earnest
seed: "{SEED}"
players:
  - {{name: alice, address: p1@play.test, timezone: Europe/Berlin}}
  - {{name: bob, address: p2@home.test}}
timing: {{default: {{length: 5m}}}}
"""
GREEDY = f"""
game: dont_get_greedy
id: real-greedy
seed: "{SEED}"
options: {{pot: 60, replay_pot: 10}}
players:
  - {{name: carol, address: p3@play.test}}
  - {{name: dave, address: p4@home.test}}
timing: {{default: {{length: 7s}}}}
reminders: [3s]
"""


def _most(mail: Received) -> int:
    return max(int(number) for number in re.findall(r"\(TAKE (\d+)\)", mail.text.partition("== How things")[0]))


def _all_of_it(mail: Received) -> str:
    return f"TAKE {_most(mail)}"


def _shy_at_first() -> Mind:
    """One coin less in the first round of a bout, then as much as there is: this one loses every bout."""
    return lambda mail: f"take {_most(mail) - ('set 1, round 1:' in mail.subject)}."


def _forgetful(kind: int) -> Mind:
    """Sends nothing in round 3 (ruling D1), and a number that isn't allowed in round 2, which is put right."""

    def mind(mail: Received) -> str | None:
        found = re.search(r"[Rr]ound (\d+):", mail.subject)
        assert found is not None
        number = int(found[1])
        if number == 3:
            return None
        return f"Hello,\n\nTAKE 7\nTAKE {kind}" if number == 2 else f"TAKE {1 + (number * kind) % 5}"

    return mind


@pytest.mark.servers
def test_both_coin_games_are_played_to_their_winners(mail_servers: MailHost, tmp_path: Path) -> None:
    minds: dict[str, Mind] = {
        "p1@play.test": _all_of_it,
        "p2@home.test": _shy_at_first(),
        "p3@play.test": _forgetful(3),
        "p4@home.test": lambda mail: f"> TAKE 5\n\n* TAKE {1 + len(mail.subject) % 4}\n\n-- \nDave",
    }
    everybody = {"real-grab": ("alice", "bob"), "real-greedy": ("carol", "dave")}
    with Site(tmp_path, mail_servers) as site, Company(mail_servers, minds, (ARCHIVE, MODERATOR)) as company:
        site.run("init")
        assert "FAULT" not in site.run("check")
        site.open(GRAB)
        site.open(GREEDY, start=False)
        site.run("game", "start", "real-greedy")
        site.serve()
        # The end is the only result that a player of these games gets; the last mail of each close is the summary.
        wait_for(lambda: all(_told_the_end(company, game) for game in everybody), 150, "two ends", site.log)
        site.stop()
        shown = {game: site.json("game", "show", game) for game in everybody}
        for game in everybody:
            assert not [turn for turn in site.json("game", "replay", game)["turns"] if turn["differences"]]
        mails = site.json("mail", "list")
        if company.faults:
            raise company.faults[0]
    assert {m["outcome"] for m in mails if m["direction"] == "out"} <= {"sent", "cancelled"}
    assert not [m for m in mails if m["outcome"] == "shunted"]
    for game, names in everybody.items():
        _check(company, game, names, shown[game])
    grab = Counter(mail.kind for mail in company.box("p1@play.test", "real-grab"))
    rounds = len(summaries(company.box(MODERATOR, "real-grab")))
    assert grab == {"round": rounds, "receipt": rounds, "result": 1}
    invited = [*company.box("p3@play.test", "real-greedy", "invitation"), *company.box(ARCHIVE, None, "invitation")]
    assert [m.game for m in invited] == ["real-greedy"] * 2
    for address in company.boxes:
        for mail in company.box(address):
            assert mail.text, mail.subject
            assert mail.html, mail.subject
            assert b"\r\nAuto-Submitted: auto-" in mail.raw
    # Who had nothing in was reminded, and nobody else; the moderator heard who was missing.
    assert [m.subject for m in company.box("p3@play.test", "real-greedy", "reminder")]
    assert any("1 missing" in m.subject for m in company.box(MODERATOR, "real-greedy", "summary"))
    refusals = [m for m in company.box("p3@play.test", "real-greedy", "receipt") if m.text.startswith("!!")]
    assert any("TAKE 7" in m.text for m in refusals)


def _told_the_end(company: Company, game: str) -> list[Received]:
    return [mail for mail in summaries(company.box(MODERATOR, game)) if "over" in mail.subject]


def _check(company: Company, game: str, names: tuple[str, str], shown: dict[str, object]) -> None:
    closes = summaries(company.box(MODERATOR, game))
    steps = [orders_told(mail, names) for mail in closes]
    rules = {"real-grab": "money_grab", "real-greedy": "dont_get_greedy"}[game]
    options = {"pot": 60, "replay_pot": 10} if rules == "dont_get_greedy" else {}
    played = on_paper(rules, names, steps, **options)
    assert played["over"]
    assert played["winners"] == shown["winners"]
    assert played["steps"][-1]["public"] == shown["public"]
    # One thread: every digest, each once, all below the first mail.
    everything = company.box(ARCHIVE, game)
    (root,) = (m for m in everything if not m.references)
    assert {m.references[0] for m in everything if m is not root} == {root.message_id}
    thread = [m for m in everything if m.kind == "digest"]
    assert len(thread) == len(closes) + 1
    labels = [m.subject.partition("Summary: ")[2].partition(" has closed")[0] for m in closes[:-1]]
    assert [m.subject for m in thread[1:-1]] == [f"[{game}] {label} results" for label in labels]
    assert [SEED in m.text for m in everything] == [False] * (len(everything) - 1) + [True]
