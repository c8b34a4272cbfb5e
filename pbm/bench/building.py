"""To build a mail: template, guard, text, HTML, calendar, bytes, and their check."""

from pbm.bench import games
from pbm.bench.figures import Rate, measured
from pbm.mail import compose
from pbm.mail import contexts as c
from pbm.mail.compose import Head, Mailbox
from pbm.mail.guard import Guard
from pbm.service import post
from pbm.service.house import House
from pbm.service.table import Table


def built(house: House, count: int, *, warm: bool) -> Rate:
    """Round mails of the started game, each by itself. `warm`: of one game, whose guard remembers; else each as the
    first of its game."""
    rate = Rate("building alone" + ("" if warm else " (first of its game)"))
    table = Table.of("grab-1")
    turn, view, forms = table.turn, table.view("alice"), table.forms("alice")
    assert turn is not None
    due = c.Due(turn.deadline, "UTC")
    page = c.Round(post.about(table), "alice", turn.label, due, view, forms, must=True, closed="Round 1")
    guard = Guard(table.grammar)
    entry = post.deadline_entry(house, table, turn, games.START)
    for n in range(count + 1):
        guard = guard if warm else Guard(table.grammar)
        # The first one, with the templates still to be read, doesn't count.
        with measured(rate if n else Rate(""), 1):
            made = house.pages.round(page)
            head = Head(
                sender=Mailbox(house.name, house.address),
                to=Mailbox("alice", f"alice@{games.HOST}"),
                subject=made.subject,
                message_id=f"<{n}.bench@{games.HOST}>",
                date=games.START,
                kind="round",
                reply_to=f"pbm+token@{games.HOST}",
                entries=(entry,),
            )
            compose.build(head, made.source, guard=guard, boundary=f"boundary{n}")
    return rate
