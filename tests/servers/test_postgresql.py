"""The same service on PostgreSQL: the commands and a short game over real mail, and what only a real server shows."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pbm.store import db
from pbm.store.models import Log, Meta, Question, Token, database
from tests.servers.mailhost import MailHost
from tests.servers.players import Company
from tests.servers.site import ARCHIVE, MODERATOR, SEED, Site, on_paper, orders_told, summaries, tied, wait_for

GAME = f"""
game: dont_get_greedy
id: pg-1
seed: "{SEED}"
options: {{pot: 20, replay_pot: 10}}
players:
  - {{name: alice, address: p9@play.test}}
  - {{name: bob, address: p10@play.test}}
timing: {{default: {{length: 10m}}}}
"""
pytestmark = pytest.mark.servers


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _user() -> str | None:
    """Who may run the server: not root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return None


def _missing() -> str | None:
    if _binaries() is None:
        return "PostgreSQL is missing (Debian: postgresql)"
    return None if _user() else "there is no user postgres to run PostgreSQL as"


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A PostgreSQL of its own on loopback; gives the URL of a database that is empty, without its name."""
    if reason := _missing():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    binaries, user = _binaries(), _user()
    assert binaries is not None
    assert user is not None
    folder = Path(tempfile.mkdtemp(prefix="pbm-pg-", dir="/var/tmp"))
    shutil.chown(folder, user)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    data, url = str(folder / "data"), f"postgresql://pbm@127.0.0.1:{port}"
    make = [str(binaries / "initdb"), "-D", data, "-U", "pbm", "-A", "trust", "-E", "UTF8", "--locale=C"]
    serve = [
        *tied("QUIT"),
        str(binaries / "postgres"),
        "-D",
        data,
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
        "-k",
        str(folder),
    ]
    try:
        subprocess.run(make, user=user, cwd=folder, check=True, capture_output=True, timeout=120)
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(serve, user=user, cwd=folder, stdout=log, stderr=log)
        try:
            wait_for(lambda: _answers(f"{url}/postgres"), 60, "PostgreSQL", (folder / "log").read_text)
            yield url
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
def url(cluster: str) -> str:
    """An empty database."""
    name = f"test_{os.urandom(4).hex()}"
    with psycopg.connect(f"{cluster}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type, unused-ignore]
    return f"{cluster}/{name}"


def test_a_short_game_over_real_mail(mail_servers: MailHost, tmp_path: Path, url: str) -> None:
    minds = {"p9@play.test": lambda mail: "TAKE 3", "p10@play.test": lambda mail: "TAKE 2"}
    with (
        Site(tmp_path, mail_servers, database=url) as site,
        Company(mail_servers, minds, (ARCHIVE, MODERATOR), ["pg-1"]) as company,
    ):
        site.run("init")
        site.run("init", status=1)
        assert "FAULT" not in site.run("check")
        site.run("upgrade")
        site.open(GAME)
        site.serve()
        wait_for(lambda: "over" in "".join(m.subject for m in company.box(MODERATOR, "pg-1")), 90, "the end", site.log)
        site.run("serve", "--once", status=1)  # another one is at work
        site.stop()
        shown = site.json("game", "show", "pg-1")
        assert site.json("game", "replay", "pg-1")["same"]
        mails = site.json("mail", "list")
    assert not company.faults
    closes = summaries(company.box(MODERATOR, "pg-1"))
    steps = [orders_told(mail, ("alice", "bob")) for mail in closes]
    played = on_paper("dont_get_greedy", ("alice", "bob"), steps, pot=20, replay_pot=10)
    assert played["winners"] == shown["winners"]
    assert played["steps"][-1]["public"] == shown["public"]
    assert len(company.box(ARCHIVE, "pg-1", "digest")) == len(closes) + 1
    assert {m["outcome"] for m in mails} <= {"accepted", "dropped", "sent", "cancelled"}


@pytest.fixture
def opened(url: str) -> Iterator[str]:
    db.connect(url)
    db.init()
    yield url
    database.close()


def test_what_is_there_already_is_passed_over_within_a_transaction(opened: str) -> None:
    row = {"token": "t", "game": None, "purpose": "order", "generation": 0, "made": 1}
    with db.transaction():
        for _ in range(2):
            Token.insert(row).on_conflict_ignore().execute()
            Token.insert_many([row]).on_conflict_ignore().execute()
            Token.keep([row])
        Log.create(at=1, who="x", what="y", data={"ö": [1, None]})
    assert Token.select().count() == 1
    assert Log.get().data == {"ö": [1, None]}


def test_schema_1_is_brought_up_to_date(opened: str) -> None:
    database.execute_sql('ALTER TABLE "question" DROP COLUMN "until"')
    database.execute_sql('ALTER TABLE "standing" ADD COLUMN "reminded" INTEGER')
    Meta.update(value="1").where(Meta.key == "schema").execute()
    assert db.upgrade() == (1, db.SCHEMA)
    db.ready()
    with db.transaction():
        Question.create(game=None, seat=None, address="a@play.test", kind="join", data={}, at=1, until=2)
    assert Question.get().until == 2
    assert "question_until" in {index.name for index in database.get_indexes("question")}
    assert "reminded" not in {column.name for column in database.get_columns("standing")}


def test_a_fault_in_one_transaction_leaves_nothing_behind(opened: str) -> None:
    def fail() -> None:
        with db.transaction():
            Meta.create(key="lost", value="1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with pytest.raises(Exception, match="duplicate key"), db.transaction():
        Meta.create(key="schema", value="1")
    with db.transaction():
        Meta.create(key="kept", value="1")
    assert Meta.get_or_none(Meta.key == "lost") is None
    assert Meta.get_by_id("kept").value == "1"


def test_writers_wait_for_each_other(opened: str) -> None:
    """Read, think, write, as every use case does it: on SQLite BEGIN IMMEDIATE keeps others out meanwhile."""
    Meta.create(key="count", value="0")

    def add() -> None:
        for _ in range(20):
            with db.transaction():
                row = Meta.get_by_id("count")
                row.value = str(int(row.value) + 1)
                row.save()
        database.close()

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Meta.get_by_id("count").value == "80"
