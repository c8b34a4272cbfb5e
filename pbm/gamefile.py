"""A game file → what one game is played by (INTERFACE.md, "Game file"). All faults at once, as in pbm.config."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, field_validator

from pbm.addresses import address_fault, address_key
from pbm.config import Config
from pbm.core.engine import Facts
from pbm.core.names import fold, name_fault
from pbm.faults import ConfigFaults, Fault, Loc, model_faults, near, path_text
from pbm.fields import Address, Addresses, Approve, AwayBudget, Section, Spans, Timing, Whole, Zone, split_list
from pbm.timewords import DAY, HOUR
from pbm.timing import PhaseTiming, merge_timing
from pbm.yamlfile import read_yaml


def _game_id(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", text):
        raise ValueError(f"must be at most 40 of a-z, 0-9 and -, beginning with a letter or digit, not '{text}'")
    return text


def _title(text: str) -> str:
    if not text.strip() or len(text) > 100 or not text.isprintable():
        raise ValueError("must be one line of at most 100 characters")
    return text.strip()


def _seed(text: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise ValueError(f"must be 64 hex digits (ruling G4); these are {len(text)} characters")
    return text.lower()


class PlayerLine(Section):
    """One of the `players`."""

    name: str = Field(min_length=1, examples=["name: alice"])
    address: Address = Field(examples=["address: alice@example.org"])
    timezone: Zone = Field(default="UTC", examples=["timezone: Europe/Berlin"])


class Misses(Section):
    """After how many misses in a row the moderator is asked, and no early close is held up any longer."""

    ask: Annotated[Whole, Field(ge=1)] = Field(default=2, examples=["ask: 2"])
    ignore: Annotated[Whole, Field(ge=1)] = Field(default=2, examples=["ignore: 2"])


class GameFile(Section):
    """A game as its file has it, with the configuration's moderator, archive, reminders and approve where it has none.

    Lengths are seconds, but `away`, see :attr:`away_days`. Either `players` or `seats` is there. `options` are as
    written, and have passed the game's own model. `model_dump(mode="json")` gives what `model_validate` reads again.
    """

    game: str = Field(examples=["game: buy_the_bullet"])
    id: Annotated[str, AfterValidator(_game_id)] = Field(examples=["id: bullet-1"])
    title: Annotated[str, AfterValidator(_title)] | None = Field(default=None, examples=["title: Bullet on Friday"])
    moderator: Addresses = Field(default=(), examples=["moderator: mod@example.org"])
    archive: Address | None = Field(default=None, examples=["archive: games@lists.example.org"])
    seed: Annotated[str, AfterValidator(_seed)] | None = Field(
        default=None, repr=False, examples=['seed: "0011…eeff", 64 hex digits, or none: then one is drawn']
    )
    players: tuple[PlayerLine, ...] = Field(
        default=(), examples=["players: [{name: alice, address: alice@example.org, timezone: Europe/Berlin}]"]
    )
    seats: Whole | None = Field(default=None, examples=["seats: 10"])
    start: Literal["full", "moderator"] = Field(default="full", examples=["start: full"])
    options: dict[str, Any] = Field(default_factory=dict, examples=["options: {}"])
    timing: dict[str, Timing] = Field(default_factory=dict, examples=["timing: {default: {length: 24h}}"])
    reminders: Spans = Field(default=(DAY, 3 * HOUR), examples=["reminders: [24h, 3h]"])
    press: Literal["all", "public", "none"] = Field(default="all", examples=["press: all"])
    anonymous: bool = Field(default=False, examples=["anonymous: true"])
    press_copy: bool = Field(default=False, examples=["press_copy: true"])
    away: AwayBudget = Field(default=7 * DAY, examples=["away: 7d"])
    misses: Misses = Field(default_factory=Misses, examples=["misses: {ask: 2, ignore: 2}"])
    approve: Approve = Field(default="no", examples=["approve: no"])
    silence: Annotated[Whole, Field(ge=1)] = Field(default=10, examples=["silence: 10"])

    @field_validator("options", "timing", "players", mode="before")
    @classmethod
    def _left_empty(cls, value: object, info: Any) -> object:
        return ([] if info.field_name == "players" else {}) if value is None else value

    @property
    def away_days(self) -> int:
        """How many days a player may be AWAY in this game."""
        return self.away // DAY

    def phase_timing(self, phase: str, own: Mapping[str, object], config_default: Mapping[str, object]) -> PhaseTiming:
        """The timing of a phase. `own`: the rule set's for it; `config_default`: `defaults.timing.default`'s."""
        layers = [self.timing[name].named() for name in (phase, "default") if name in self.timing]
        return merge_timing(*layers, own, config_default)


def load_game_file(
    source: Path | str,
    *,
    reserved: Collection[str],
    facts: Callable[[str], Facts],
    config: Config | None = None,
    name: str = "",
) -> GameFile:
    """Read a game file (a text where `source` is no Path). Raises ConfigFaults with every fault there is.

    `reserved`: the words of the grammar, which no player's name may have as a word. `facts`: a rule set's facts by its
    key; raises LookupError for an unknown one. `config`: whose defaults hold where the file is silent.
    """
    document = read_yaml(source, name=name)
    data = dict(document.data)
    if config is not None:
        for key, value in _inherited(config).items():
            if data.get(key) is None:
                data[key] = value
    lifted, doubled = _lift_silence(data)
    faults: list[Fault] = []
    found: GameFile | None = None
    try:
        found = GameFile.model_validate(data)
    except ValidationError as error:
        faults = model_faults(error, GameFile, where=document.where)
        if lifted:
            where = document.where(_SILENCE)
            faults = [replace(f, path=path_text(_SILENCE), where=where) if f.path == "silence" else f for f in faults]
    known = {fault.path for fault in faults}
    across = (*doubled, *_of_the_table(data, config), *_of_names(data, reserved), *_of_the_rules(data, facts))
    for loc, reason, example in across:
        path = path_text(loc)
        if path not in known:
            faults.append(Fault(path, reason, example, document.where(loc)))
    if faults or found is None:
        raise ConfigFaults(faults, document.source)
    return found


# G7's option is every game's, and the service's own business: no rule set knows it.
_SILENCE: Loc = ("options", "silence")


def _lift_silence(data: dict[str, Any]) -> tuple[bool, list[tuple[Loc, str, str]]]:
    """Move `options.silence` to the top level, where `silence` may stand as well; but not both. Gives whether it was
    moved, and the fault, if any."""
    options = data.get("options")
    if not isinstance(options, dict) or "silence" not in options:
        return False, []
    data["options"] = {key: value for key, value in options.items() if key != "silence"}
    if "silence" in data:
        return False, [(_SILENCE, "stands beside silence; keep one of them", "")]
    data["silence"] = options["silence"]
    return True, []


def _inherited(config: Config) -> dict[str, object]:
    defaults = config.defaults.model_dump(mode="json")
    return {
        "moderator": list(config.moderator),
        "archive": config.archive,
        "reminders": defaults["reminders"],
        "approve": defaults["approve"],
    }


# What goes beyond a single value. It is looked for in the raw tree, so that a fault elsewhere hides none of these.

Found = Iterator[tuple[Loc, str, str]]


def _players(data: Mapping[str, Any], key: str) -> Iterator[tuple[int, str]]:
    """Index and text of a key of each player's line, where it is a text."""
    lines = data.get("players")
    for n, line in enumerate(lines if isinstance(lines, list) else ()):
        value = line.get(key) if isinstance(line, dict) else None
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
            yield n, str(value)


def _of_the_table(data: Mapping[str, Any], config: Config | None) -> Found:
    """Who plays, who moderates, and that no two of them share an address (MAIL.md)."""
    if data.get("players") and data.get("seats") is not None:
        yield ("seats",), "stands beside players; give either the players, or seats for a sign-up by mail", ""
    elif not data.get("players") and data.get("seats") is None:
        example = "players: [{name: alice, address: alice@example.org}, …] or seats: 10"
        yield ("players",), "are missing, and there are no seats for a sign-up by mail either", example
    if data.get("players") and data.get("start") is not None:
        yield ("start",), "goes with seats only; a game with players starts by `pbm game new FILE --start`", ""
    moderators = split_list(data.get("moderator"))
    if not moderators:
        yield ("moderator",), "is missing, here and in the configuration", "moderator: mod@example.org"
    taken: dict[str, str] = {}
    if config is not None:
        taken[address_key(config.mail.address)] = "this service's own mailbox"
    for moderator in moderators if isinstance(moderators, list) else ():
        if isinstance(moderator, str):
            taken.setdefault(address_key(moderator), "a moderator")
    names = dict(_players(data, "name"))
    for n, address in _players(data, "address"):
        owner = taken.get(address_key(address))
        if owner is None:
            taken[address_key(address)] = names.get(n, f"players[{n}]")
        elif not address_fault(address):
            yield ("players", n, "address"), f"{address} is already the address of {owner}; each needs their own", ""


def _of_names(data: Mapping[str, Any], reserved: Collection[str]) -> Found:
    """Names by MAIL.md's rules, and no two that are equal but for case and accents."""
    first: dict[str, str] = {}
    for n, name in _players(data, "name"):
        fault = name_fault(name, reserved)
        if fault is None and fold(name) in first:
            fault = f"'{name}' and '{first[fold(name)]}' are the same name: case and accents don't count"
        first.setdefault(fold(name), name)
        if fault is not None:
            yield ("players", n, "name"), fault, "name: alice"


def _of_the_rules(data: Mapping[str, Any], facts: Callable[[str], Facts]) -> Found:
    """What depends on the rule set: how many play, the phases that have timing, the options."""
    key = data.get("game")
    if not isinstance(key, str):
        return
    try:
        rules = facts(key)
    except LookupError as unknown:
        yield ("game",), str(unknown), ""
        return
    low, high = rules.seats
    needed = f"{rules.title} is for {low}" + ("" if high == low else f" to {high}" if high else " or more") + " players"
    lines, seats = data.get("players"), data.get("seats")
    if isinstance(lines, list) and lines and not low <= len(lines) <= (high or len(lines)):
        yield ("players",), f"{needed}, not {len(lines)}", ""
    if isinstance(seats, int) and not isinstance(seats, bool) and not low <= seats <= (high or seats):
        yield ("seats",), f"{needed}, not {seats}", f"seats: {low}"
    phases = [phase.name for phase in rules.phases]
    timing = data.get("timing")
    for phase in timing if isinstance(timing, dict) else ():
        if phase not in (*phases, "default"):
            yield ("timing", phase), f"no phase of {rules.title}; {near(phase, [*phases, 'default'])}", ""
    options = data.get("options")
    if isinstance(options, dict):
        try:
            rules.options.model_validate(options)
        except ValidationError as error:
            for detail, told in zip(error.errors(), model_faults(error, rules.options), strict=True):
                yield ("options", *detail["loc"]), told.reason, told.example
