"""The tables. Instants are whole seconds UTC; JSON columns hold plain values.

Nothing here has behaviour: `repo.py` holds the queries, the services the decisions.
"""

import json
from typing import Any

from peewee import (
    AutoField,
    BlobField,
    BooleanField,
    CharField,
    DatabaseProxy,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from pbm.store.statements import Quick

database = DatabaseProxy()


class JsonField(TextField):
    """A column of plain JSON; the order of keys is kept. What was changed in place isn't saved: assign it again."""

    def db_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def python_value(self, value: str | None) -> Any:
        return None if value is None else json.loads(value)


class Table(Quick):
    class Meta:
        database = database


class Meta(Table):
    """One value a key: `schema` (its version), `service_key` (hex)."""

    key = CharField(primary_key=True)
    value = TextField()


class Game(Table):
    """One game. `settings` is the checked game file; `key` (ruling G4) is secret until the last digest.

    `turn`: the id of the newest phase (open, or the last). `rest`: seconds that a pause froze. `hold`: the next close
    waits for the moderator. `root`, `last`: Message-IDs of the public thread; `posted`: how many mails it has.
    `silent`: phases in a row without a valid order (ruling G7).
    """

    id = CharField(primary_key=True)
    rules = CharField()
    version = IntegerField()
    title = TextField()
    status = CharField(index=True)  # signup | open | paused | held | over
    settings = JsonField()
    options = JsonField()
    key = CharField(null=True)
    archive = CharField(null=True)
    moderators = JsonField()
    root = CharField(null=True)
    last = CharField(null=True)
    posted = IntegerField(default=0)
    turn = IntegerField(null=True)
    rest = IntegerField(null=True)
    hold = BooleanField(default=False)
    silent = IntegerField(default=0)
    created = IntegerField()
    started = IntegerField(null=True)
    ended = IntegerField(null=True)
    winners = JsonField(null=True)
    runners_up = JsonField(null=True)


class Seat(Table):
    """A player of a game. `generation` goes up when REPLACE or ADDRESS end all earlier tokens.

    `name` is what the game uses, `person` who it is (another name in an anonymous game). `address_key` is what of
    the address counts when two are compared. `misses`: in a row. `root`, `last`, `posted`: of the thread of mails to
    this seat.
    """

    id = AutoField()
    game = ForeignKeyField(Game, backref="seats", on_delete="CASCADE")
    n = IntegerField()
    name = CharField()
    person = CharField()
    address = CharField()
    address_key = CharField(index=True)
    timezone = CharField(default="UTC")
    mails = CharField(default="all")  # all | needed
    generation = IntegerField(default=0)
    misses = IntegerField(default=0)
    root = CharField(null=True)
    last = CharField(null=True)
    posted = IntegerField(default=0)
    bounced = BooleanField(default=False)
    waitlist = BooleanField(default=False)
    joined = IntegerField(default=0)

    class Meta:
        indexes = ((("game", "n"), True),)


class Absence(Table):
    """AWAY: both days belong to it; `start` and `end` are instants in the player's zone."""

    id = AutoField()
    seat = ForeignKeyField(Seat, on_delete="CASCADE", index=True)
    seat_id: int
    first = CharField()
    last = CharField()
    start = IntegerField()
    end = IntegerField()


class Turn(Table):
    """A phase of a game, open or closed. `n` counts from 1 and is never used twice in a game.

    `state`: what the game is now (acts and removals within the phase included). `due`: the deadline before absences,
    moved by EXTEND and RESUME: what `timing.max` counts from. `wake`: when the timer has to look at it next.
    `reminders`: instants of reminders still to come. `moved`: SEQUENCE of its calendar entry. `grace`: whether the
    timing's grace follows the deadline (not after CLOSE). `early`: when an early close was decided, until its fence.
    `held`: since when it waits for the moderator's APPROVE. `changed`: the newest arrival that changed orders.
    """

    id = AutoField()
    game = ForeignKeyField(Game, backref="turns", on_delete="CASCADE")
    n = IntegerField()
    phase = CharField()
    round = IntegerField()
    label = TextField()
    status = CharField()  # open | closed | withdrawn
    opened = IntegerField()
    due = IntegerField()
    deadline = IntegerField()
    grace = BooleanField(default=True)
    early = IntegerField(null=True)
    held = IntegerField(null=True)
    approved = BooleanField(default=False)
    wake = IntegerField(null=True, index=True)
    reminders = JsonField()
    moved = IntegerField(default=0)
    state = JsonField()
    events = JsonField(default=list)
    closed = IntegerField(null=True)
    changed = IntegerField()
    told_late = BooleanField(default=False)

    class Meta:
        indexes = ((("game", "n"), True),)


class Standing(Table):
    """What a seat has in for a phase. `orders`: [{verb, args, line, at, uid}]; `cleared` and `wish_at` are [at, uid].

    A newer mail (greater arrival, then UID) wins, whatever the order of reading (ruling G2).
    """

    id = AutoField()
    turn = ForeignKeyField(Turn, on_delete="CASCADE", index=True)
    seat = CharField()
    orders = JsonField(default=list)
    newest = JsonField(null=True)
    wait = BooleanField(default=False)
    wish = JsonField(null=True)

    class Meta:
        indexes = ((("turn", "seat"), True),)


class Action(Table):
    """All that moved a game on, in order: what `game replay` plays again. `kind`: start | act | remove | close |
    end (by the moderator).

    `before` and `after` are states; `withdrawn` since an UNDO.
    """

    id = AutoField()
    game = ForeignKeyField(Game, on_delete="CASCADE", index=True)
    turn = IntegerField(null=True, index=True)
    at = IntegerField()
    kind = CharField()
    version = IntegerField()
    seat = CharField(null=True)
    orders = JsonField(null=True)
    events = JsonField()
    after = JsonField()
    withdrawn = BooleanField(default=False)


class Token(Table):
    """Whom a reply address speaks for. `seat` None: the moderator (`address` says which). `purpose`: order, moderate,
    or a question's id."""

    token = CharField(primary_key=True)
    game = ForeignKeyField(Game, null=True, on_delete="CASCADE", index=True)
    game_id: str | None
    seat = IntegerField(null=True)
    address = CharField(null=True)
    turn = IntegerField(null=True)
    purpose = CharField()
    generation = IntegerField(default=0)
    made = IntegerField()


class Question(Table):
    """Something that waits for a confirming reply, or for a moderator. `data` is what is done then; `until`: when it
    lapses, if ever."""

    id = AutoField()
    game = ForeignKeyField(Game, null=True, on_delete="CASCADE", index=True)
    game_id: str | None
    seat = IntegerField(null=True)
    address = CharField(index=True)
    kind = CharField()
    data = JsonField()
    at = IntegerField()
    turn = IntegerField(null=True)
    answered = IntegerField(null=True)
    until = IntegerField(null=True, index=True)


class Mail(Table):
    """An incoming mail: one row per (folder, UIDVALIDITY, UID). `outcome`: new | accepted | refused | dropped |
    shunted. `hash` tells when two rows are the same mail (MAIL.md). `content` is the raw mail; `lines`: what its writer
    newly wrote, once it was read. `turn`: the phase that has to close before it is read."""

    id = AutoField()
    folder = CharField()
    uidvalidity = IntegerField()
    uid = IntegerField()
    hash = CharField(index=True)
    arrived = IntegerField()
    size = IntegerField()
    content = BlobField()
    outcome = CharField(default="new", index=True)
    reason = TextField(default="")
    sender = CharField(null=True)
    game = CharField(null=True, index=True)
    seat = CharField(null=True)
    turn = IntegerField(null=True)
    at = IntegerField(null=True)
    tries = IntegerField(default=0)
    lines = JsonField(null=True)

    class Meta:
        indexes = ((("folder", "uidvalidity", "uid"), True),)


class Outbox(Table):
    """An outgoing mail: its bytes (`content`) and Message-ID are fixed when it is queued. `status`: queued | sent |
    failed | cancelled. `reader` is a seat, `moderator`, `list` or `other`."""

    id = AutoField()
    game = CharField(null=True, index=True)
    turn = IntegerField(null=True)
    reader = CharField()
    kind = CharField()
    recipient = CharField()
    subject = TextField()
    message_id = CharField(unique=True)
    content = BlobField()
    status = CharField(default="queued")
    queued = IntegerField()
    due = IntegerField()
    tries = IntegerField(default=0)
    error = TextField(default="")
    sent = IntegerField(null=True)

    class Meta:
        indexes = ((("status", "due"), False), (("game", "reader"), False), (("recipient", "queued"), False))


class Log(Table):
    """What people did to games: moderators' commands, looks at open orders, settings changed."""

    id = AutoField()
    game = CharField(null=True, index=True)
    at = IntegerField()
    who = CharField()
    what = CharField()
    data = JsonField()


TABLES = (Meta, Game, Seat, Absence, Turn, Standing, Action, Token, Question, Mail, Outbox, Log)
