"""The texts of every registered rule set: all that a random game can say is rendered for everybody who may read it.

Undefined names raise (StrictUndefined), and no text says anything that the guard would have to make harmless.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from pbm.core import registry
from pbm.core.engine import Json
from pbm.mail.guard import Guard
from pbm.mail.markup import KEEP, narrowed, parse
from pbm.mail.templates import Templates
from tests.support.randomplay import Play
from tests.support.table import Table

TEMPLATES = Templates()

every_game = pytest.mark.parametrize("key", registry.keys())


class Press:
    """Prints one game's texts, each once, and looks at what comes out."""

    def __init__(self, key: str, table: Table) -> None:
        self.key = key
        self.guard = Guard(table.game.grammar(table.view(None)))
        self.seen: set[str] = set()

    def render(self, name: str, **values: Any) -> str:
        folder = self.key if TEMPLATES.exists(f"{self.key}/{name}.txt") else "shared/events"
        source = str(TEMPLATES.render(f"{folder}/{name}.txt", values))
        if source not in self.seen:
            self.seen.add(source)
            for block in narrowed(parse(source)):
                for leaf in (leaf.replace(KEEP, " ") for row in block.rows for leaf in row):
                    assert self.guard.safe(leaf) == leaf, name
        return source


def _readers(table: Table, audience: Any) -> Iterator[tuple[str | None, Json]]:
    """Who reads of an event, with the view: the moderator (like the public) reads all."""
    yield None, table.view(None)
    for seat in table.seats:
        if audience == "public" or seat in audience:
            yield seat, table.view(seat)


@every_game
@pytest.mark.parametrize("removals", [0.0, 0.05])
def test_every_event_and_every_phase_has_its_words(key: str, removals: float) -> None:
    for n in range(6):
        game = Play(key, 70_000 + n, removals=removals)
        table = game.table
        press = Press(key, table)
        _phase(press, table)
        for moves, events in enumerate(game.moves()):
            for event in events:
                if event.to == "moderator":
                    continue
                for reader, view in _readers(table, event.to):
                    data = {"type": event.type, **event.data}
                    assert press.render(event.type, event=data, reader=reader, view=view).strip(), event.type
            if moves % 3 == 0 or table.result is not None:
                _phase(press, table)


def _phase(press: Press, table: Table) -> None:
    phase = table.phase()
    for reader in (None, *table.seats):
        view = table.view(reader)
        assert press.render("standing", view=view, reader=reader).strip()
        if reader is not None:
            press.render("you", view=view, reader=reader)
        if phase is not None:
            forms = table.forms(reader) if reader is not None else ()
            if reader is None or forms:
                assert press.render("phase", view=view, reader=reader, forms=forms).strip()


@every_game
def test_the_rule_page_is_complete_by_itself(key: str) -> None:
    table = Play(key, 80_000).table
    model = table.game.facts.options.model_validate(table.options)
    press = Press(key, table)
    page = press.render("rules", view=table.view(None), reader=None, options=model.model_dump())
    assert len(page) > 1500
    assert "xample" in page
    assert table.game.facts.title in page
