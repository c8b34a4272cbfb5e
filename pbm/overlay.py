"""What the environment and secret files put over a configuration file (INTERFACE.md, "config.yaml").

`PBM_MAIL__IMAP__PASSWORD=…` sets `mail.imap.password`, and beats the file; `{file: PATH}` in the place of any value
stands for that file's text.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbm.core.names import nearest
from pbm.faults import Fault, Loc, path_text

PREFIX = "PBM_"
# The name of the configuration file itself, for those who don't want to write --config.
NOT_A_KEY = frozenset({"PBM_CONFIG"})
_MAX_SECRET = 64_000


@dataclass
class Overlay:
    """A tree of values, and where those that aren't from the file itself come from."""

    data: dict[str, Any]
    origins: dict[Loc, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    unread: set[Loc] = field(default_factory=set)
    """Values that couldn't be read, and have their fault already."""

    def where(self, loc: Loc) -> str:
        """Which variable or file the value, or the section above it, comes from; empty: from the file itself."""
        return next((self.origins[loc[:end]] for end in range(len(loc), 0, -1) if loc[:end] in self.origins), "")

    def inside(self, loc: Loc) -> str:
        """Which variable or file something inside this section comes from."""
        return next((origin for inner, origin in self.origins.items() if inner[: len(loc)] == loc), "")


def overlay(data: dict[str, Any], environ: Mapping[str, str], base: Path, known: Collection[str]) -> Overlay:
    """The file's tree with the environment over it, and every `{file: …}` read, its path relative to `base`.

    `known`: the top keys. A variable with our prefix, no `__`, and a name that isn't even near one of them belongs to
    somebody else, and is left alone.
    """
    made = Overlay(_copied(data))
    # The shorter names first, so that PBM_MAIL__IMAP__PASSWORD__FILE is laid over PBM_MAIL__IMAP__PASSWORD.
    for name in sorted(environ, key=lambda name: (name.count("__"), name)):
        if not name.startswith(PREFIX) or name in NOT_A_KEY:
            continue
        loc = tuple(part.lower() for part in name.removeprefix(PREFIX).split("__"))
        if len(loc) == 1 and loc[0] not in known and nearest(loc[0], list(known), 2) is None:
            continue
        _put(made.data, loc, environ[name])
        made.origins[loc] = f"environment variable {name}"
    made.data = _with_files(made.data, (), base, made)
    return made


def _copied(value: Any) -> Any:
    return {key: _copied(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def _put(data: dict[str, Any], loc: Loc, value: str) -> None:
    for part in loc[:-1]:
        if not isinstance(data.get(str(part)), dict):
            data[str(part)] = {}
        data = data[str(part)]
    data[str(loc[-1])] = value


def _with_files(value: Any, loc: Loc, base: Path, made: Overlay) -> Any:
    if not isinstance(value, dict):
        return value
    if loc and set(value) == {"file"}:
        return _read(value["file"], loc, base, made)
    return {key: _with_files(inner, (*loc, key), base, made) for key, inner in value.items()}


def _read(name: Any, loc: Loc, base: Path, made: Overlay) -> str | None:
    origin = made.where((*loc, "file"))
    reason = ""
    text = ""
    if not isinstance(name, str) or not name:
        reason = "`file` takes the path of a file"
    else:
        made.origins[loc] = f"file {base / name}"
        try:
            with (base / name).open("rb") as file:
                # Editors and `echo` end a file with a line end that is no part of the secret.
                text = file.read(_MAX_SECRET).decode().rstrip("\r\n")
        except OSError as fault:
            missing = isinstance(fault, FileNotFoundError)
            reason = "there is no such file" if missing else f"can't be read: {fault.strerror}"
        except UnicodeDecodeError:
            reason = "is not in UTF-8"
        if not reason and not text:
            reason = "is empty"
    if reason:
        made.unread.add(loc)
        example = "{file: /run/secrets/imap}"
        made.faults.append(Fault(path_text(loc), reason, example, made.origins.get(loc, origin)))
    return text
