"""Mails out: from the outbox until the mail server has taken them over."""

import asyncio
from pathlib import Path

import aiosmtplib

from pbm.app import Service, mailbox_of, transport_of
from pbm.bench import games
from pbm.bench.building import built
from pbm.bench.figures import Block, Rate, measured
from pbm.bench.server import serving
from pbm.clock import VirtualClock
from pbm.config import Config
from pbm.service.house import House
from pbm.store import db
from pbm.store.models import Outbox


def measure(folder: Path, count: int) -> Block:
    """`count` mails are queued; the sender hands them to an SMTP server over its four connections."""
    config, house = games.opened(folder, "outgoing")
    games.started(house, config, "grab-1")
    build = built(house, max(20, count // 10), warm=True)
    mails = list(Outbox.select().order_by(Outbox.id))
    with db.transaction():
        for n in range(len(mails), count):
            row = mails[n % len(mails)]
            Outbox.create(**{**row.__data__, "id": None, "message_id": f"<{n}@{games.HOST}>"})
    queued = [(row.recipient, bytes(row.content)) for row in Outbox.select().order_by(Outbox.id)]
    block = Block("outgoing", "Mails out", Rate("outbox to accepted by an SMTP server"))
    with serving(games.SERVICE, games.PASSWORD) as server:
        raw = asyncio.run(_raw_smtp(server.smtp_port, queued))
        before = server.taken()
        config = games.settings(folder, "outgoing", server.imap_port, server.smtp_port)
        asyncio.run(_ours(config, house, block.ours))
        taken = server.taken() - before
    block.raw = [raw, build]
    sent = Outbox.select().where(Outbox.status == "sent").count()
    if (sent, taken) != (len(queued), len(queued)):
        block.fault = f"of {len(queued)} mails {taken} were taken over and {sent} marked as sent"
    return block


async def _ours(config: Config, house: House, rate: Rate) -> None:
    service = Service(house, mailbox_of(config), transport_of(config), clock=VirtualClock(games.START))
    sent = -1
    while sent:
        with measured(rate, 0):
            sent = await service.send_due()
        rate.count += sent
    await service.close()


async def _raw_smtp(port: int, mails: list[tuple[str, bytes]]) -> Rate:
    """aiosmtplib alone, one connection; more gain nothing (STACK.md, section 4)."""
    rate = Rate("sending alone (aiosmtplib)")
    server = aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False)
    await server.connect()
    with measured(rate, len(mails)):
        for recipient, raw in mails:
            await server.sendmail(games.SERVICE, [recipient], raw)
    await server.quit()
    return rate
