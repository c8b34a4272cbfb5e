"""Tontine's texts: what a reader is told, and why. That all of them render, and that none reads as an order, is seen to
by the suite of all rule sets."""

from typing import Any

import pytest

from pbm.core import play
from pbm.core.draw import Draw
from pbm.core.engine import Json, Step
from pbm.core.orders import Read, read_line
from pbm.games.tontine import GAME, TontineOptions
from pbm.mail.markup import parse, to_text
from pbm.mail.templates import Templates

DRAW = Draw(bytes(range(32)))
TEMPLATES = Templates()
SEATS = ("alice", "bob", "carol", "dave", "erin")


def table(options: Json | None = None, **players: Json) -> Json:
    chosen = TontineOptions.model_validate({"assassins": ["Ash", "Bee", "Cid", "Dot", "Elk"], **(options or {})})
    state = GAME.start(SEATS, chosen, DRAW).state
    for name, values in players.items():
        state["players"][name] |= values
    return state


def close(state: Json, **mails: list[str]) -> Step:
    standing = {}
    for seat, lines in mails.items():
        view = GAME.view(state, seat)
        reads = [read_line(line, GAME.grammar(view), near=False) for line in lines]
        orders = [order for read in reads if isinstance(read, Read) for order in read.orders]
        standing[seat] = play.check(GAME, view, seat, orders).standing
    return GAME.close(state, standing, DRAW)


def text(name: str, **values: Any) -> str:
    return " ".join(to_text(parse(TEMPLATES.render(f"tontine/{name}.txt", values))).split())


def story(step: Step, kind: str, reader: str | None) -> list[str]:
    view = GAME.view(step.state, reader)
    return [
        text(kind, event={"type": kind, **event.data}, reader=reader, view=view)
        for event in step.events
        if event.type == kind and event.seen_by(reader)
    ]


def you(step: Step, reader: str) -> str:
    return text("you", view=GAME.view(step.state, reader), reader=reader)


def ask(state: Json, reader: str | None) -> str:
    return text("phase", view=GAME.view(state, reader), reader=reader, forms=())


def test_T3_T5_hits_and_protections_name_assassins_owners_and_targets() -> None:
    state = table(alice={"tokens": 2}, bob={"life": 2})
    step = close(state, alice=["PROTECT carol"], bob=["HIT carol"], dave=["HIT erin"])
    assert story(step, "hit", None) == [
        "Bee (bob’s assassin) came for carol with a strength of 2, and was stopped (rule T5).",
        "erin was hit by Dot (dave’s assassin) with a strength of 1 (rule T3).",
    ]
    assert story(step, "hit", "erin")[1] == "You were hit by Dot (dave’s assassin) with a strength of 1 (rule T3)."
    assert story(step, "protection", "alice") == ["Ash (your own assassin) stood guard over carol (rule T5)."]


def test_T4_T7_T9_a_player_is_told_what_became_of_each_order() -> None:
    state = table(alice={"life": 1}, carol={"tokens": 2})
    step = close(
        state, bob=["HIT alice", "PROTECT bob"], carol=["PROTECT carol", "HIT alice", "SECRET BRIBE Dot HIT bob"]
    )
    assert you(step, "bob").startswith(
        "Your purse in round 1: you began with 1 token, received a dividend of 2, and now have 0 tokens. "
        "* (HIT alice) for 1 token: paid at once, in the first wave (rule T4). "
        "* (PROTECT bob) for 2 tokens: on credit at first, then paid out of the dividend, in the second wave (rule T7)."
    )
    told = you(step, "carol")
    assert "(HIT alice) for 1 token: lapsed and cost nothing" in told
    assert (
        "(SECRET BRIBE Dot HIT bob) for 5 tokens: never paid, and that is what you are in jail for (rule T9)." in told
    )
    assert told.endswith("You are in jail, without tokens.")
    assert story(step, "jailed", "carol")[0].startswith("You are in jail:")
    assert you(step, "alice").endswith("You are dead; you died with 1 token.")


def test_T6_the_dividend_is_told_to_all_and_its_heirs_know_it() -> None:
    step = close(table(alice={"life": 1}), bob=["HIT alice"])
    assert story(step, "dividend", "carol")[0].endswith("You are among them.")
    assert not story(step, "dividend", "alice")[0].endswith("You are among them.")
    assert story(step, "death", "alice")[0].startswith("You are dead, with no life left.")
    assert "The next round with a death pays 3 tokens" in text(
        "standing", view=GAME.view(step.state, None), reader=None
    )


def test_T10_T11_whispers_go_to_payer_and_owner() -> None:
    step = close(table(bob={"tokens": 3}), alice=["BLACKMAIL"], bob=["BRIBE Ash HIT carol"])
    assert story(step, "bribe_told", "alice") == [
        "Ash whispers to you: the open bribe against carol was paid by bob (rule T11). Nothing came of it, since you "
        "kept Ash quiet in this round (rule T10)."
    ]
    assert story(step, "bribe_refused", "bob") == [
        "Ash (alice’s assassin) took your bribe against carol but did nothing in this round. What you paid is gone all "
        "the same (rule T10)."
    ]
    assert "Ash did nothing in that round, as you had seen to" in you(step, "alice")
    for reader in ("carol", None):
        assert story(step, "bribe_told", reader) == story(step, "bribe_refused", reader) == []


def test_T12_what_a_miss_did_and_what_the_next_one_would_do() -> None:
    state = table(alice={"misses": 0}, bob={"misses": 1, "tokens": 4}, carol={"misses": 1, "tokens": 0})
    step = close(state, dave=["PASS"], erin=["PASS"])
    assert "The first time nothing is done for you" in story(step, "missed", "alice")[0]
    assert "all your tokens were taken for one payment" in story(step, "missed", "bob")[0]
    assert "so nothing was done" in story(step, "missed", "carol")[0]
    assert "began with 4 tokens, lost 1, and now have 0 tokens. * (BRIBE Bee HIT " in you(step, "bob")
    assert "The first time that has no consequence" in ask(state, "dave")
    assert "all your tokens would then go into one payment" in ask(state, "bob")
    assert "nothing would be done" in ask(state, "carol")


@pytest.mark.parametrize(("roulette", "words"), [("assassin", "can only bribe the assassins"), ("player", "revolver")])
def test_T13_roulette_in_both_forms(roulette: str, words: str) -> None:
    step = close(table({"roulette": roulette}), **{seat: ["PASS"] for seat in SEATS})
    (owner,) = [event.data["owner"] for event in step.events if event.type == "roulette"]
    assert words in story(step, "roulette", None)[0]
    assert owner in story(step, "roulette", None)[0]
    assert owner not in story(step, "roulette", owner)[0]


def test_T15_T16_T18_the_end_says_how_it_came() -> None:
    jail = {"status": "jailed", "assassin_in_play": False}
    out = {"status": "dead", "assassin_in_play": False}
    state = table(carol=jail, dave=jail, erin=out) | {"phase": "jury", "vote": 1}
    assert ask(state, "carol").startswith("You are on the jury: who of alice and bob shall have the treasure?")
    assert "you have nothing to send but kind words" in ask(state, "alice").lower()
    voted = close(state, carol=["VOTE bob"], dave=["VOTE bob"])
    assert story(voted, "jury_vote", "bob")[0].endswith("carol bob dave bob You are the jury’s choice.")
    assert "The choice between alice and bob was the jury’s" in story(voted, "game_over", None)[0]
    tie = close(state, carol=["VOTE bob"])
    assert story(close(tie.state | {"vote": 1}, carol=["PASS"]), "jury_vote", None)[0].count("Nobody gave a vote.") == 1
    again = close(close(state).state)
    assert "so chance had to decide" in story(again, "jury_vote", None)[0]
    last = close(table(alice={"life": 1}, carol=out, dave=out, erin=out), bob=["HIT alice"])
    assert story(last, "game_over", "bob")[0].startswith("The game is over: you win the tontine! Nobody else is left")
    idle = close(table({"idle_limit": 1}), **{seat: ["PASS"] for seat in SEATS})
    assert "without a single payment" in story(idle, "game_over", None)[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, ("2, 3, 4, 5, 6 tokens in the first, second", "One of the assassins in play", "10 rounds in a row")),
        ({"dividends": [1]}, ("1 token in each round with a death", "so he goes to jail")),
        ({"roulette": "player"}, ("One of the players in play, drawn by lot, dies",)),
        ({"idle_limit": 1}, ("One round without any payment",)),
    ],
)
def test_T6_T13_T18_the_rule_page_shows_the_options_of_this_game(options: Json, told: tuple[str, ...]) -> None:
    state = table(options)
    page = text("rules", options=state["options"], view=GAME.view(state, None))
    for words in told:
        assert words in page
    for n in range(1, 19):
        assert f"(T{n})" in page


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["PASS"], "This costs nothing."),
        (["BLACKMAIL"], "This costs nothing."),
        (["HIT bob", "PROTECT bob"], "This costs 3 tokens, and you have 3: all of it can be paid at once (rule T4)."),
        (["HIT bob", "BRIBE Bee HIT bob", "HIT bob"], "on credit, from (BRIBE Bee HIT bob) on down: unless a death"),
        (["SECRET BRIBE Bee HIT bob"], "This costs 5 tokens, and you have 3. What can’t be paid at once is on credit"),
    ],
)
def test_T4_the_receipt_says_what_is_on_credit(lines: list[str], told: str) -> None:
    view = GAME.view(table(alice={"tokens": 3}), "alice")
    reads = [read_line(line, GAME.grammar(view), near=False) for line in lines]
    given = [order for read in reads if isinstance(read, Read) for order in read.orders]
    assert told in text("cost", view=view, reader="alice", given=given)


def test_T16_the_receipt_of_a_vote_speaks_of_no_cost() -> None:
    view = GAME.view(table(carol={"status": "jailed"}) | {"phase": "jury", "vote": 1}, "carol")
    assert text("cost", view=view, reader="carol", given=[]) == ""
