"""`pbm game …`: the moderator's commands, each the same function that a mail calls (MAIL.md), and what stands."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbm.cli.base import REFUSED, WRONG, Failed, config_of, house_of, me, now, sure
from pbm.cli.out import say, show, table

if TYPE_CHECKING:
    from pbm.service.desk import By
    from pbm.service.house import House
    from pbm.service.table import Table

app = typer.Typer(help="Games: open, start, look, and everything that a moderator does by mail.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID", help="The game's id.")]
Player = Annotated[str, typer.Argument(metavar="PLAYER", help="A player's name.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask back.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
ForModerator = Annotated[bool, typer.Option("--moderator", help="With what only the moderator may see; it is logged.")]


class Format(StrEnum):
    """Formats of `game record`."""

    TEXT = "text"
    MARKDOWN = "markdown"
    BBCODE = "bbcode"
    JSON = "json"


def table_of(game_id: str) -> "Table":
    from peewee import DoesNotExist

    from pbm.service.table import Table

    try:
        return Table.of(game_id)
    except DoesNotExist:
        raise Failed(f"there is no game {game_id}; `pbm game list` shows those there are") from None


def _do(ctx: typer.Context, game_id: str, work: "Callable[[House, Table, By, int], str]") -> None:
    """One command in one transaction: done whole, or not at all."""
    from pbm.service.desk import By
    from pbm.store.db import transaction

    at = now()
    with house_of(ctx) as house, transaction():
        done = work(house, table_of(game_id), By(me(), at), at)
    say(done)


# -- open, start ---------------------------------------------------------------------------------------------------


@app.command()
def new(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game file.")],
    begin: Annotated[bool, typer.Option("--start", help="Start it at once.")] = False,
) -> None:
    """Open a game by its file, and tell its players; for `seats` it waits for sign-ups."""
    config = config_of(ctx)
    from pbm.cli.gamefiles import read
    from pbm.service import desk, mails, opening
    from pbm.store.db import transaction

    at = now()
    with house_of(ctx) as house:
        parsed = read(file, config)
        with transaction():
            row = opening.open_game(parsed, config, at)
            if begin:
                done = desk.start(house, row, desk.By(me(), at), at)
            else:
                mails.invited(house, row, at)
                done = f"{row.id} is open" + (" for sign-up." if parsed.seats else "; `pbm game start` starts it.")
    say(done)


@app.command()
def start(ctx: typer.Context, game: Id) -> None:
    """Start a game that is open: deal, open its first phase, tell everybody."""
    from pbm.service import desk

    _do(ctx, game, lambda house, table, by, at: desk.start(house, table.game, by, at))


# -- look ----------------------------------------------------------------------------------------------------------


@app.command("list")
def list_games(ctx: typer.Context, as_json: AsJson = False) -> None:
    """All games, the newest first."""
    from pbm.service import show as shown

    with house_of(ctx):
        found = shown.games()
    if as_json:
        show(found)
        return
    keys = ("id", "game", "status", "phase", "round", "deadline")
    table(keys, [[row[key] for key in keys] for row in found], empty="There is no game yet; `pbm game new` opens one.")


@app.command("show")
def show_game(ctx: typer.Context, game: Id, moderator: ForModerator = False, as_json: AsJson = False) -> None:
    """How one game stands."""
    from pbm.service import show as shown

    with house_of(ctx):
        at_table = table_of(game)
        if moderator:
            _looked(at_table, "show")
        found = shown.game(at_table, moderator=moderator)
    if as_json:
        show(found)
        return
    from pbm.cli.lines import game_lines

    for line in game_lines(found):
        say(line)


@app.command()
def orders(ctx: typer.Context, game: Id, moderator: ForModerator = False, as_json: AsJson = False) -> None:
    """The orders that are in for the open phase; only with --moderator."""
    from pbm.service import show as shown

    with house_of(ctx):
        at_table = table_of(game)
        if not moderator:
            raise Failed("open orders are shown with --moderator only, and that look is logged")
        _looked(at_table, "orders")
        found = shown.orders(at_table)
    if as_json:
        show(found)
        return
    table(("player", "orders"), [[n, "; ".join(lines) or "-"] for n, lines in found.items()], empty="No phase is open.")


@app.command()
def preview(ctx: typer.Context, game: Id, as_json: AsJson = False) -> None:
    """What would happen if the phase closed now; changes and sends nothing. The look is logged."""
    from pbm.service.preview import preview as previewed

    with house_of(ctx):
        at_table = table_of(game)
        found = previewed(at_table)
        _looked(at_table, "preview")
    if as_json:
        show(found.to_json())
        return
    from pbm.cli.lines import preview_lines

    for line in preview_lines(found):
        say(line)


def _looked(at_table: "Table", what: str) -> None:
    """A look at what is secret is logged before anything is shown."""
    from pbm.service import desk
    from pbm.store.db import transaction

    at = now()
    with transaction():
        desk.log(at_table, desk.By(me(), at), what, at)


@app.command()
def replay(ctx: typer.Context, game: Id, as_json: AsJson = False) -> None:
    """Play the stored orders again and compare every turn with what is stored. Exit status 1 if one differs."""
    from pbm.service.replay import replay as replayed

    with house_of(ctx):
        found = replayed(table_of(game))
    different = [played for played in found if played.faults]
    if as_json:
        show({"id": game, "same": not different, "turns": [played.to_json() for played in found]})
    else:
        for played in found:
            told = "; ".join(played.faults)
            say(f"{played.turn:>4}  {played.label}, {played.kind}: " + (f"DIFFERENT: {told}" if told else "the same"))
        say(f"{len(different)} differences in {len(found)} steps.")
    if different:
        raise typer.Exit(REFUSED)


@app.command("record")
def record_table(
    ctx: typer.Context,
    shape: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """The table of finished games (ruling G8)."""
    from pbm import record
    from pbm.service import show as shown

    with house_of(ctx):
        found = shown.finished()
    say(record.FORMATS["json" if as_json else shape.value](found))


# -- the moderator's desk ------------------------------------------------------------------------------------------


@app.command()
def close(ctx: typer.Context, game: Id) -> None:
    """Set the deadline to now; the service, or `pbm serve --once`, closes."""
    from pbm.service import desk

    _do(ctx, game, desk.close)


@app.command()
def extend(
    ctx: typer.Context, game: Id, length: Annotated[str, typer.Argument(metavar="LENGTH", help="Such as 24h.")]
) -> None:
    """Move the deadline by absolute hours."""
    from pbm.service import desk
    from pbm.timewords import parse_length

    seconds: int = _wrong(parse_length, length)
    _do(ctx, game, lambda house, table, by, at: desk.extend(house, table, seconds, by, at))


def _wrong(read: Callable[..., Any], *args: Any) -> Any:
    """A value of the command line. Raises Failed for wrong use."""
    try:
        return read(*args)
    except ValueError as fault:
        raise Failed(str(fault), WRONG) from None


@app.command()
def pause(ctx: typer.Context, game: Id) -> None:
    """Freeze the time that is left: orders are taken, nothing closes."""
    from pbm.service import desk

    _do(ctx, game, desk.pause)


@app.command()
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

    _do(ctx, game, work)


@app.command()
def remove(ctx: typer.Context, game: Id, player: Player, yes: Yes = False) -> None:
    """Take a player out of the game (ruling G5)."""
    from pbm.service import seats

    with house_of(ctx):
        name = seats.can_remove(table_of(game), player).name
    sure(yes, f"{name} will be out of {game} for good")
    _do(ctx, game, lambda house, table, by, at: seats.remove(house, table, player, by, at))


@app.command()
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
    _do(ctx, game, lambda house, table, by, at: seats.replace(house, table, player, address, by, at))


@app.command()
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

    _do(ctx, game, work)
    if faults:
        raise Failed("\n".join(f"{line}: {reason}" for line, reason in faults))


@app.command()
def announce(
    ctx: typer.Context, game: Id, text: Annotated[str, typer.Argument(metavar="TEXT", help="What to tell.")]
) -> None:
    """Tell the list and every player."""
    from pbm.service import desk

    _do(ctx, game, lambda house, table, by, at: desk.announce(house, table, text, by, at))


@app.command()
def hold(ctx: typer.Context, game: Id) -> None:
    """Let the next close wait for `approve`."""
    from pbm.service import desk

    _do(ctx, game, desk.hold)


@app.command()
def approve(ctx: typer.Context, game: Id) -> None:
    """Close the phase that waits, and let its results out."""
    from pbm.service import desk

    _do(ctx, game, desk.approve)


@app.command()
def undo(ctx: typer.Context, game: Id, yes: Yes = False) -> None:
    """Withdraw the newest close: its phase is open again, and paused."""
    from pbm.service import undo as undoing

    with house_of(ctx):
        made = undoing.plan(table_of(game))
    lost = f"; withdrawn with it: {'; '.join(made.lost)}" if made.lost else ""
    sure(yes, f"The close of {made.closed.label} in {game} will be withdrawn{lost}")
    _do(ctx, game, undoing.undo)


@app.command()
def end(ctx: typer.Context, game: Id, yes: Yes = False) -> None:
    """End the game as it stands; nobody wins."""
    from pbm.service import desk

    with house_of(ctx):
        desk.can_end(table_of(game))
    sure(yes, f"{game} will be over, and nobody wins")
    _do(ctx, game, desk.end)
