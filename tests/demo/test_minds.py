"""How demo players think: they write only what is accepted, and play games to their end."""

import ast
from pathlib import Path
from random import Random

import pytest

import pbm.demo
from pbm.core import registry
from pbm.demo import cast
from pbm.demo.minds import MINDS, Mind
from pbm.demo.sheet import Sheet
from tests.support.world import World

HOME = Path(pbm.demo.__file__).parent
DAY = 86_400


def test_players_know_nothing_but_mails() -> None:
    """Neither engine nor rules nor database are in reach of what thinks and writes."""
    for path in (*(HOME / "minds").glob("*.py"), HOME / "sheet.py", HOME / "mailer.py", HOME / "players.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pbm."):
                ours = ("pbm.demo.sheet", "pbm.demo.minds", "pbm.demo.mailer", "pbm.mail.imap", "pbm.mail.smtp")
                assert str(node.module).startswith(ours), path.name


def test_every_rule_set_has_a_mind_and_a_usual_number_of_players() -> None:
    for key in registry.BUILT_IN:
        least, most = registry.get(key).facts.seats
        assert key in MINDS
        assert least <= cast.USUAL[key] <= (most or cast.USUAL[key])


def _answer(world: World, name: str, mind: Mind, read: int) -> int:
    """Read what is new in the mailbox, and answer it; gives how much has been read."""
    box = world.box(name)
    for mail in box[read:]:
        sheet = Sheet.read(mail.raw)
        assert "not taken:" not in sheet.text, f"{name}: {sheet.plain}"
        thought = mind.think(sheet) if mail.kind == "round" else mind.hear(sheet)
        if mail.kind == "question":
            world.send(name, "Yes.", answers=mail, quote=False)
        if thought:
            world.send(name, "\n".join((*thought.orders, "", *thought.words)), answers=mail, quote=False)
    return len(box)


# The coin games are played over real mail in test_play.py.
@pytest.mark.parametrize(
    ("key", "seed"),
    [("tontine", 1), ("point_thief", 1), ("buy_the_bullet", 1)]
    + [pytest.param(key, seed, marks=pytest.mark.slow) for key in registry.BUILT_IN for seed in range(2, 6)],
)
def test_minds_play_a_game_to_its_end_without_a_refused_line(world: World, key: str, seed: int) -> None:
    names = [name.lower() for name in cast.names(cast.USUAL[key], None)]
    players = "".join(f"  - {{name: {name}, address: {name}@play.test}}\n" for name in names)
    world.game(f"game: {key}\nid: g-1\nseed: '{seed:064x}'\nplayers:\n{players}")
    minds = {name: MINDS[key](name, Random(f"{seed} {name}")) for name in names}
    read = dict.fromkeys(names, 0)
    for _ in range(400):
        for name in names:
            read[name] = _answer(world, name, minds[name], read[name])
        world.settle()
        if world.row("g-1").status == "over":
            break
        if all(len(world.box(name)) == read[name] for name in names):
            world.pass_time(DAY // 2)
    assert world.row("g-1").status == "over"


@pytest.mark.parametrize("key", registry.BUILT_IN)
def test_equal_seeds_think_alike(key: str) -> None:
    names = [MINDS[key]("alice", Random(5)) for _ in range(2)]
    assert names[0].greed == names[1].greed
