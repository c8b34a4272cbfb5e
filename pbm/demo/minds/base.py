"""What every demo player's mind has: a name, a temper, a memory, and words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from pbm.demo.sheet import Row, Sheet

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Thought:
    """What a player decides to write: order lines, press (`TELL bob: …`) and chat. Nothing at all: no mail is sent."""

    orders: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.orders or self.words)


@dataclass
class Mind:
    """`name`: the seat. `chance`: all of this player's whims; equal seeds play equal games from equal mails."""

    name: str
    chance: Random
    greed: float = field(init=False)
    """0 to 1: how far this player goes."""
    talk: tuple[str, ...] = field(default=(), init=False)
    """What this player may say to all."""

    def __post_init__(self) -> None:
        self.greed = self.chance.random()

    def think(self, sheet: Sheet) -> Thought:
        """The answer to a round mail or a reminder."""
        raise NotImplementedError

    def hear(self, sheet: Sheet) -> Thought:
        """What other mails tell: results, press, public news. Most leave a player silent."""
        return Thought()

    # -- what minds are made of ------------------------------------------------------------------------------------

    def maybe(self, probability: float) -> bool:
        return self.chance.random() < probability

    def weighted(self, choices: Sequence[tuple[T, float]]) -> T:
        """One of the choices, by weight; the weights aren't all 0."""
        return self.chance.choices([c for c, _ in choices], [w for _, w in choices])[0]

    def mine(self, sheet: Sheet) -> Row:
        """This player's line of the standing."""
        return next((row for row in sheet.standing if row.get("Player") == self.name), {})

    def others(self, sheet: Sheet) -> list[Row]:
        return [row for row in sheet.standing if row.get("Player") not in (None, self.name)]
