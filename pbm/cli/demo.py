"""`pbm demo` and `pbm bench`."""

from pathlib import Path
from typing import Annotated

import typer

from pbm.cli.base import WRONG, Failed


def add_to(app: typer.Typer) -> None:
    app.command()(demo)
    app.command()(bench)


def demo(
    game: Annotated[
        str | None, typer.Option("--game", metavar="KEY", help="Which game is played; without it one of each.")
    ] = None,
    players: Annotated[int | None, typer.Option("--players", metavar="N", min=2, max=50, help="How many.")] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep archive, mailboxes and database there.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show the mails as they pass.")] = False,
    join: Annotated[
        str | None, typer.Option("--join", metavar="NAME", help="Leave one seat to you, with your own mail program.")
    ] = None,
) -> None:
    """Play a whole game between demo players, over real SMTP and IMAP on a mail server of its own, in fast time."""
    from pbm.core import registry

    if game is not None:
        try:
            registry.get(game)
        except registry.UnknownGame as fault:
            raise Failed(f"--game: {fault}", WRONG) from None
    try:
        from pbm.demo import play
    except ImportError as fault:
        raise Failed(f"the demo's mail server is missing ({fault.name}): install pbm[demo]") from None
    raise typer.Exit(play.run(game=game, players=players, keep=keep, watch=watch, join=join))


def bench(
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="How many games close together.")] = 1000,
    mails: Annotated[int, typer.Option("--mails", metavar="N", min=1, help="How many mails come in and go out.")] = 500,
    idle: Annotated[int, typer.Option("--idle", metavar="N", min=1, help="How many games wait.")] = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Speed and memory, beside the raw limits of the parts measured in the same run, as ratios."""
    from pbm import bench as measured

    if missing := measured.missing():
        raise Failed(f"the mail server to measure with is missing ({', '.join(missing)}): install pbm[demo]")
    raise typer.Exit(measured.run(games=games, mails=mails, idle_games=idle, as_json=as_json))
