"""What commands share: the settings they were called with, how they fail, and the way into the database."""

import getpass
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from pbm.config import Config
    from pbm.service.house import House

REFUSED, WRONG = 1, 2


class Failed(Exception):
    """A command that ends with a reason. `status`: 1 refused or failed, 2 wrong use or configuration."""

    def __init__(self, reason: str, status: int = REFUSED) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


@dataclass(frozen=True, slots=True)
class Called:
    """How pbm was called. `given`: whether the configuration file was named on the command line."""

    path: Path
    given: bool


def called(ctx: typer.Context) -> Called:
    found = ctx.find_root().obj
    assert isinstance(found, Called)
    return found


def config_of(ctx: typer.Context) -> "Config":
    """The checked settings. Without a file the environment alone may hold them. Raises ConfigFaults."""
    from pbm.config import load_config

    here = called(ctx)
    by_environment = any(name.startswith("PBM_MAIL__") for name in os.environ)
    if not here.given and not here.path.exists() and by_environment:
        return load_config(None, os.environ)
    return load_config(here.path, os.environ)


@contextmanager
def house_of(ctx: typer.Context) -> Iterator["House"]:
    """The database open, plug-ins on. Raises what `failure` knows."""
    from pbm.app import opened

    with opened(config_of(ctx)) as house:
        yield house


def now() -> int:
    from pbm.clock import SystemClock

    return SystemClock().now()


def me() -> str:
    """Who uses the command line, for the log."""
    try:
        return f"command line, {getpass.getuser()}"
    except (KeyError, OSError):
        return "command line"


def sure(yes: bool, what: str) -> None:
    """What is asked back by mail wants `--yes`; at a terminal it is asked. Raises Failed."""
    if yes:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        if typer.confirm(f"{what}. Are you sure?", err=True):
            return
        raise Failed("Nothing was done.")
    raise Failed(f"{what}. Nothing was done; say --yes if you are sure.")


def failure(fault: Exception) -> Failed | None:
    """What a fault that can be foreseen tells its reader, or None for one of our own mistakes."""
    from pbm.faults import ConfigFaults

    if isinstance(fault, ConfigFaults):
        return Failed(str(fault), WRONG)
    from pbm.core.registry import UnknownGame

    if isinstance(fault, UnknownGame):
        return Failed(f"plugins: {fault}", WRONG)
    from peewee import DatabaseError, InterfaceError

    from pbm.store.db import StoreFault

    if isinstance(fault, StoreFault):
        return Failed(str(fault))
    if isinstance(fault, DatabaseError | InterfaceError):
        return Failed(f"the database can't be used: {' '.join(str(fault).split())}")
    from pbm.service.rounds import NotNow

    if isinstance(fault, NotNow):
        return Failed(str(fault))
    if isinstance(fault, OSError):
        return Failed(f"{fault.filename or 'this'}: {fault.strerror or fault}")
    return None
