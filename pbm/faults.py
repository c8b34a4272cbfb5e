"""Faults of a file that a person wrote: all of them at once, each with its path, the reason and an example."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from rapidfuzz.distance import OSA

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to put right. `path`: `mail.imap.port` or `players[0].name` (from 0), empty for the file as a whole;
    `example`: how it is written rightly; `where`: the line, or the environment variable, that it comes from."""

    path: str
    reason: str
    example: str = ""
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.path} ({self.where})" if self.path and self.where else self.path or self.where
        told = f"{place}: {self.reason}" if place else self.reason
        return f"{told}; for example: {self.example}" if self.example and "for example" not in told else told


def _line(fault: Fault) -> int:
    found = re.match(r"line (\d+)", fault.where)
    return int(found[1]) if found else 0


class ConfigFaults(Exception):
    """A configuration or game file that can't be used. `source`: its name; the text names every
    fault on a line of its own, in the order of the file."""

    def __init__(self, faults: Iterable[Fault], source: str) -> None:
        self.faults = tuple(sorted(faults, key=_line))
        self.source = source
        super().__init__(self.source, self.faults)

    def __str__(self) -> str:
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        return "\n".join([f"{self.source}: {count}", *(f"  {fault}" for fault in self.faults)])


def path_text(loc: Loc) -> str:
    """`("players", 0, "name")` as `players[0].name`."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def near(word: str, known: Iterable[str]) -> str:
    """`did you mean X?`, or the list of what is known where nothing is near."""
    known = list(known)
    best = min(known, key=lambda other: OSA.distance(word.lower(), other), default="")
    if OSA.distance(word.lower(), best) <= max(1, len(word) // 3):
        return f"did you mean {best}?"
    return f"known here: {', '.join(known)}" if known else "nothing is known here"


def model_faults(
    error: ValidationError,
    model: type[BaseModel],
    *,
    prefix: Loc = (),
    where: Callable[[Loc], str] = lambda loc: "",
) -> list[Fault]:
    """What pydantic found wrong, in plain words. `prefix`: where in the file the model stands; `where`: of a path."""
    found = []
    for detail in error.errors(include_url=False):
        loc = detail["loc"]
        field, parent = _field_at(model, loc)
        example = str(field.examples[0]) if field is not None and field.examples else ""
        found.append(Fault(path_text(prefix + loc), _reason(detail, field, parent), example, where(prefix + loc)))
    return found


def _reason(detail: ErrorDetails, field: FieldInfo | None, parent: type[BaseModel] | None) -> str:
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return f"unknown key; {near(str(detail['loc'][-1]), parent.model_fields if parent else ())}"
    if kind == "value_error":
        return str(context["error"])
    if given is None:
        return "has no value"
    but = f", not {_shown(given, field)}"
    if kind.startswith("int_"):
        return f"must be a whole number{but}"
    if kind in ("greater_than_equal", "greater_than", "less_than_equal", "less_than"):
        words = {"greater_than_equal": "at least", "greater_than": "more than"}
        words |= {"less_than_equal": "at most", "less_than": "less than"}
        return f"must be {words[kind]} {next(iter(context.values()))}{but}"
    if kind.startswith("bool_"):
        return f"must be true or false{but}"
    if kind == "literal_error":
        return f"must be one of {_choices(field)}{but}"
    if kind == "string_pattern_mismatch":
        return f"must look like {field.examples[0]}{but}" if field and field.examples else f"is no such text{but}"
    for start, wanted in _KINDS.items():
        if kind.startswith(start):
            return f"must be {wanted}{but}"
    return str(detail["msg"])


_KINDS: Mapping[str, str] = {
    "string_": "a text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a section with `key: value` lines",
    "mapping_type": "a section with `key: value` lines",
    "model_": "a section with `key: value` lines",
}


def _shown(given: object, field: FieldInfo | None) -> str:
    """What was given instead, short, and never a secret."""
    if isinstance(given, Mapping):
        return "a section"
    if isinstance(given, Sequence) and not isinstance(given, str):
        return "a list"
    if field is not None and (not field.repr or SecretStr in (field.annotation, *get_args(field.annotation))):
        return "what stands there"
    if isinstance(given, bool):
        return "true" if given else "false"
    text = " ".join(str(given).split())
    text = text if len(text) <= 40 else text[:39] + "…"
    return f"'{text}'" if isinstance(given, str) else text


def _choices(field: FieldInfo | None) -> str:
    return ", ".join(str(choice) for choice in _leaves(field.annotation)) if field is not None else "those known"


def _leaves(annotation: Any) -> Iterable[object]:
    """The values of a Literal, alone or beside None."""
    for arg in get_args(annotation):
        if isinstance(arg, str):
            yield arg
        elif arg is not type(None):
            yield from _leaves(arg)


def _field_at(model: type[BaseModel], loc: Loc) -> tuple[FieldInfo | None, type[BaseModel] | None]:
    """The field that a path leads to, or into, and the model that its last key stands in."""
    field: FieldInfo | None = None
    here: Any = model
    parent: type[BaseModel] | None = None
    for part in loc:
        here = _plain(here)
        if isinstance(here, type) and issubclass(here, BaseModel):
            parent = here
            field = here.model_fields.get(str(part))
            here = field.annotation if field is not None else None
        else:
            args = [arg for arg in get_args(here) if arg is not Ellipsis]
            here = args[-1] if args else None
    return field, parent


def _plain(annotation: Any) -> Any:
    """The annotation without `| None`, and of Annotated what is annotated."""
    if get_origin(annotation) in (Union, UnionType):
        return next(arg for arg in get_args(annotation) if arg is not type(None))
    if hasattr(annotation, "__metadata__"):
        return _plain(get_args(annotation)[0])
    return annotation
