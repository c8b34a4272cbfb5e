"""What several mails tell of a game: its pace, its public deadline, how it ended."""

from pbm import record
from pbm.core.engine import Result
from pbm.mail import contexts as c
from pbm.service.table import Table
from pbm.timewords import words


def public_due(table: Table) -> c.Due:
    """The open deadline as the public reads it: in the zone of the game's timing."""
    assert table.turn is not None
    return c.Due(table.turn.deadline, table.timing(table.turn.phase).timezone)


def over_of(table: Table, result: Result) -> c.Over:
    """How it ended, with the record line (ruling G8), the draw key (G4), and who was behind the seats."""
    names: tuple[tuple[str, str], ...] = ()
    if table.settings["anonymous"]:
        names = tuple((seat.name, seat.person) for seat in table.seats)
    return c.Over(
        winners=result.winners,
        key=str(table.game.key),
        runners_up=result.runners_up,
        record=record.pairs(record.of_game(table.game, table.seats)),
        names=names,
    )


def pace(table: Table) -> tuple[str, ...]:
    """How this game runs, in sentences: phases, press, absences, anonymity."""
    told = []
    for kind in table.rules.facts.phases:
        timed = table.timing(kind.name)
        early = ", or closes as soon as everybody is in" if timed.close == "all-in" else ""
        told.append(f"{kind.title}: {words(timed.length)}{early}.")
    press = {
        "all": "Players may write to each other through us, in private and in public.",
        "public": "Players may write in public through us.",
        "none": "There is no press in this game.",
    }
    told.append(press[table.settings["press"]])
    if table.settings["press_copy"]:
        told.append("The moderator reads along what players write to each other.")
    if table.settings["away"]:
        told.append(f"A player may be absent for {table.settings['away']} days in all.")
    if table.settings["anonymous"]:
        told.append("Who is behind a seat is told at the end, and never before.")
    return tuple(told)
