"""`pbm mail …`: what came in and what became of it, what goes out, and what a person has to settle."""

import re
import sys
from enum import StrEnum
from typing import Annotated

import typer

from pbm.cli.base import WRONG, Failed, house_of, me, now
from pbm.cli.game import AsJson, table_of
from pbm.cli.out import say, show, table

app = typer.Typer(help="Mails, in and out.", no_args_is_help=True)

Number = Annotated[str, typer.Argument(metavar="ID", help="As `pbm mail list` shows it: in-12, out-34.")]


class Direction(StrEnum):
    """Which mails."""

    IN = "in"
    OUT = "out"


def number_of(text: str, *, default: Direction) -> tuple[Direction, int]:
    """`in-12`, `out-12`, or a bare number, which means the direction that the command is for."""
    found = re.fullmatch(r"(?:(in|out)-)?([0-9]{1,12})", text.strip().lower())
    if found is None:
        raise Failed(f"'{text}' is no mail's id; write it as in-12 or out-12", WRONG)
    return Direction(found[1]) if found[1] else default, int(found[2])


@app.command("list")
def list_mails(
    ctx: typer.Context,
    game: Annotated[str | None, typer.Option("--game", metavar="ID", help="Of this game only.")] = None,
    outcome: Annotated[
        str | None,
        typer.Option("--outcome", help="new, accepted, refused, dropped, shunted; queued, sent, failed, cancelled."),
    ] = None,
    direction: Annotated[Direction | None, typer.Option("--direction", help="Only these.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="So many of the newest; default: all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Mails by outcome, the newest first."""
    from pbm.service import show as shown

    with house_of(ctx):
        way = direction.value if direction is not None else None
        found = shown.mails(game_id=game, outcome=outcome, direction=way, limit=limit)
    if as_json:
        show(found)
        return
    head = ("id", "outcome", "game", "who", "kind", "at", "reason")
    rows = [
        (
            row["id"],
            row["outcome"],
            row["game"],
            row.get("reader", row["seat"]),
            row.get("kind"),
            row["at"],
            row["reason"],
        )
        for row in found
    ]
    table(head, rows, empty="There is no such mail.")


@app.command("show")
def show_mail(
    ctx: typer.Context,
    number: Number,
    raw: Annotated[bool, typer.Option("--raw", help="Its very bytes, keys and all.")] = False,
    as_json: AsJson = False,
) -> None:
    """One mail: what it says, what was read from it, what became of it."""
    from pbm.service import show as shown
    from pbm.store.models import Mail, Outbox

    way, n = number_of(number, default=Direction.IN)
    with house_of(ctx):
        row: Mail | Outbox | None = (Mail if way is Direction.IN else Outbox).get_or_none(id=n)
        if row is None:
            raise Failed(f"there is no mail {way.value}-{n}")
        found = shown.mail_in(row) if isinstance(row, Mail) else shown.mail_out(row)
        content = bytes(row.content)
    if raw:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    elif as_json:
        show(found)
    else:
        for key, value in found.items():
            if key not in ("text", "lines") and value not in (None, ""):
                say(f"{key}: {value}")
        say("")
        say(str(found["text"]))


@app.command()
def retry(ctx: typer.Context, number: Number) -> None:
    """Send a failed mail again, the same bytes; or read a shunted one again."""
    from pbm.service import settling
    from pbm.store.db import transaction

    way, n = number_of(number, default=Direction.OUT)
    with house_of(ctx), transaction():
        done = settling.resend(n, me(), now()) if way is Direction.OUT else settling.reread(n, me(), now())
    say(done)


@app.command()
def accept(
    ctx: typer.Context,
    number: Number,
    game: Annotated[str, typer.Option("--game", metavar="ID", help="The game that it is for.")],
    seat: Annotated[str, typer.Option("--seat", metavar="NAME", help="Whose it is.")],
    order: Annotated[
        list[str],
        typer.Option("--order", metavar="LINE", help="A line to take instead of what is read from it; repeatable."),
    ] = [],  # noqa: B006 - typer's way; never changed
) -> None:
    """Settle a mail that was put aside: its lines count for this seat, as of its arrival."""
    from pbm.service import desk, settling
    from pbm.store.db import transaction

    _, n = number_of(number, default=Direction.IN)
    with house_of(ctx) as house, transaction():
        receipt = settling.accept(house, table_of(game), n, seat, order, desk.By(me(), now()), now())
    taken = [*receipt.taken, *receipt.done, *(head for head, _ in receipt.texts)]
    say(f"Taken for {seat}: {'; '.join(taken) or 'nothing'}.")
    if receipt.refused:
        raise Failed("\n".join(f"{line}: {reason}" for line, reason in receipt.refused))


@app.command()
def drop(ctx: typer.Context, number: Number) -> None:
    """Put a mail away for good: an incoming one unread, an outgoing one unsent."""
    from pbm.service import settling
    from pbm.store.db import transaction

    way, n = number_of(number, default=Direction.IN)
    with house_of(ctx), transaction():
        done = settling.drop(n, me(), now()) if way is Direction.IN else settling.cancel(n, me(), now())
    say(done)
