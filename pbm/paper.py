"""A game on paper: scenario files (SCENARIOS.md) played with no mail, clock or database."""

from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from pbm.core import play, registry
from pbm.core.draw import Draw
from pbm.core.engine import Event, Game, Json, Order, Step
from pbm.core.names import fold
from pbm.core.orders import Read, Unread, read_line

_KEYS = {"game", "seed", "options", "players", "steps"}
# What an author may write beside them, for people.
_NOTES = {"title", "name", "note", "notes", "comment", "description", "id"}

# Every game's option (ruling G7). It is the service's business; on paper play goes on.
_SILENCE = "silence"


class ScenarioFault(ValueError):
    """The file is no scenario; the message says what to change, in the words of its author."""


def load(text: str | bytes) -> Any:
    """The YAML of a scenario file. Raises ScenarioFault with line and column."""
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        try:
            node = loader.get_single_node()
            _check_keys(node)
            return None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as fault:
        raise ScenarioFault(f"not readable as YAML: {' '.join(str(fault).split())}") from None
    except RecursionError:
        raise ScenarioFault("not readable as YAML: nested too deeply") from None


def _check_keys(top: yaml.Node | None) -> None:
    """YAML's own readers keep the last of two equal keys, and drop the other's orders with no word."""
    open_nodes = [] if top is None else [top]
    seen: set[int] = set()  # an alias leads to a node that stands elsewhere too
    while open_nodes:
        node = open_nodes.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            open_nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            keys: set[str] = set()
            for key, value in node.value:
                open_nodes.append(value)
                if isinstance(key, yaml.ScalarNode):
                    if key.value in keys:
                        raise ScenarioFault(
                            f"“{key.value}” stands twice in one mapping, line {key.start_mark.line + 1}"
                        )
                    keys.add(key.value)


def adjudicate(scenario: Any) -> Json:
    """Play a scenario to its last step. Raises ScenarioFault."""
    if not isinstance(scenario, dict):
        raise ScenarioFault("a scenario is a mapping with the keys game, seed, players and steps")
    unknown = sorted(str(key) for key in scenario if key not in _KEYS | _NOTES)
    if unknown:
        raise ScenarioFault(f"unknown key {', '.join(unknown)}; there are: {', '.join(sorted(_KEYS))}")
    game = _game(scenario.get("game"))
    players = _players(scenario.get("players"), game)
    table = _Table(game, players, _draw(scenario.get("seed")), options_of(game, scenario.get("options")))
    steps = scenario.get("steps", [])
    if not isinstance(steps, list):
        raise ScenarioFault("steps: a list, each with `orders` or `remove`")
    shown = []
    for n, step in enumerate(steps, 1):
        if table.result is not None:
            raise ScenarioFault(f"step {n}: the game ended in step {n - 1}; {len(steps) - n + 1} steps are left over")
        shown.append(table.play(n, step))
    over = table.result is not None
    winners = list(table.result.winners) if table.result else []
    return {"game": game.facts.key, "steps": shown, "over": over, "winners": winners}


def options_of(game: Game, given: Any) -> Any:
    """A game's options, checked by its model. Raises ScenarioFault."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise ScenarioFault("options: a mapping of rule options")
    silence = given.get(_SILENCE, 1)
    if type(silence) is not int or silence < 1:
        raise ScenarioFault("options.silence: a whole number of phases, 1 or more (ruling G7)")
    try:
        return game.facts.options.model_validate({key: value for key, value in given.items() if key != _SILENCE})
    except ValidationError as faults:
        known = ", ".join(game.facts.options.model_fields) or "none"
        told = "; ".join(
            f"options.{'.'.join(str(p) for p in fault['loc'])}: {fault['msg']}" for fault in faults.errors()
        )
        raise ScenarioFault(f"{told} (options of {game.facts.key}: {known})") from None


def _game(key: Any) -> Game:
    try:
        return registry.get(key if isinstance(key, str) else repr(key))
    except registry.UnknownGame as fault:
        raise ScenarioFault(f"game: {fault}") from None


def _draw(seed: Any) -> Draw:
    if not isinstance(seed, str):
        raise ScenarioFault('seed: 64 hex digits in quotation marks (the key of the draws), such as "0011…eeff"')
    try:
        return Draw.from_hex(seed)
    except ValueError as fault:
        raise ScenarioFault(f"seed: {fault}") from None


def _players(names: Any, game: Game) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise ScenarioFault("players: a list of names in seat order, such as [alice, bob, carol]")
    folded: dict[str, str] = {}
    for name in names:
        if fold(name) in folded:
            raise ScenarioFault(f"players: {folded[fold(name)]} and {name} are the same name")
        folded[fold(name)] = name
    least, most = game.facts.seats
    if len(names) < least or (most is not None and len(names) > most):
        wanted = f"{least} players" if least == most else f"{least} players or more"
        raise ScenarioFault(f"players: {game.facts.title} has {wanted}; here are {len(names)}")
    return tuple(names)


class _Table:
    """The game under way: its state, and how a step is played."""

    def __init__(self, game: Game, players: tuple[str, ...], draw: Draw, options: Any) -> None:
        self.game, self.players, self.draw = game, players, draw
        try:
            step = game.start(players, options, draw)
        except ValueError as fault:  # an option that doesn't go with these players
            raise ScenarioFault(str(fault)) from None
        self.state, self.result = step.state, step.result

    def play(self, n: int, step: Any) -> Json:
        if not isinstance(step, dict) or len(step.keys() & {"orders", "remove"}) != 1 or len(step) != 1:
            raise ScenarioFault(f"step {n}: each step has either `orders` or `remove`, and nothing else")
        phase = self.game.phase(self.state)
        assert phase is not None
        refused: list[Json] = []
        if "remove" in step:
            events = self._remove(n, step["remove"])
        else:
            events = self._orders(n, step["orders"], refused)
        return {
            "phase": phase.name,
            "round": phase.round,
            "refused": refused,
            "events": [event.to_json() for event in events],
            "public": self.game.view(self.state, None),
            "private": {p: self.game.view(self.state, p)["private"] for p in self.players},
            "next": self._next(),
        }

    def _next(self) -> Json | None:
        phase = self.game.phase(self.state) if self.result is None else None
        if phase is None:
            return None
        waiting = play.waiting(self.game, self.state, self._kept())
        return {"phase": phase.name, "round": phase.round, "waiting_for": list(waiting)}

    def _kept(self) -> dict[str, tuple[Order, ...]]:
        return {p: orders for p in self.players if (orders := self.game.standing(self.state, p))}

    def _take(self, step: Step) -> tuple[Event, ...]:
        self.state, self.result = step.state, step.result
        return step.events

    def _seat(self, n: int, name: Any) -> str:
        seat = next((p for p in self.players if isinstance(name, str) and fold(p) == fold(name)), None)
        if seat is None:
            raise ScenarioFault(f"step {n}: unknown player {name!r}; there are: {', '.join(self.players)}")
        return seat

    def _remove(self, n: int, name: Any) -> tuple[Event, ...]:
        seat = self._seat(n, name)
        try:
            step = self.game.remove(self.state, seat, self._kept(), self.draw)
        except ValueError as fault:
            raise ScenarioFault(f"step {n}: {fault}") from None
        return self._take(step)

    def _orders(self, n: int, given: Any, refused: list[Json]) -> tuple[Event, ...]:
        if not isinstance(given, dict):
            raise ScenarioFault(f"step {n}: orders is a mapping of players to lists of lines")
        lines = {self._seat(n, name): _lines(n, name, value) for name, value in given.items()}
        if len(lines) != len(given):
            raise ScenarioFault(f"step {n}: a player is named twice")
        standing: dict[str, tuple[Order, ...]] = self._kept()
        events: list[Event] = []
        for seat in self.players:
            if self.result is None and seat in lines:
                events += self._mail(seat, lines[seat], standing, refused)
        if self.result is None:
            events += self._take(self.game.close(self.state, standing, self.draw))
        return tuple(events)

    def _mail(
        self, seat: str, lines: Sequence[str], standing: dict[str, tuple[Order, ...]], refused: list[Json]
    ) -> list[Event]:
        """One player's lines, as one mail; gives the events of what takes effect at once."""
        view = self.game.view(self.state, seat)
        grammar = self.game.grammar(view)
        orders: list[Order] = []
        source: list[int] = []  # the line that each order stands in
        reasons: dict[int, str] = {}
        for n, line in enumerate(lines):
            read = read_line(line, grammar, near=False)
            if isinstance(read, Read):
                orders += read.orders
                source += [n] * len(read.orders)
            else:
                reasons[n] = read.reason if isinstance(read, Unread) else "no order of this game"
        checked = play.check(self.game, view, seat, orders)
        for refusal in checked.refusals:
            for n in range(len(orders)) if refusal.n is None else [refusal.n]:
                reasons.setdefault(source[n], refusal.reason)
        events: list[Event] = []
        for n, order in checked.at_once:
            fault = self.game.check(self.game.view(self.state, seat), seat, [order])
            if fault:
                reasons[source[n]] = fault[0].reason
            else:
                events += self._take(self.game.act(self.state, seat, order, self.draw))
        refused += [{"player": seat, "line": lines[n], "reason": reasons[n]} for n in sorted(reasons)]
        if checked.standing:
            standing[seat] = play.merge(self.game, standing.get(seat, ()), checked.standing)
        return events


def _lines(n: int, name: Any, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise ScenarioFault(f'step {n}: the orders of {name} are a list of lines, such as ["HIT bob"]')
    return value
