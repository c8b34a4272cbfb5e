"""The compliance page: each ruling in our own words, with the tests that pin it (issue "All five games").

The words stand in `docs/rulings/*.yaml`, a file for each game and `common.yaml` for the rulings of all: lists of
{`id`, `title`, `text`, `options`: [names], `contradiction`: null or what the author's text leaves unclear and what was
chosen}. A test pins a ruling by naming its number in its own name or docstring. `python -m pbm.compliance` writes
`docs/COMPLIANCE.md`; with `--check` it writes nothing, and says what is missing or out of date.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from pbm.core import registry
from pbm.core.engine import Json

PAGE = Path("docs") / "COMPLIANCE.md"
COMMON = "common"

# The rulings there are, by file: the letter of their numbers, and how many (RULINGS.md).
NUMBERING: Mapping[str, tuple[str, int]] = {
    COMMON: ("G", 8),
    "tontine": ("T", 18),
    "point_thief": ("P", 9),
    "buy_the_bullet": ("B", 11),
    "dont_get_greedy": ("D", 3),
    "money_grab": ("M", 7),
}

# RULINGS.md asks that the page says so of these four.
READINGS = {
    "T7": "an order on credit whose target has died lapses, and nobody has to pay for it",
    "T12": "others can still bribe the assassin of a player who sent nothing",
    "M3": "a number outside the limits is refused, and never turned into some other move",
    "B9": "a round of pledges comes between the last card of the living and the new deal",
}

_NUMBER = re.compile(r"(?<![A-Za-z0-9])([GTPBDM][1-9][0-9]?)(?![A-Za-z0-9])")


class Ruling(BaseModel):
    """One ruling as `docs/rulings` has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    text: str
    options: list[str] = []
    contradiction: str | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """All there is to show: rulings by file, tests by ruling's number ({path: names}), and what is wrong."""

    rulings: Mapping[str, tuple[Ruling, ...]]
    tests: Mapping[str, Mapping[str, tuple[str, ...]]]
    faults: tuple[str, ...]


def expected(file: str) -> tuple[str, ...]:
    """The numbers that the rulings of this file must have, in order."""
    letter, count = NUMBERING[file]
    return tuple(f"{letter}{n}" for n in range(1, count + 1))


def tests_by_ruling(root: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """{ruling's number: {path of a test file: names of its tests}}, from the source of `tests/`; nothing is run."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        shown = path.relative_to(root).as_posix()
        for name, numbers in _tests_in(path.read_text("utf-8")):
            for number in numbers:
                files = found.setdefault(number, {})
                files[shown] = (*files.get(shown, ()), name)
    return found


def _tests_in(source: str) -> Iterator[tuple[str, list[str]]]:
    """Each test of a file, with the numbers that its name and its docstring hold."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            words = f"{node.name.replace('_', ' ')} {ast.get_docstring(node) or ''}"
            yield node.name, list(dict.fromkeys(_NUMBER.findall(words)))


def collect(root: Path) -> Collected:
    """Read rulings and tests below the top level of the repository. Faults are told, never raised."""
    tests = tests_by_ruling(root)
    rulings: dict[str, tuple[Ruling, ...]] = {}
    faults: list[str] = []
    for file in NUMBERING:
        path = root / "docs" / "rulings" / f"{file}.yaml"
        rulings[file], told = _read(path)
        faults += [f"{path.relative_to(root).as_posix()}: {fault}" for fault in told]
        faults += _check(file, rulings[file], tests)
    strangers = {path.stem for path in (root / "docs" / "rulings").glob("*.yaml")} - NUMBERING.keys()
    faults += [f"docs/rulings/{name}.yaml: there is no such game" for name in sorted(strangers)]
    return Collected(rulings, tests, tuple(faults))


def _read(path: Path) -> tuple[tuple[Ruling, ...], list[str]]:
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
        return tuple(TypeAdapter(list[Ruling]).validate_python(data)), []
    except FileNotFoundError:
        return (), ["the file is missing"]
    except yaml.YAMLError as fault:
        return (), [f"not readable as YAML: {' '.join(str(fault).split())}"]
    except ValidationError as faults:
        return (), [f"{'.'.join(str(p) for p in fault['loc'])}: {fault['msg']}" for fault in faults.errors()]


def _check(file: str, rulings: Sequence[Ruling], tests: Mapping[str, object]) -> Iterator[str]:
    numbers = [ruling.id for ruling in rulings]
    for number in expected(file):
        if number not in numbers:
            yield f"{number} has no entry in docs/rulings/{file}.yaml"
        if number not in tests:
            yield f"{number} has no test: none below tests/ has {number} in its name or docstring"
    for n, number in enumerate(numbers):
        if number not in expected(file):
            yield f"docs/rulings/{file}.yaml: there is no ruling {number}"
        elif number in numbers[:n]:
            yield f"docs/rulings/{file}.yaml: {number} stands there twice"
    if file != COMMON:
        named = {option for ruling in rulings for option in ruling.options}
        known = _defaults(file)
        yield from (f"docs/rulings/{file}.yaml: there is no option {name}" for name in sorted(named - known.keys()))
        yield from (
            f"docs/rulings/{file}.yaml: no ruling names the option {name}" for name in sorted(known.keys() - named)
        )


def _defaults(game: str) -> Json:
    """The options of a rule set, with their defaults."""
    return {
        name: field.get_default(call_default_factory=True)
        for name, field in registry.get(game).facts.options.model_fields.items()
    }


def missing(root: Path) -> list[str]:
    """What keeps the page from being whole: rulings without an entry or a test, and faults in the entries."""
    return list(collect(root).faults)


def build(root: Path) -> str:
    """The page, as Markdown. What is missing is shown as missing; `missing` lists it."""
    found = collect(root)
    parts = [_HEAD.format(readings=_list_of_readings())]
    for file, rulings in found.rulings.items():
        title = "All games" if file == COMMON else registry.get(file).facts.title
        parts.append(f"## {title}\n")
        parts += [_options_table(file)] if file != COMMON and _defaults(file) else []
        parts += [_ruling(file, ruling, found.tests.get(ruling.id, {})) for ruling in rulings]
    return "\n".join(parts)


_HEAD = """\
# Compliance: the rulings and their tests

Written by `python -m pbm.compliance` from `docs/rulings/` and `tests/`; don't edit it by hand. `--check` fails where it
isn't current, or where a ruling has no entry or no test.

Some rulings are readings of a text that allows others:

{readings}
"""


def _list_of_readings() -> str:
    return "\n".join(f"- {number}: {what}." for number, what in READINGS.items())


def _options_table(game: str) -> str:
    rows = [f"| `{name}` | {_shown(value)} |" for name, value in _defaults(game).items()]
    return "\n".join(["| option | default |", "| --- | --- |", *rows, ""])


def _shown(value: object) -> str:
    """A default for people; None means that the ruling's text says what holds."""
    return "as the ruling says" if value is None else f"`{value}`"


def _ruling(file: str, ruling: Ruling, tests: Mapping[str, Sequence[str]]) -> str:
    lines = [f"### {ruling.id}: {ruling.title}", "", " ".join(ruling.text.split()), ""]
    if ruling.options:
        lines += [f"Options: {', '.join(f'`{name}`' for name in ruling.options)}.", ""]
    if ruling.id in READINGS:
        lines += [f"One reading among several: {READINGS[ruling.id]}.", ""]
    if ruling.contradiction:
        lines += [f"In the author's text: {' '.join(ruling.contradiction.split())}", ""]
    lines.append("Tests:" if tests else "**No test.**")
    lines += [f"- `{path}`: {', '.join(f'`{name}`' for name in names)}" for path, names in tests.items()]
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page of the repository at hand. 0: done or current; 1: something is missing or stale."""
    parser = argparse.ArgumentParser(prog="python -m pbm.compliance", description="Write docs/COMPLIANCE.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is not current")
    parser.add_argument("--root", type=Path, default=Path(), help="top level of the repository (default: here)")
    given = parser.parse_args(arguments)
    page, faults = build(given.root), missing(given.root)
    target = given.root / PAGE
    if not given.check:
        target.write_text(page, "utf-8")
    elif not target.exists() or target.read_text("utf-8") != page:
        faults.append(f"{PAGE.as_posix()} is not current: run python -m pbm.compliance")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
