"""`pbm` itself: its options, and the groups of commands below it."""

from pathlib import Path
from typing import Annotated

import typer

from pbm import __version__
from pbm.cli import demo, desk, game, mail, paper, service
from pbm.cli.base import Called

app = typer.Typer(
    name="pbm",
    help="Play by mail: social strategy games that are played by answering mails.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"pbm {__version__}")
        raise typer.Exit


@app.callback()
def pbm(
    ctx: typer.Context,
    config: Annotated[
        Path,
        typer.Option(
            "--config", envvar="PBM_CONFIG", metavar="FILE", show_default=True, help="The configuration file."
        ),
    ] = Path("config.yaml"),
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Tell it.")] = False,
) -> None:
    """Play by mail: social strategy games that are played by answering mails."""
    source = ctx.get_parameter_source("config")
    ctx.obj = Called(config, given=source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT"))


demo.add_to(app)
service.add_to(app)
desk.add_to(game.app)
app.add_typer(game.app, name="game")
app.add_typer(mail.app, name="mail")
paper.add_to(app)
