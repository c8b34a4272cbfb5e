"""`pbm check`, `init`, `upgrade` and `serve`."""

import asyncio
from typing import Annotated

import typer

from pbm.cli.base import REFUSED, Failed, config_of
from pbm.cli.out import say, show


def add_to(app: typer.Typer) -> None:
    app.command()(check)
    app.command()(init)
    app.command()(upgrade)
    app.command()(serve)


def check(ctx: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False) -> None:
    """Look whether everything is in place: a line each, with what to do about a fault."""
    config = config_of(ctx)
    from pbm.cli.checks import CHECKS, Fault

    found: list[dict[str, object]] = []

    def note(what: str, said: str, *, ok: bool) -> None:
        found.append({"what": what, "ok": ok, "said": said})
        if not as_json:
            say(f"{'ok   ' if ok else 'FAULT'}  {what}" + (f": {said}" if said else ""))

    note("configuration", "", ok=True)
    for name, look in CHECKS.items():
        try:
            note(name, look(config), ok=True)
        except Fault as fault:
            note(name, str(fault), ok=False)
    if as_json:
        show(found)
    if not all(row["ok"] for row in found):
        raise typer.Exit(REFUSED)


def init(ctx: typer.Context) -> None:
    """Make the database."""
    from pbm.store import db

    db.connect(config_of(ctx).database)
    if not db.init():
        raise Failed("the database is there already; nothing was done (`pbm upgrade` brings an older one up to date)")
    say("The database is made.")


def upgrade(ctx: typer.Context) -> None:
    """Bring the database of an older pbm up to date."""
    from pbm.store import db

    db.connect(config_of(ctx).database)
    before, after = db.upgrade()
    say(f"The database was up to date (schema {after})." if before == after else f"Schema {before} is now {after}.")


def serve(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Read, close what is due, send, and end.")] = False,
) -> None:
    """Run the service: read the mailbox, close phases, send. SIGTERM finishes the step under way and stops."""
    config = config_of(ctx)
    from pbm.app import Service, mailbox_of, opened, transport_of
    from pbm.cli.logs import set_up
    from pbm.mail.imap import MailboxError
    from pbm.store import db

    set_up(config.log.level, config.log.format)

    async def run() -> None:
        service = Service(house, mailbox_of(config), transport_of(config), poll=float(config.mail.imap.poll))
        await (service.once() if once else service.run())

    with opened(config) as house, db.only_service(config.database):
        try:
            asyncio.run(run())
        except MailboxError as fault:
            raise Failed(f"the mailbox can't be read: {fault}") from None
