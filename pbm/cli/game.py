"""`pbm game …`: open and start games, and look at what stands. What the moderator does to them: `desk`."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbm.cli.base import REFUSED, Failed, config_of, house_of, me, now
from pbm.cli.out import say, show, table

if TYPE_CHECKING:
    from pbm.service.desk import By
    from pbm.service.house import House
    from pbm.service.table import Table

app = typer.Typer(help="Games: open, start, look, and everything that a moderator does by mail.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID", help="The game's id.")]
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


def do(ctx: typer.Context, game_id: str, work: "Callable[[House, Table, By, int], str]") -> None:
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

    do(ctx, game, lambda house, table, by, at: desk.start(house, table.game, by, at))


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
