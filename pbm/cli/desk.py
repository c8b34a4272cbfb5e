"""`pbm game …`: what a moderator does, each command the same function that a mail calls (MAIL.md)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbm.cli.base import WRONG, Failed, house_of, sure
from pbm.cli.game import Id, do, table_of

if TYPE_CHECKING:
    from pbm.service.desk import By
    from pbm.service.house import House
    from pbm.service.table import Table

Player = Annotated[str, typer.Argument(metavar="PLAYER", help="A player's name.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask back.")]


def add_to(app: typer.Typer) -> None:
    for command in (close, extend, pause, resume, remind, remove, replace, order, announce, hold, approve, undo, end):
        app.command()(command)


def close(ctx: typer.Context, game: Id) -> None:
    """Set the deadline to now; the service, or `pbm serve --once`, closes."""
    from pbm.service import desk

    do(ctx, game, desk.close)


def extend(
    ctx: typer.Context, game: Id, length: Annotated[str, typer.Argument(metavar="LENGTH", help="Such as 24h.")]
) -> None:
    """Move the deadline by absolute hours."""
    from pbm.service import desk
    from pbm.timewords import parse_length

    seconds: int = _wrong(parse_length, length)
    do(ctx, game, lambda house, table, by, at: desk.extend(house, table, seconds, by, at))


def _wrong(read: Callable[..., Any], *args: Any) -> Any:
    """A value of the command line. Raises Failed for wrong use."""
    try:
        return read(*args)
    except ValueError as fault:
        raise Failed(str(fault), WRONG) from None


def pause(ctx: typer.Context, game: Id) -> None:
    """Freeze the time that is left: orders are taken, nothing closes."""
    from pbm.service import desk

    do(ctx, game, desk.pause)


def resume(
    ctx: typer.Context,
    game: Id,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="2026-12-24 18:00 in the game's zone, or 24h.")
    ] = None,
) -> None:
    """Let the frozen time run on, or keep the phase open until a named time."""
    from pbm.service import desk
    from pbm.timewords import parse_until

    if until is not None:
        _wrong(parse_until, until, "UTC", 0)

    def work(house: "House", table: "Table", by: "By", at: int) -> str:
        instant = parse_until(until, desk.zone(table), at) if until is not None else None
        return desk.resume(house, table, instant, by, at)

    do(ctx, game, work)


def remind(ctx: typer.Context, game: Id, player: Player) -> None:
    """Send a reminder to a player who is waited for."""
    from pbm.service import seats

    do(ctx, game, lambda house, table, by, at: seats.remind(house, table, player, by, at))


def remove(ctx: typer.Context, game: Id, player: Player, yes: Yes = False) -> None:
    """Take a player out of the game (ruling G5)."""
    from pbm.service import seats

    with house_of(ctx):
        name = seats.can_remove(table_of(game), player).name
    sure(yes, f"{name} will be out of {game} for good")
    do(ctx, game, lambda house, table, by, at: seats.remove(house, table, player, by, at))


def replace(
    ctx: typer.Context,
    game: Id,
    player: Player,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Of the new person.")],
    yes: Yes = False,
) -> None:
    """Give a seat to a new person; the old address is out at once."""
    from pbm.service import seats

    with house_of(ctx) as house:
        name = seats.can_replace(house, table_of(game), player, address).name
    sure(yes, f"{name} of {game} will be played from {address}")
    do(ctx, game, lambda house, table, by, at: seats.replace(house, table, player, address, by, at))


def order(
    ctx: typer.Context,
    game: Id,
    player: Player,
    lines: Annotated[list[str], typer.Argument(metavar="LINE...", help="An order line each, in quotation marks.")],
) -> None:
    """Enter orders that reached you by another way: logged, and told to the player. Exit status 1 if one is refused."""
    from pbm.service import seats

    faults: list[tuple[str, str]] = []

    def work(house: "House", table: "Table", by: "By", at: int) -> str:
        made = seats.order(house, table, player, lines, by, at)
        faults.extend(made.refused)
        taken = [*made.taken, *made.done]
        notes = "".join(f" {note}." for note in made.notes)
        return (f"Entered for {player}: {'; '.join(taken)}." if taken else "Nothing was entered.") + notes

    do(ctx, game, work)
    if faults:
        raise Failed("\n".join(f"{line}: {reason}" for line, reason in faults))


def announce(
    ctx: typer.Context, game: Id, text: Annotated[str, typer.Argument(metavar="TEXT", help="What to tell.")]
) -> None:
    """Tell the list and every player."""
    from pbm.service import desk

    do(ctx, game, lambda house, table, by, at: desk.announce(house, table, text, by, at))


def hold(ctx: typer.Context, game: Id) -> None:
    """Let the next close wait for `approve`."""
    from pbm.service import desk

    do(ctx, game, desk.hold)


def approve(ctx: typer.Context, game: Id) -> None:
    """Close the phase that waits, and let its results out."""
    from pbm.service import desk

    do(ctx, game, desk.approve)


def undo(ctx: typer.Context, game: Id, yes: Yes = False) -> None:
    """Withdraw the newest close: its phase is open again, and paused."""
    from pbm.service import undo as undoing

    with house_of(ctx):
        made = undoing.plan(table_of(game))
    lost = f"; withdrawn with it: {'; '.join(made.lost)}" if made.lost else ""
    sure(yes, f"The close of {made.closed.label} in {game} will be withdrawn{lost}")
    do(ctx, game, undoing.undo)


def end(ctx: typer.Context, game: Id, yes: Yes = False) -> None:
    """End the game as it stands; nobody wins."""
    from pbm.service import desk

    with house_of(ctx):
        desk.can_end(table_of(game))
    sure(yes, f"{game} will be over, and nobody wins")
    do(ctx, game, desk.end)
