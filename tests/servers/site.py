"""A pbm of its own beside the mail host: a folder with config.yaml, and the real commands as processes."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pbm.paper import adjudicate
from tests.servers.mailhost import MailHost
from tests.servers.players import Mailbox, Received

ARCHIVE, MODERATOR, BASE = "archive@play.test", "mod@play.test", "pbm@play.test"
SEED = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"


@dataclass
class Site:
    """`settings`: laid over the configuration, section by section."""

    folder: Path
    host: MailHost
    database: str = "sqlite:///pbm.db"
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    service: "subprocess.Popen[bytes] | None" = None
    _started: int = 0

    def __post_init__(self) -> None:
        host = self.host
        imap = {"host": "localhost", "port": host.imaps_port, "tls": "implicit", "ca": host.ca, "user": BASE}
        smtp = {"host": "localhost", "port": host.submission_port, "tls": "starttls", "ca": host.ca, "user": BASE}
        both = {"password": host.password, "timeout": "10s"}
        config = {
            "mail": {
                "address": BASE,
                "imap": {**imap, **both, "poll": "2s", **self.settings.get("imap", {})},
                "smtp": {**smtp, **both, "rate": "none", **self.settings.get("smtp", {})},
                "authserv_id": host.hostname,
            },
            "archive": ARCHIVE,
            "moderator": MODERATOR,
            "database": self.database,
        }
        self.config.write_text(yaml.safe_dump(config))
        for address in (BASE, ARCHIVE, MODERATOR):
            box = Mailbox(host, address)
            box.empty()
            box.close()

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "pbm", "--config", str(self.config), *args]

    def run(self, *args: str, status: int = 0) -> str:
        """One command to its end; gives what it printed."""
        done = subprocess.run(
            self.command(*args), cwd=self.folder, env=_environment(), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == status, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}\n{self.log()}"
        return done.stdout

    def json(self, *args: str) -> Any:
        return json.loads(self.run(*args, "--json"))

    def open(self, file: str, *, start: bool = True) -> None:
        """`game new FILE`, with --start."""
        path = self.folder / "game.yaml"
        path.write_text(file)
        self.run("game", "new", str(path), *(["--start"] if start else []))

    def rows(self, query: str, *values: object) -> list[Any]:
        """A look into the SQLite file, which costs less than a command."""
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/pbm.db?mode=ro", uri=True)) as database:
            return database.execute(query, values).fetchall()

    def unsent(self) -> int:
        """How many mails are queued."""
        return int(self.rows("SELECT count(*) FROM outbox WHERE status = 'queued'")[0][0])

    # -- the service -----------------------------------------------------------------------------------------------

    def serve(self) -> None:
        self._started = len(self._lines())
        with (self.folder / "serve.log").open("ab") as log:
            command = [*tied("KILL"), *self.command("serve")]
            self.service = subprocess.Popen(command, cwd=self.folder, env=_environment(), stdout=log, stderr=log)

    def kill(self) -> None:
        """kill -9."""
        assert self.service is not None
        assert self.service.poll() is None, self.log()
        self.service.kill()
        self.service.wait()
        self.service = None

    def stop(self) -> None:
        """SIGTERM; a service that doesn't end well is a failure."""
        if self.service is None:
            return
        service, self.service = self.service, None
        service.send_signal(signal.SIGTERM)
        try:
            status = service.wait(20)
        except subprocess.TimeoutExpired:
            service.kill()
            service.wait()
            raise AssertionError(f"the service doesn't stop\n{self.log()}") from None
        assert status == 0, self.log()

    def is_serving(self) -> bool:
        """Whether the service that was started last has got so far."""
        return any("serving" in line for line in self._lines()[self._started :])

    def _lines(self) -> list[str]:
        path = self.folder / "serve.log"
        return path.read_text(errors="replace").splitlines() if path.exists() else []

    def log(self) -> str:
        path = self.folder / "serve.log"
        return path.read_text(errors="replace")[-8000:] if path.exists() else ""

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        if self.service is not None:
            self.service.kill()
            self.service.wait()


def tied(signal_name: str) -> list[str]:
    """What goes before a command so that it gets this signal when the tests die, however they die."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", signal_name] if setpriv else []


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PBM_")}
    return {**kept, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "PYTHONWARNINGS": "ignore"}


def wait_for(probe: Callable[[], object], seconds: float, what: str, told: Callable[[], str] = str) -> None:
    """Until the probe says yes. `told`: what to report if it never does."""
    end = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < end, f"{what}: not within {seconds:.0f} s\n{told()}"
        time.sleep(0.1)


# -- the same game on paper ----------------------------------------------------------------------------------------


def orders_told(summary: Received, names: Sequence[str]) -> dict[str, list[str]]:
    """The orders of a close, from the table in the moderator's summary of it."""
    table = summary.text.partition("== What had been sent ==")[2].partition("\n== ")[0]
    rows = [line.partition(" ") for line in table.splitlines()]
    return {name: [order.strip().strip("()")] for name, _, order in rows if name in names and "(" in order}


def summaries(mails: Sequence[Received]) -> list[Received]:
    """The summaries of closes among the moderator's mails."""
    return [mail for mail in mails if mail.kind == "summary" and "] Summary: " in mail.subject]


def on_paper(game: str, names: Sequence[str], steps: Sequence[dict[str, list[str]]], **options: object) -> Any:
    """What `pbm adjudicate` makes of these orders."""
    return adjudicate(
        {
            "game": game,
            "seed": SEED,
            "options": options,
            "players": list(names),
            "steps": [{"orders": orders} for orders in steps],
        }
    )
