"""What `pbm check` looks at, one function each: gives a remark, or raises Fault with what to do."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError
from peewee import DatabaseError, InterfaceError

from pbm.config import Config
from pbm.core import registry
from pbm.mail.templates import SHARED, Templates, package_templates
from pbm.store import db


class Fault(Exception):
    """What is wrong, and what to do about it."""


# A mail server's clock that is further off than this is worth a word (MAIL.md).
CLOCK_OFF = 2


def database(config: Config) -> str:
    try:
        db.connect(config.database)
        db.ready()
    except db.StoreFault as fault:
        raise Fault(str(fault)) from None
    except (DatabaseError, InterfaceError) as fault:
        raise Fault(f"can't be opened ({fault}); see `database` in the configuration") from None
    return f"schema {db.SCHEMA}"


def imap(config: Config) -> str:
    from pbm.app import mailbox_of
    from pbm.mail.imap import MailboxError

    async def look() -> float:
        mailbox = mailbox_of(config)
        try:
            await mailbox.connect()
            return await mailbox.clock_offset()
        finally:
            await mailbox.close()

    try:
        offset = asyncio.run(look())
    except MailboxError as fault:
        raise Fault(f"{fault}; see `mail.imap` in the configuration") from None
    where = f"{config.mail.imap.user} at {config.mail.imap.host}:{config.mail.imap.port}"
    if abs(offset) > CLOCK_OFF:
        return f"{where}; its clock is {offset:+.0f} s off, and every deadline waits that much longer: set it right"
    return where


def smtp(config: Config) -> str:
    from pbm.app import transport_of
    from pbm.mail.smtp import TransportError

    async def look() -> None:
        transport = transport_of(config)
        try:
            await transport.check()
        finally:
            await transport.close()

    try:
        asyncio.run(look())
    except TransportError as fault:
        raise Fault(f"{fault}; see `mail.smtp` in the configuration") from None
    return f"{config.mail.smtp.host}:{config.mail.smtp.port}"


def plugins(config: Config) -> str:
    try:
        registry.switch_on(config.plugins)
    except registry.UnknownGame as fault:
        raise Fault(f"{fault}; install it, or take it out of `plugins`") from None
    except Exception as fault:
        # Whatever somebody else's package does wrong when it is imported.
        raise Fault(f"{type(fault).__name__} while loading {', '.join(config.plugins)}: {fault}") from None
    return ", ".join(registry.keys())


def templates(config: Config) -> str:
    """Read every template, and render what each game says of its own first phase."""
    shipped = package_templates()
    if not shipped.is_dir():
        raise Fault(f"the templates that ship are missing ({shipped}); install pbm anew")
    made = Templates([config.templates])
    folders = {SHARED, *registry.keys()}
    name = ""
    try:
        for folder in (shipped, config.templates):
            for path in sorted(folder.rglob("*.txt")) if folder.is_dir() else ():
                name = path.relative_to(folder).as_posix()
                if name.split("/")[0] in folders:
                    made.exists(name)
        for key in registry.keys():  # noqa: SIM118 - a function of the registry
            for name, values in _first_phase(key):
                made.render(name, values)
    except (TemplateError, TypeError, ValueError, ArithmeticError, OSError) as fault:
        line = f", line {fault.lineno}" if isinstance(fault, TemplateSyntaxError) else ""
        raise Fault(f"{name}{line}: {fault}; put it right in {config.templates}, or take it away there") from None
    return str(config.templates) if config.templates.is_dir() else "those that ship"


def _first_phase(key: str) -> list[tuple[str, dict[str, Any]]]:
    rules = registry.get(key)
    options = rules.facts.options()
    seats = tuple(f"p{n}" for n in range(rules.facts.seats[0]))
    state = registry.stand_in(key)
    public, own = rules.view(state, None), rules.view(state, seats[0])
    return [
        (f"{key}/standing.txt", {"view": public, "reader": None}),
        (f"{key}/you.txt", {"view": own, "reader": seats[0]}),
        (f"{key}/phase.txt", {"view": own, "reader": seats[0], "forms": rules.forms(own, seats[0])}),
        (f"{key}/phase.txt", {"view": public, "reader": None, "forms": ()}),
        (f"{key}/rules.txt", {"view": public, "reader": None, "options": options.model_dump()}),
    ]


CHECKS: Mapping[str, Callable[[Config], str]] = {
    "database": database,
    "plug-ins": plugins,
    "templates": templates,
    "IMAP": imap,
    "SMTP": smtp,
}
