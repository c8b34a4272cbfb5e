"""The fences between the folders (DESIGN.md, *One way through the house*, *Layout*), kept by reading the imports.

Rules, parsing and composing are functions from values to values: only IMAP, SMTP, the database and the clock touch the
world. Nothing below the shell asks the time, sleeps or draws random numbers.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pbm"

# Modules that reach the world, the time or chance.
WORLD = {
    *("asyncio", "socket", "ssl", "select", "selectors", "http", "urllib.request", "smtplib", "imaplib", "subprocess"),
    *(
        "threading",
        "multiprocessing",
        "sqlite3",
        "peewee",
        "playhouse",
        "aioimaplib",
        "aiosmtplib",
        "aiosmtpd",
        "pymap",
    ),
    *("apscheduler", "os", "tempfile", "shutil", "logging", "structlog", "prometheus_client"),
}
CHANCE = {"random", "secrets", "uuid"}
CLOCK = {"time", "sched"}
ASKS_TIME = {"now", "utcnow", "today", "time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime"}

MAIL_SHELL = {"imap.py", "imap_session.py", "smtp.py", "net.py"}
SHELL = {"app.py", "clock.py", "cli", "demo", "bench"}
# APScheduler's alarm is set by its own clock: that is the one thing it is for.
# What the wires hand to the service, and get from it: plain values.
WIRE_VALUES = {
    *("pbm.mail.imap.Arrival", "pbm.mail.smtp.Outcome"),
    *("pbm.mail.smtp.Later", "pbm.mail.smtp.Refused", "pbm.mail.smtp.Sent"),
}
OWN_CLOCKS = {"clock.py": {"time.time"}, "app.py": {"datetime.now"}}


def modules(*folders: str) -> list[Path]:
    found = sorted(path for folder in folders for path in (PACKAGE / folder).rglob("*.py"))
    assert found, folders
    return found


def shown(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def imports(source: str) -> Iterator[str]:
    """Every module that a source imports, anywhere in it; `from a import b` gives `a` and `a.b`, for b may be one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def strangers(path: Path, *, ours: tuple[str, ...], banned: set[str]) -> list[str]:
    """What the module imports of pbm outside `ours`, and of `banned`."""
    told = []
    for module in imports(path.read_text("utf-8")):
        own = within(module, "pbm") and module != "pbm"
        if own and not any(within(module, name) for name in ours):
            told.append(module)
        told += [module for name in banned if within(module, name)]
    return told


def calls(source: str) -> Iterator[str]:
    """Every call of an attribute of a plain name: `time.time`, `datetime.now`, `asyncio.sleep`."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            yield f"{node.func.value.id}.{node.func.attr}"


@pytest.mark.parametrize("path", modules("core"), ids=shown)
def test_core_imports_only_core_and_nothing_of_the_world(path: Path) -> None:
    assert strangers(path, ours=("pbm.core",), banned=WORLD | CHANCE | CLOCK | {"datetime"}) == []


@pytest.mark.parametrize("path", modules("games"), ids=shown)
def test_games_import_only_core(path: Path) -> None:
    banned = WORLD | CHANCE | CLOCK | {"datetime", "yaml", "jinja2"}
    assert strangers(path, ours=("pbm.core", "pbm.games"), banned=banned) == []


@pytest.mark.parametrize("path", modules("games"), ids=shown)
def test_a_rule_set_knows_no_other(path: Path) -> None:
    """A game's helper modules begin with an underscore; whole rule sets don't import each other."""
    seen = {module.split(".")[2] for module in imports(path.read_text("utf-8")) if module.startswith("pbm.games.")}
    assert all(name.startswith("_") for name in seen)


@pytest.mark.parametrize("path", [p for p in modules("mail") if p.name not in MAIL_SHELL], ids=shown)
def test_mail_is_pure_but_for_imap_and_smtp(path: Path) -> None:
    banned = (WORLD | CHANCE | CLOCK) - {"os"} | {f"pbm.mail.{name.removesuffix('.py')}" for name in MAIL_SHELL}
    ours = ("pbm.core", "pbm.mail", "pbm.timewords", "pbm.timing", "pbm.addresses")
    assert strangers(path, ours=ours, banned=banned) == []


@pytest.mark.parametrize("path", [p for p in modules("mail") if p.name in MAIL_SHELL], ids=shown)
def test_the_wires_know_neither_games_nor_database(path: Path) -> None:
    assert strangers(path, ours=("pbm.mail", "pbm.clock", "pbm.addresses"), banned={"peewee"}) == []
    assert not any(within(module, "pbm.mail.templates") for module in imports(path.read_text("utf-8")))


@pytest.mark.parametrize("path", modules("store"), ids=shown)
def test_the_store_knows_no_service(path: Path) -> None:
    ours = ("pbm.store", "pbm.core", "pbm.faults")
    assert strangers(path, ours=ours, banned={"asyncio", "socket", "random", "time", "datetime"}) == []


@pytest.mark.parametrize("path", modules("service"), ids=shown)
def test_the_service_is_below_the_shell(path: Path) -> None:
    """It has the time and chance handed to it, talks to no server, and waits for nothing."""
    banned = {"pbm.app", "pbm.cli", "pbm.demo", "pbm.clock"}
    banned |= CHANCE | CLOCK | {"asyncio", "socket", "ssl", "aioimaplib", "aiosmtplib", "apscheduler", "threading"}
    assert strangers(path, ours=("pbm",), banned=banned) == []
    wires = {f"pbm.mail.{name.removesuffix('.py')}" for name in MAIL_SHELL}
    of_wires = {module for module in imports(path.read_text("utf-8")) if any(within(module, wire) for wire in wires)}
    assert of_wires <= wires | WIRE_VALUES


@pytest.mark.parametrize("path", modules(""), ids=shown)
def test_only_the_clock_asks_what_time_it_is(path: Path) -> None:
    asked = {call for call in calls(path.read_text("utf-8")) if call.rpartition(".")[2] in ASKS_TIME}
    asked = {call for call in asked if call.partition(".")[0] in ("time", "datetime", "date")}
    if path.relative_to(PACKAGE).parts[0] in SHELL:
        asked -= {"time.monotonic", "time.perf_counter"}  # how long something took
    assert asked <= OWN_CLOCKS.get(shown(path), set())


@pytest.mark.parametrize("path", modules(""), ids=shown)
def test_nothing_below_the_shell_sleeps_or_draws_random_numbers(path: Path) -> None:
    """The service's key is made once, with its database; everything else has chance handed to it (G4, HMAC)."""
    parts = path.relative_to(PACKAGE).parts
    if parts[0] in SHELL or (parts[0] == "mail" and path.name in MAIL_SHELL):
        return
    source = path.read_text("utf-8")
    assert not any(call.endswith(".sleep") for call in calls(source))
    drawn = {name for module in imports(source) for name in CHANCE if within(module, name)}
    assert drawn <= ({"secrets"} if shown(path) == "store/db.py" else set())


def test_only_the_shell_builds_the_parts() -> None:
    """Nothing but commands and demo imports the app; nothing at all imports the commands but their own."""
    for path in modules(""):
        top = path.relative_to(PACKAGE).parts[0]
        for module in imports(path.read_text("utf-8")):
            if within(module, "pbm.app"):
                assert top in ("cli", "demo", "bench"), shown(path)
            if within(module, "pbm.cli"):
                assert top in ("cli", "__main__.py"), shown(path)
            if within(module, "pbm.demo"):
                assert top in ("cli", "demo", "bench"), shown(path)


def test_the_fences_see_what_they_look_for() -> None:
    source = "import os.path\ndef f():\n    from pbm.store import db\n    return time.time() + datetime.now()\n"
    assert list(imports(source)) == ["os.path", "pbm.store", "pbm.store.db"]
    assert list(calls(source)) == ["time.time", "datetime.now"]
    assert within("os.path", "os")
    assert not within("osmosis", "os")
