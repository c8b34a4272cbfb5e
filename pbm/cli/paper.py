"""`pbm adjudicate` and `pbm explain`: games and mails on paper, with no database and no configuration."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pbm.cli.base import REFUSED, called
from pbm.cli.out import emit


def add_to(app: typer.Typer) -> None:
    app.command(no_args_is_help=True)(adjudicate)
    app.command(no_args_is_help=True)(explain)


def adjudicate(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE.yaml...", help="Scenarios.")],
    pretty: Annotated[bool, typer.Option("--pretty", help="Indent the output.")] = False,
) -> None:
    """Play scenarios on paper: one JSON document a file, in the order given. Exit status 1 if one can't be played."""
    if called(ctx).given:
        _plugins(ctx)
    faults = 0
    for path in files:
        shown = _played(path)
        faults += "error" in shown
        emit(shown, pretty=pretty)
    if faults:
        raise typer.Exit(REFUSED)


def _plugins(ctx: typer.Context) -> None:
    """Who names a configuration file plays with its plug-ins."""
    from pbm.cli.base import config_of
    from pbm.core import registry

    registry.switch_on(config_of(ctx).plugins)


def _played(path: Path) -> dict[str, Any]:
    from pbm import paper

    try:
        return paper.adjudicate(paper.load(path.read_bytes()))
    except paper.ScenarioFault as fault:
        return {"error": f"{path}: {fault}"}
    except OSError as fault:
        return {"error": f"{path}: {fault.strerror or fault}"}
    except RecursionError:
        return {"error": f"{path}: it is nested too deep for a scenario"}


def explain(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.eml...", help="Mails, as they came.")],
    sent: Annotated[
        list[Path], typer.Option("--sent", metavar="FILE.eml", help="A mail of ours in that thread; repeatable.")
    ] = [],  # noqa: B006 - typer's way; never changed
) -> None:
    """Show what is read from mails: one line of JSON a file, in the order given."""
    from pbm.core.anygame import could_be_order
    from pbm.mail.explain import explain as explained

    faults = 0
    ours: list[bytes] = []
    for path in sent:
        try:
            ours.append(path.read_bytes())
        except OSError as fault:
            faults += 1
            typer.echo(f"--sent {path}: {fault.strerror or fault}", err=True)
    for path in files:
        try:
            shown = explained(path.read_bytes(), str(path), ours, could_be_order)
        except OSError as fault:
            faults += 1
            shown = {"file": str(path), "error": fault.strerror or str(fault)}
        emit(shown)
    if faults:
        raise typer.Exit(REFUSED)
