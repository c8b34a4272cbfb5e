"""The one suite that every registered rule set is run through. It knows no rule set but by its protocol.

Each test takes the key of a rule set; one that can't be imported, or has no texts or no golden play, fails here.
"""

import inspect
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest

from pbm import paper
from pbm.core import registry
from pbm.core.engine import Event, Form, Json, Order, Slot
from tests.support.randomplay import Play, play_out
from tests.support.table import Table, line_for, random_mail

KEYS = registry.keys()
PLAYS = Path(__file__).parent.parent / "plays"

every_game = pytest.mark.parametrize("key", KEYS)


@every_game
def test_every_rule_set_says_what_it_is(key: str) -> None:
    facts = registry.get(key).facts
    assert facts.key == key
    assert facts.title
    assert facts.tagline
    assert facts.version >= 1
    assert facts.seats[0] >= 2
    assert facts.options.model_validate({})
    assert all(kind.timing for kind in facts.phases)


@every_game
def test_every_call_is_a_function_from_values_to_values(key: str) -> None:
    """JSON round trip, inputs unchanged, the same result twice: here every single call is audited."""
    for n in range(8):
        play_out(key, 10_000 + n, removals=0.05, audit=1.0)


@every_game
@pytest.mark.parametrize("part", range(4))
def test_200_random_games_end_and_keep_their_books(key: str, part: int) -> None:
    """JSON round trip, inputs unchanged, conservation, termination, misses (G3), removals (G5), winners (G6, G8)."""
    for n in range(50 * part, 50 * part + 50):
        play_out(key, n)


@every_game
def test_most_games_without_removals_have_a_winner(key: str) -> None:
    ended = [play_out(key, 20_000 + n, removals=0).table.result for n in range(10)]
    assert any(result is not None and result.winners for result in ended)


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("part", range(50))
def test_10_000_random_games_end_and_keep_their_books(key: str, part: int) -> None:
    for n in range(1000 + 200 * part, 1200 + 200 * part):
        play_out(key, n)


# --- forms and check --------------------------------------------------------------------------------------------------


def grammar_lines(forms: Sequence[Form], chance: Random, most: int = 60) -> list[str]:
    """Lines of the grammar: all of them where they are few, else a random part; numbers a little beyond as well."""
    lines: list[str] = []
    for form in forms:
        values = [_values(slot) for slot in form.slots]
        if all(values):
            every = [
                form.line({s.name: v for s, v in zip(form.slots, choice, strict=True)}) for choice in product(*values)
            ]
            lines += every if len(every) <= most else chance.sample(every, most)
    return lines


def _values(slot: Slot) -> Sequence[str | int]:
    if slot.is_number:
        return range(max(0, slot.low - 2), min(slot.low + 30, slot.high) + 3)
    return [choice.value for choice in slot.choices]


@every_game
def test_forms_offer_exactly_what_check_accepts_line_by_line(key: str) -> None:
    for n in range(15):
        game = Play(key, 30_000 + n)
        table = game.table
        for _ in game.moves():
            if game.chance.random() < 0.15:
                for seat in table.seats:
                    _compare_forms_and_check(table, seat, game.chance)


def _compare_forms_and_check(table: Table, seat: str, chance: Random) -> None:
    forms = [form for form in table.forms(seat) if not form.split]
    grammar = table.game.grammar(table.view(seat))
    assert grammar == table.game.grammar(table.view(None)), "the grammar is public"
    assert {form.verb for form in forms} <= {form.verb for form in grammar}
    for line in grammar_lines(grammar, chance):
        for order in table.read(seat, line):
            assert order == Order.from_json(json.loads(json.dumps(order.to_json())))
            offered = any(form.takes(order) for form in forms)
            refusals = table.check(seat, [order])
            assert offered == (not refusals), f"{seat}: {order.line}: offered {offered}, {refusals}"
    for form in table.forms(seat):
        for _ in range(3):
            line = line_for(form, chance)
            orders = table.read(seat, line)
            assert orders, f"{line!r} of a form isn't read by the grammar"
            assert not [r for order in orders for r in table.check(seat, [order])], line
        assert table.read(seat, form.example()), form.example()
        assert form.help.strip()


@every_game
def test_refusals_forms_and_completeness_come_from_the_view_only(key: str) -> None:
    """The protocol hands them no state; and a view that went through JSON gives the same answers (no hidden links)."""
    game = registry.get(key)
    for function in (game.forms, game.check, game.complete):
        assert next(iter(inspect.signature(function).parameters)) == "view"
    for n in range(5):
        played = Play(key, 40_000 + n)
        for _ in played.moves():
            table, chance = played.table, played.chance
            seat = chance.choice(table.seats)
            lines = random_mail(table, seat, chance)
            orders = [order for line in lines for order in table.read(seat, line)]
            direct = table.game.view(table.state, seat)
            copied = json.loads(json.dumps(direct))
            assert table.game.check(direct, seat, orders) == table.game.check(copied, seat, orders)
            assert table.game.forms(direct, seat) == table.game.forms(copied, seat)
            assert table.game.complete(direct, seat, orders) == table.game.complete(copied, seat, orders)


# --- non-interference -------------------------------------------------------------------------------------------------


def told_to(table: Table, reader: str | None, events: Sequence[Event]) -> list[Json]:
    return [event.to_json() for event in events if event.seen_by(reader)]


def knowable(table: Table, reader: str | None, chance: Random) -> Json:
    """All that a reader can find out without anybody's help: views, phase, forms, and why lines are refused."""
    phase = table.phase()
    found: Json = {"view": table.view(reader), "phase": repr(phase)}
    if reader is not None and phase is not None:
        found["forms"] = repr(table.forms(reader))
        lines = grammar_lines(table.game.grammar(table.view(None)), chance, most=6)
        orders = [order for line in lines for order in table.read(reader, line)]
        found["refusals"] = repr([table.check(reader, [order]) for order in orders])
        found["whole mail"] = repr(table.check(reader, orders[:4]))
    return found


@every_game
def test_views_and_refusals_show_nothing_that_no_event_has_told(key: str) -> None:
    """Two games that part where one player sends other orders. As long as another reader has been told the same in
    both, that reader's view, forms and refusals, the phase and who must act are the same in both."""
    compared = n = 0
    while compared < 60 and n < 200:
        n += 1
        game = Play(key, 50_000 + n, removals=0.0)
        table, chance = game.table, game.chance
        stop = chance.randrange(12)
        for done, _ in enumerate(game.moves()):
            if done >= stop:
                break
        phase = table.phase()
        if phase is None:
            continue
        able = [seat for seat in (*phase.must, *phase.may) if table.forms(seat)]
        if not able:
            continue
        secretive = chance.choice(able)
        compared += _compare_twins(table.twin(), table.twin(), secretive, n)
    assert compared > 5


def _compare_twins(one: Table, two: Table, secretive: str, n: int) -> int:
    blind: set[str | None] = {None, *one.seats} - {secretive}
    compared = 0
    for turn in range(6):
        tables = (one, two)
        told: list[list[Event]] = [[], []]
        for seat in one.seats:
            for i, table in enumerate(tables):
                if table.result is None:
                    luck = Random(f"{n} {turn} {seat} {i if seat == secretive else ''}")
                    told[i] += table.mail(seat, random_mail(table, seat, luck))[1]
        for table, events in zip(tables, told, strict=True):
            if table.result is None:
                events += table.close()
        blind = {r for r in blind if told_to(one, r, told[0]) == told_to(two, r, told[1])}
        if None not in blind:
            break
        for reader in blind:
            seed = f"{n} {turn} {reader}"
            assert knowable(one, reader, Random(seed)) == knowable(two, reader, Random(seed)), reader
            compared += 1
        if one.result is not None or two.result is not None:
            break
    return compared


Secret = tuple[str, list[str], list[str]]


def _point_thief_secret(table: Table, seat: str, chance: Random) -> list[Secret]:
    """P3: only the claim is posted; the pick is anybody's guess until the reveal."""
    one, two = chance.sample(("mafia", "cartel", "police", "beggar"), 2)
    return [("pick", [f"PICK {one} CLAIM {two}"], [f"PICK {two} CLAIM {two}"])]


def _tontine_secret(table: Table, seat: str, chance: Random) -> list[Secret]:
    """T1: a miss without consequences (T12), a blackmail that held nobody back, and tokens, as spent on a protection
    that no hit was aimed at, stay private."""
    phase = table.phase()
    own = table.view(seat)["private"]
    if phase is None or phase.name != "round":
        return []
    found = [("blackmail", ["PASS"], ["BLACKMAIL"])] if not own["blackmail_used"] else []
    found += [("miss", ["PASS"], [])] if own["misses"] == 0 else []
    found += [("tokens", ["PASS"], [f"PROTECT {seat}"])] if own["tokens"] >= 2 else []
    return found


SECRETS = {
    "point_thief": (_point_thief_secret, {"pick"}),
    "tontine": (_tontine_secret, {"blackmail", "miss", "tokens"}),
}
REVEALS = {
    "point_thief": {"reveal"},  # P5
    "tontine": {"protection", "roulette", "new_tokens", "bribe_refused"},  # T5, T13, T14, T10
}


@pytest.mark.parametrize("key", SECRETS)
def test_events_show_no_secret_until_the_rules_reveal_it(key: str) -> None:
    """Two games that part in one player's secret only: everybody else is told the same in both, to the letter, until
    an event stands there that the rules let reveal it."""
    secrets, kinds = SECRETS[key]
    compared = dict.fromkeys(kinds, 0)
    n = 0
    while min(compared.values()) < 6 and n < 1500:
        n += 1
        game = Play(key, 60_000 + n, removals=0.0)
        table, chance = game.table, game.chance
        stop = chance.randrange(1, 5)
        for done, _ in enumerate(game.moves()):
            if done >= stop:
                break
        phase = table.phase()
        if phase is None:
            continue
        able = [s for s in (*phase.must, *phase.may) if table.forms(s)]
        found = [(seat, *secret) for seat in able for secret in secrets(table, seat, chance)]
        # Each kind in turn, so that those that come up seldom do as well.
        found.sort(key=lambda secret: compared[secret[1]])
        for seat, kind, *mails in found[:1]:
            compared[kind] += _compare_secrets(table, seat, mails, REVEALS[key], chance)
    assert min(compared.values()) >= 6


def _compare_secrets(table: Table, seat: str, mails: Sequence[list[str]], reveals: set[str], chance: Random) -> int:
    """One phase, closed twice. Gives how many readers were compared: none where the rules reveal something."""
    one, two = table.twin(), table.twin()
    for other in table.seats:
        same = random_mail(table, other, chance)
        for twin, mail in zip((one, two), mails, strict=True):
            twin.mail(other, mail if other == seat else same)
    told = one.close(), two.close()
    if reveals & {event.type for events in told for event in events}:
        return 0
    readers = {None, *table.seats} - {seat}
    for reader in readers:
        assert told_to(one, reader, told[0]) == told_to(two, reader, told[1])
        luck = str(reader)
        assert knowable(one, reader, Random(luck)) == knowable(two, reader, Random(luck)), reader
    return len(readers)


# --- golden plays -----------------------------------------------------------------------------------------------------


@every_game
def test_the_golden_play_comes_out_the_same(key: str) -> None:
    scenario = paper.load((PLAYS / f"{key}.yaml").read_bytes())
    expected = json.loads((PLAYS / f"{key}.json").read_text("utf-8"))
    assert scenario["game"] == key
    assert json.loads(json.dumps(paper.adjudicate(scenario))) == expected
    assert expected["over"]
