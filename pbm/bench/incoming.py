"""Mails in: from the mailbox to committed orders and queued receipts."""

import asyncio
import email
import email.policy
import re
import sqlite3
from pathlib import Path

import aioimaplib

from pbm.app import Service, mailbox_of, transport_of
from pbm.bench import games
from pbm.bench.figures import Block, Rate, measured
from pbm.bench.server import serving
from pbm.clock import SystemClock
from pbm.config import Config
from pbm.service.house import House
from pbm.store.models import Mail, Outbox

AN_HOUR = 3600
EACH = 4
"""Mails of a player to one game."""
SET = 50


def measure(folder: Path, count: int) -> Block:
    """`count` answers of players, each an order, lie in the mailbox; the service reads them all."""
    config, house = games.opened(folder, "incoming")
    for n in range(-(-count // (2 * EACH))):
        games.started(house, config, f"grab-{n}", SystemClock().now() - AN_HOUR)
    mails = games.replies(count)
    with serving(games.SERVICE, games.PASSWORD, mails) as server:
        config = games.settings(folder, "incoming", server.imap_port, server.smtp_port)
        fetch = asyncio.run(_raw_fetch(server.imap_port, count))
        block = Block("incoming", "Mails in", Rate("mailbox to committed order and queued receipt"))
        asyncio.run(_ours(config, house, block.ours, count))
    block.raw = [fetch, raw_parse(mails), raw_commits(folder, mails)]
    accepted = Mail.select().where(Mail.outcome == "accepted").count()
    receipts = Outbox.select().where(Outbox.kind == "receipt").count()
    if (accepted, receipts) != (count, count):
        block.fault = f"of {count} mails {accepted} were accepted and {receipts} answered"
    return block


async def _ours(config: Config, house: House, rate: Rate, count: int) -> None:
    service = Service(house, mailbox_of(config), transport_of(config))
    await service.mailbox.connect()
    with measured(rate, count):
        await service.look()
    await service.close()


async def _raw_fetch(port: int, count: int) -> Rate:
    """aioimaplib alone, in sets of 50 (STACK.md, section 5)."""
    rate = Rate("fetching alone (aioimaplib)")
    client = aioimaplib.IMAP4("127.0.0.1", port, timeout=30)
    await client.wait_hello_from_server()
    await client.login(games.SERVICE, games.PASSWORD)
    await client.select("INBOX")
    found = await client.uid_search("ALL", charset=None)
    uids = re.findall(r"\d+", found.lines[0].decode())
    with measured(rate, count):
        for n in range(0, len(uids), SET):
            await client.uid("fetch", ",".join(uids[n : n + SET]), "(UID RFC822.SIZE INTERNALDATE BODY.PEEK[])")
    await client.logout()
    return rate


def raw_parse(mails: list[tuple[str, bytes]]) -> Rate:
    """Python's email package: headers and the text, decoded."""
    rate = Rate("parsing alone (Python's email package)")
    with measured(rate, len(mails)):
        for _, raw in mails:
            mail = email.message_from_bytes(raw, policy=email.policy.default)
            for name in ("From", "To", "Subject", "Message-ID", "References"):
                str(mail[name])
            body = mail.get_body(("plain", "html"))
            assert body is not None
            body.get_content()
    return rate


def raw_commits(folder: Path, mails: list[tuple[str, bytes]]) -> Rate:
    """SQLite alone: a mail, an order and an answer written down in one transaction, as durable as ours."""
    rate = Rate("committing alone (SQLite, 3 statements)")
    with sqlite3.connect(folder / "raw.db", isolation_level=None) as store:
        store.execute("PRAGMA journal_mode=wal")
        store.execute("PRAGMA synchronous=full")
        store.execute("CREATE TABLE IF NOT EXISTS mail (id INTEGER PRIMARY KEY, game TEXT, content BLOB)")
        store.execute("CREATE INDEX IF NOT EXISTS of_game ON mail (game)")
        with measured(rate, len(mails)):
            for n, (_, raw) in enumerate(mails):
                store.execute("BEGIN IMMEDIATE")
                key = store.execute("INSERT INTO mail (game, content) VALUES (?, ?)", (f"{n}", raw)).lastrowid
                store.execute("INSERT INTO mail (game, content) VALUES (?, ?)", (f"{n}", raw))
                store.execute("UPDATE mail SET game = ? WHERE id = ?", ("done", key))
                store.execute("COMMIT")
    store.close()
    return rate
