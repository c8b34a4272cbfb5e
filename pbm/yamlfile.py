"""YAML files that people write: read safely, with the line of every key, and every fault in plain words.

Scalars are read as YAML 1.2 has them: `no`, `on` and `18:00` are text here, where YAML 1.1 makes them false, true and
1080; only `true`, `false`, `null` and plain whole numbers are something else. A key that stands twice is a fault.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pbm.faults import ConfigFaults, Fault, Loc, path_text

MAX_BYTES = 1_000_000
_MAX_DEPTH = 30


class _Loader(yaml.SafeLoader):
    """The scalars of YAML 1.2's core schema, without floats: nothing that we read is one."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(|~|null)\Z"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(true|false)\Z"), ["t", "f"])
# More digits than this are no number that anybody means, but, say, a seed.
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"-?(0|[1-9][0-9]{0,17})\Z"), list("-0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"<<\Z"), ["<"])


@dataclass(frozen=True)
class Document:
    """A file's top mapping, and the line of each path in it. `source`: what to call the file in messages."""

    data: dict[str, Any]
    lines: Mapping[Loc, int]
    source: str

    def where(self, loc: Loc) -> str:
        """`line 5`: of the path, or of the nearest key above it that stands in the file; else empty."""
        for end in range(len(loc), 0, -1):
            if loc[:end] in self.lines:
                return f"line {self.lines[loc[:end]]}"
        return ""


def read_yaml(source: Path | str, *, name: str = "") -> Document:
    """A file's mapping, or that of a text. Raises ConfigFaults. `name`: what to call it instead of its path."""
    name = name or (str(source) if isinstance(source, Path) else "text")
    text = _text(source, name) if isinstance(source, Path) else source
    builder = _Builder()
    try:
        # Loaders are no context managers; this one holds a text, nothing to close.
        loader = _Loader(text)
        node = loader.get_single_node()
        data = {} if node is None else builder.value(node, loader, ())
    except yaml.MarkedYAMLError as fault:
        raise ConfigFaults([_syntax(fault)], name) from None
    except yaml.reader.ReaderError as fault:
        line = text.count("\n", 0, fault.position) + 1
        raise ConfigFaults([Fault("", "a character that YAML doesn't allow", where=f"line {line}")], name) from None
    except RecursionError:
        raise ConfigFaults([Fault("", "sections stand too deep in one another")], name) from None
    if not builder.faults and data is not None and not isinstance(data, dict):
        builder.faults.append(Fault("", "the file must be made of `key: value` lines", where="line 1"))
    if builder.faults:
        raise ConfigFaults(builder.faults, name)
    return Document(data or {}, builder.lines, name)


def _text(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as fault:
        reason = "there is no such file" if isinstance(fault, FileNotFoundError) else f"can't be read: {fault.strerror}"
        raise ConfigFaults([Fault("", reason)], name) from None
    if len(raw) > MAX_BYTES:
        raise ConfigFaults([Fault("", f"is longer than {MAX_BYTES} bytes")], name)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise ConfigFaults(
            [Fault("", "is not in UTF-8; save it in that encoding", where=f"line {line}")], name
        ) from None


def _syntax(fault: yaml.MarkedYAMLError) -> Fault:
    mark = fault.problem_mark or fault.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
    told = ": ".join(part for part in (fault.context, fault.problem) if part)
    hint = "; indent with blanks" if "'\\t'" in told else ""
    return Fault("", f"not readable as YAML: {' '.join(told.split())}{hint}", where=where)


class _Builder:
    """Plain values of a node, with the line of each path, and what is wrong with them."""

    def __init__(self) -> None:
        self.lines: dict[Loc, int] = {}
        self.faults: list[Fault] = []
        self._merged: set[int] = set()  # mappings whose `<<` has been worked in; aliases come by again

    def value(self, node: Node, loader: _Loader, loc: Loc) -> Any:
        if len(loc) > _MAX_DEPTH:
            # An alias of a section inside itself ends here too.
            raise RecursionError
        if isinstance(node, MappingNode):
            return self._mapping(node, loader, loc)
        if isinstance(node, SequenceNode):
            found = []
            for n, item in enumerate(node.value):
                self.lines[(*loc, n)] = item.start_mark.line + 1
                found.append(self.value(item, loader, (*loc, n)))
            return found
        return self._scalar(node, loc)

    def _mapping(self, node: MappingNode, loader: _Loader, loc: Loc) -> dict[str, Any]:
        if id(node) not in self._merged:
            self._merged.add(id(node))
            self._check_keys(node, loc)
            loader.flatten_mapping(node)
        found: dict[str, Any] = {}
        for key, value in node.value:  # what `<<` brings in comes first, and gives way
            if isinstance(key, ScalarNode):
                self.lines[(*loc, key.value)] = key.start_mark.line + 1
                found[key.value] = self.value(value, loader, (*loc, key.value))
        return found

    def _check_keys(self, node: MappingNode, loc: Loc) -> None:
        first: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, ScalarNode):
                self.faults.append(Fault(path_text(loc), "a key must be a plain word", where=f"line {line}"))
            elif key.value in first:
                reason = f"stands twice, first in line {first[key.value]}; keep one of them"
                self.faults.append(Fault(path_text((*loc, key.value)), reason, where=f"line {line}"))
            else:
                first[key.value] = line

    def _scalar(self, node: Node, loc: Loc) -> Any:
        kind, text = node.tag.rpartition(":")[2], str(node.value)
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool" and text in ("true", "false"):
            return text == "true"
        if kind == "int" and re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        where = f"line {node.start_mark.line + 1}"
        self.faults.append(Fault(path_text(loc), f"the tag {node.tag} isn't read here; leave it out", where=where))
        return None
