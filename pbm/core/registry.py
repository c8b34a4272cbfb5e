"""The rule sets there are: built in, and those of other packages (entry points `pbm.games`) that are switched on."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from pbm.core.draw import KEY_BYTES, Draw
from pbm.core.engine import Form, Game, Json

BUILT_IN = ("tontine", "point_thief", "buy_the_bullet", "dont_get_greedy", "money_grab")


class UnknownGame(LookupError):
    """No rule set has this key; the message names those there are."""


@cache
def _built_in(key: str) -> Game:
    game: Game = import_module(f"pbm.games.{key}").GAME
    return game


_plugins: dict[str, Game] = {}


def switch_on(names: Iterable[str]) -> None:
    """Load plug-ins by the names of their entry points. Raises UnknownGame for a name that isn't installed."""
    found = {point.name: point for point in entry_points(group="pbm.games")}
    for name in names:
        if name not in found:
            raise UnknownGame(f"no plug-in {name!r} is installed; there are: {', '.join(sorted(found)) or 'none'}")
        game: Game = found[name].load()
        _plugins[game.facts.key] = game


def keys() -> tuple[str, ...]:
    return (*BUILT_IN, *(key for key in _plugins if key not in BUILT_IN))


def get(key: str) -> Game:
    """The rule set of this key. Raises UnknownGame."""
    if key in BUILT_IN:
        return _built_in(key)
    if key in _plugins:
        return _plugins[key]
    raise UnknownGame(f"no rule set {key!r}; there are: {', '.join(keys())}")


@cache
def stand_in(key: str) -> Json:
    """A game's first state with stand-ins for players and default options. Raises UnknownGame."""
    rules = get(key)
    seats = [f"p{n}" for n in range(rules.facts.seats[0])]
    return rules.start(seats, rules.facts.options(), Draw(bytes(KEY_BYTES))).state


def grammar(key: str) -> tuple[Form, ...]:
    """Every order of a rule set, with stand-ins for players: its words don't hang on who plays. Raises UnknownGame."""
    rules = get(key)
    return rules.grammar(rules.view(stand_in(key), None))
