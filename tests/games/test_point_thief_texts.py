"""Point Thief's templates: they render for every reader of every step, whatever the environment strips, and no line
of theirs, wrapped anywhere, reads as an order (MAIL.md)."""

import random
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest

from pbm import paper
from pbm.core.draw import Draw
from pbm.core.engine import Json
from pbm.core.orders import read_line
from pbm.games._point_thief_points import CHARACTERS
from pbm.games.point_thief import FORMS, GAME, PointThiefOptions
from tests.support.point_thief_play import SEED

ROOT = Path(__file__).parents[2]
LOADER = jinja2.FileSystemLoader(ROOT / "templates")
STRIPPING = jinja2.Environment(loader=LOADER, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
PLAIN = jinja2.Environment(loader=LOADER, undefined=jinja2.StrictUndefined)


def rendered(name: str, env: jinja2.Environment = PLAIN, **context: Any) -> str:
    return env.get_template(f"point_thief/{name}.txt").render(order=lambda line: f"({line})", **context)


def blocks(text: str) -> list[str]:
    """What the markup makes of a text: runs of lines between blank ones, blanks single."""
    runs = [[" ".join(line.split()) for line in run.splitlines()] for run in text.strip().split("\n\n")]
    return ["\n".join(line for line in run if line) for run in runs if any(run)]


def moments(seats: list[str], n: int, **options: Any) -> Iterator[tuple[str, Json]]:
    """Every template of a random game, with what it is rendered from."""
    chance = random.Random(n)
    draw = Draw.from_hex(SEED)
    state = GAME.start(seats, PointThiefOptions(**options), draw).state
    while GAME.phase(state) is not None:
        for reader in (None, *seats):
            view = GAME.view(state, reader)
            yield "phase", {"view": view, "reader": reader, "forms": GAME.forms(view, reader) if reader else ()}
        here = [seat for seat in seats if seat not in state["removed"]]
        if chance.random() < 0.05:
            step = GAME.remove(state, chance.choice(here), {}, draw)
        else:
            orders = {}
            for seat in here:
                lines = [f"PICK {chance.choice(CHARACTERS)}", f"CLAIM {chance.choice(CHARACTERS)}"]
                reads = [read_line(line, FORMS, near=False) for line in lines[: chance.choice((0, 1, 2, 2))]]
                orders[seat] = tuple(order for read in reads for order in getattr(read, "orders", ()))
            step = GAME.close(state, orders, draw)
        state = step.state
        for reader in (None, *seats):
            view = GAME.view(state, reader)
            yield "standing", {"view": view, "reader": reader}
            if reader:
                yield "you", {"view": view, "reader": reader}
            for event in step.events:
                yield event.type, {"event": {"type": event.type, **event.data}, "reader": reader, "view": view}


@pytest.mark.parametrize("n", range(4))
def test_templates_render_alike_in_every_environment_and_never_read_as_an_order(n: int) -> None:
    seats = ["Ada", "Bruno Ganz", "Chloé", "Dmitri-2", "Esra", "Fay"][: 3 + n % 4]
    seen = set()
    for name, context in moments(seats, n, lie_rounding=("loss", "remainder")[n % 2]):
        seen.add(name)
        text = rendered(name, **context)
        assert blocks(text) == blocks(rendered(name, STRIPPING, **context)), name
        assert "None" not in text
        assert "  " not in text.strip(), f"{name}: {text!r}"
        if name != "you":
            assert text.strip()
        for block in blocks(text):
            for width in (20, 47):
                for line in textwrap.wrap(block, width):
                    assert read_line(line, FORMS, near=True) is None, line
    assert seen >= {"claim", "reveal", "missed", "game_over", "phase", "standing", "you"}


def reveal_text(picks: list[str], reader: str | None, **options: Any) -> str:
    """The reveal of a round in which each of these players speaks of the mafia."""
    seats = [f"p{n}" for n in range(len(picks))]
    scenario = {
        "game": "point_thief",
        "seed": SEED,
        "options": options,
        "players": seats,
        "steps": [{"orders": {s: [f"PICK {p} CLAIM mafia"] for s, p in zip(seats, picks, strict=True)}}],
    }
    (event,) = [e for e in paper.adjudicate(scenario)["steps"][0]["events"] if e["type"] == "reveal"]
    return " ".join(rendered("reveal", event=event, reader=reader, view={}).split())


SPLITS = {
    "mafia mafia mafia beggar": "3 to 0, so the mafia takes the 4 points: 1 for each of 3. "
    "The rest (1) goes to the beggars: 1 for the only one. (Rule P6.)",
    "cartel cartel police": "0 to 2, so the cartel takes the 4 points: 2 for each of 2. (Rule P6.)",
    "police mafia cartel": "level at 1, so the 4 points fall to the police: 4 for the only one. (Rule P6.)",
    "mafia cartel beggar beggar beggar": "fall to the police, but nobody is there to take them. "
    "All (4) goes to the beggars: 1 for each of 3. What is left (1) is lost. (Rule P6.)",
    "mafia mafia mafia mafia mafia": "5 to 0, so the mafia takes the 4 points, but 4 can’t be split among 5: "
    "none of them gets any. All (4) goes to the beggars, of whom there are none, and is lost.",
    "cartel cartel cartel beggar beggar": "The rest (1) goes to the beggars, too little for 2 of them, and is lost.",
}


@pytest.mark.parametrize("picks", SPLITS)
def test_P6_the_reveal_tells_where_the_points_went(picks: str) -> None:
    assert SPLITS[picks] in reveal_text(picks.split(), None)


def test_P7_the_reveal_tells_a_liar_what_the_lie_cost_and_all_others_too() -> None:
    picks = ["cartel", "mafia", "mafia"]
    assert "p0’s lie earned nothing, and costs 1 point (rule P7)." in reveal_text(picks, "p1")
    own = reveal_text(picks, "p0")
    assert "You were with the cartel and said you were with the mafia. The lie earned nothing, so it costs you 1" in own
    assert "You now have -1 point." in own
    assert "That earned you 2 points (rule P6). You now have 2 points." in reveal_text(picks, "p1")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, ("as many rounds as players", "of 5 you lose 2", "| Ann | police | cartel | -2 |")),
        ({"rounds": 7}, ("There are 7 rounds; if that is more",)),
        ({"rounds": 1}, ("There is 1 round;",)),
        ({"lie_rounding": "remainder"}, ("of 5 you keep 2", "| Ann | police | cartel | -3 |")),
    ],
)
def test_P2_P7_the_rule_page_shows_the_options_of_this_game(options: dict[str, Any], told: tuple[str, ...]) -> None:
    shown = PointThiefOptions(**options).model_dump()
    text = rendered("rules", options=shown, view={})
    assert blocks(text) == blocks(rendered("rules", STRIPPING, options=shown, view={}))
    for words in told:
        assert words in text
    for rule in ("P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "G5"):
        assert f"({rule}" in text
