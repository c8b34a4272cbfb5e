"""A moderator's mail → the commands in it, each done by the function that the command line calls, too (MAIL.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.addresses import address_key
from pbm.mail.commands import Command
from pbm.mail.letter import Letter, find_token
from pbm.mail.lines import CommandLine, Grammar, Press, is_whole, read_lines
from pbm.mail.reply import new_text
from pbm.mail.trust import Verdict
from pbm.service import desk, needs, post, preview, questions, reading, seats, undo
from pbm.service.desk import By
from pbm.service.deskmail import Done, told
from pbm.service.house import House
from pbm.service.outcome import Outcome
from pbm.service.reading import Lines
from pbm.service.rounds import NotNow
from pbm.service.sender import holder_of, sent_in_thread
from pbm.service.table import Table
from pbm.store.models import Mail, Outbox, Question, Turn
from pbm.timewords import parse_until

# Those that belong to a phase: refused when it has closed meanwhile.
OF_A_PHASE = ("EXTEND", "CLOSE", "ORDER", "HOLD", "APPROVE", "UNDO")
# Those that are asked back once, and a word for what each would do.
ASKED_BACK = ("REMOVE", "REPLACE", "UNDO", "END")
# Those that only ask: a key of any age does for them, since the answer goes to the address on file.
ASKING = ("HELP", "RULES", "STATUS", "ORDERS", "PREVIEW")


@dataclass(frozen=True, slots=True)
class Sender:
    """The moderator who writes. `turn`: the phase that the mail belongs to; `live`: whether its key still lives.
    `other`: the address that it came from, where that isn't the one on file."""

    address: str
    turn: int | None
    live: bool
    other: str = ""


def read(house: House, table: Table, letter: Letter, mail: Mail, verdict: Verdict, now: int) -> Outcome:
    """A mail that acts for a moderator, or (`confirm`) one that nothing proves to be theirs: that is asked back."""
    sender = _sender(house, table, letter, mail)
    if sender is None:
        return Outcome("dropped", "its address no longer moderates this game", table.id)
    lines = _new_lines(house, table, letter)
    mail.lines = [line for line, _ in lines if line.strip()][:100]
    if verdict.do == "confirm":
        return _ask_sender(house, table, sender, lines, now)
    needs.answered(table.id, now)
    grammar = _grammar(table)
    found = read_lines(lines, grammar)
    if desk.passed(table, mail.arrived) and any(line.command.word == "PAUSE" for line in found.commands):
        assert table.turn is not None
        return Outcome("new", "it waits for its phase to close", table.id, waits=table.turn.id)
    by = By(sender.address, mail.arrived, mail.uid)
    done = _obey(house, table, lines, sender, by, now)
    _ask_back(house, table, sender.address, done, now)
    if not verdict.quiet and done.worth_a_receipt:
        if sender.other:
            done.done.append(f"Your mail came from {sender.other}, which isn't the address on file.")
        told(house, table, done, sender.address, letter, now)
    refused = bool(done.refused) and not (done.done or done.waits or done.asked or done.preview)
    return Outcome("refused" if refused else "accepted", done.refused[0][1] if refused else "", table.id)


def confirmed(
    house: House, table: Table, question: Question, letter: Letter, mail: Mail, now: int, *, says_no: bool
) -> Outcome:
    """A moderator's reply to a question: what was asked back is done, unless it can't be any more."""
    done = Done()
    asked = question.data["asked"]
    by = By(question.address, mail.arrived, mail.uid)
    needs.answered(table.id, now)
    if question.answered is not None:
        done.refused = [(line, "it was answered") for line, _ in asked]
    elif says_no:
        done.done.append("Nothing was done.")
    elif question.kind == "lines":
        sender = Sender(question.address, question.turn, live=True)
        lines = [(line, False) for line in question.data["lines"]]
        done = _obey(house, table, lines, sender, by, now)
        _ask_back(house, table, question.address, done, now)
    else:
        line = asked[0][0]
        try:
            done.done.append(_carry_out(house, table, question, by, now))
        except NotNow as fault:
            done.refused.append((line, str(fault)))
    if question.answered is None:
        question.answered = now
        question.save()
    if done.worth_a_receipt:
        told(house, table, done, question.address, letter, now)
    refused = bool(done.refused) and not done.done
    return Outcome("refused" if refused else "accepted", done.refused[0][1] if refused else "", table.id)


# -- who, and what they wrote --------------------------------------------------------------------------------------


def _sender(house: House, table: Table, letter: Letter, mail: Mail) -> Sender | None:
    token = find_token(letter, house.own)
    holder = holder_of(token, mail.arrived) if token else None
    on_file = {address_key(address): str(address) for address in table.game.moderators}
    wrote = letter.sender or ""
    address = on_file.get(address_key(holder.address if holder is not None else wrote))
    if address is None:
        return None
    other = wrote if address_key(wrote) != address_key(address) else ""
    if holder is not None:
        return Sender(address, holder.turn, holder.live, other)
    return Sender(address, _turn_answered(table, letter), live=True)


def _turn_answered(table: Table, letter: Letter) -> int | None:
    """The phase of the mail of ours that a mail without a key answers; else it means the one that is open."""
    ids = [*letter.in_reply_to[:4]]
    row = Outbox.get_or_none((Outbox.game == table.id) & (Outbox.reader == post.MODERATOR) & Outbox.message_id.in_(ids))
    return row.turn if row is not None else table.game.turn


def _new_lines(house: House, table: Table, letter: Letter) -> Lines:
    grammar = _grammar(table)
    found = new_text(
        letter,
        sent=sent_in_thread(letter, table.id, post.MODERATOR),
        names=(house.name, house.address, *table.game.moderators),
        parses=lambda line: is_whole(line, grammar),
    )
    return reading.with_blanks(found.text, [(line.text, line.doubtful) for line in found.lines])


def _grammar(table: Table) -> Grammar:
    forms = table.grammar if table.turn is not None else ()
    name = table.names[-1] if table.names else "bob"

    def example(verb: str) -> str | None:
        if verb or table.turn is None or table.turn.status != "open":
            return None
        return next((form.example() for form in table.forms(name)), None)

    return Grammar(forms, table.names, "moderator", example)


def _ask_sender(house: House, table: Table, sender: Sender, lines: Lines, now: int) -> Outcome:
    texts = [line for line, _ in lines][:80]
    if not any(line.strip() for line in texts):
        return Outcome("dropped", "it says nothing, and nothing proves who sent it", table.id)
    shown = [[line, "from a mail that nothing proves to be yours"] for line in texts if line.strip()]
    data = {"asked": shown, "lines": texts}
    asked = questions.ask(house, table, None, "lines", data, now, address=sender.address)
    reason = "its sender was asked to confirm" if asked else "its sender was asked to confirm earlier today"
    return Outcome("refused", reason, table.id)


# -- the doing of it -----------------------------------------------------------------------------------------------


def _obey(house: House, table: Table, lines: Lines, sender: Sender, by: By, now: int) -> Done:
    """Do what the lines ask for, in their order; the order lines for one player count as one mail of theirs."""
    found = read_lines(lines, _grammar(table))
    done = Done(chat=found.chat, refused=[(line.line, line.reason) for line in found.refused])
    done.refused += [(line, "it isn't clear whether you wrote this now, or quoted it") for line in found.doubtful]
    ordered: set[str] = set()
    for line in found.commands:
        command = line.command
        if command.word in ASKING:
            _answer(table, line, done, by, now)
            continue
        if fault := _not_for_now(table, command, sender):
            done.refused.append((line.line, fault))
            if command.word in OF_A_PHASE and table.game.status not in ("signup", "over"):
                done.late = _label(sender.turn)
                done.again.append(line.line)
            continue
        try:
            if command.word == "ORDER":
                if command.name not in ordered:
                    ordered.add(command.name)
                    _order(house, table, command.name, found.commands, done, by, now)
            elif command.word in ASKED_BACK:
                kind, effect, data = _checked(house, table, command)
                done.waits[kind] = (line.line, effect, data)
            else:
                done.done.append(_plain(house, table, command, by, now))
                done.done += _near(command)
        except NotNow as fault:
            done.refused.append((line.line, str(fault)))
    for text in found.press:
        _announce(house, table, text, sender, done, by, now)
    return done


def _not_for_now(table: Table, command: Command, sender: Sender) -> str | None:
    """Why a command can't be taken from this mail: its phase has closed, or its key is too old."""
    turn = table.turn
    of_the_past = sender.turn != table.game.turn
    if not sender.live or (command.word in OF_A_PHASE and of_the_past):
        if turn is None or table.game.status == "over":
            return f"{table.id} is over"
        return f"it came by a mail of an earlier phase; {turn.label} is open now"
    return None


def _label(turn: int | None) -> str:
    row = Turn.get_or_none(Turn.id == turn)
    return str(row.label) if row is not None else "an earlier phase"


def _plain(house: House, table: Table, command: Command, by: By, now: int) -> str:
    match command.word:
        case "EXTEND":
            return desk.extend(house, table, int(command.argument), by, now)
        case "CLOSE":
            return desk.close(house, table, by, now)
        case "PAUSE":
            return desk.pause(house, table, by, now)
        case "RESUME":
            instant = parse_until(command.argument, desk.zone(table), now) if command.argument else None
            return desk.resume(house, table, instant, by, now)
        case "HOLD":
            return desk.hold(house, table, by, now)
        case "REMIND":
            return seats.remind(house, table, command.name, by, now)
    assert command.word == "APPROVE"
    return desk.approve(house, table, by, now)


def _near(command: Command) -> list[str]:
    return [f"“{command.near}” was read as {command.name}."] if command.near else []


def _order(house: House, table: Table, name: str, lines: Sequence[CommandLine], done: Done, by: By, now: int) -> None:
    mine = [line.command for line in lines if line.command.word == "ORDER" and line.command.name == name]
    made = seats.order(house, table, name, [command.argument for command in mine], by, now)
    if made.taken or made.done:
        done.done.append(f"Entered for {name}: {', '.join(f'({line})' for line in (*made.taken, *made.done))}.")
    done.done += [note[:1].upper() + note[1:] + "." for note in made.notes]
    done.done += [note for command in mine for note in _near(command)]
    done.refused += [(f"ORDER {name}: {line}", reason) for line, reason in made.refused]


def _announce(house: House, table: Table, text: Press, sender: Sender, done: Done, by: By, now: int) -> None:
    try:
        if not sender.live:
            raise NotNow("it came by a mail whose key is too old")
        done.done.append(desk.announce(house, table, text.text, by, now))
    except NotNow as fault:
        done.refused.append(("ANNOUNCE", str(fault)))


def _checked(house: House, table: Table, command: Command) -> tuple[str, str, dict[str, object]]:
    """Kind, effect and data of the question for a command that is asked back. Raises NotNow where it can't be done."""
    read_as = f" (“{command.near}” was read as {command.name})" if command.near else ""
    data: dict[str, object] = {"word": command.word, "name": command.name, "argument": command.argument}
    match command.word:
        case "REMOVE":
            seat = seats.can_remove(table, command.name)
            return f"remove-{seat.n}", f"{seat.name} is out of the game for good{read_as}", data
        case "REPLACE":
            seat = seats.can_replace(house, table, command.name, command.argument)
            return f"replace-{seat.n}", f"{seat.name} is played from {command.argument}{read_as}", data
        case "UNDO":
            made = undo.plan(table)
            lost = f"; withdrawn with it: {'; '.join(made.lost)}" if made.lost else ""
            return "undo", f"{made.closed.label} is open again, and its close withdrawn{lost}", data
    desk.can_end(table)
    return "end", "the game is over, and nobody wins", data


def _ask_back(house: House, table: Table, address: str, done: Done, now: int) -> None:
    for kind, (line, effect, data) in done.waits.items():
        if not questions.ask(house, table, None, kind, {**data, "asked": [[line, effect]]}, now, address=address):
            done.refused.append((line, f"you were asked {questions.A_DAY} times today; answer the newest question"))


def _carry_out(house: House, table: Table, question: Question, by: By, now: int) -> str:
    """Do what was confirmed. Raises NotNow where it no longer can be."""
    data = question.data
    if data["word"] == "UNDO" and question.turn != table.game.turn:
        raise NotNow("another phase has opened since you were asked")
    match data["word"]:
        case "REMOVE":
            return seats.remove(house, table, data["name"], by, now)
        case "REPLACE":
            return seats.replace(house, table, data["name"], data["argument"], by, now)
        case "UNDO":
            return undo.undo(house, table, by, now)
        case "ADDRESS":
            return seats.moved(house, table, question, by, now)
    return desk.end(house, table, by, now)


def _answer(table: Table, line: CommandLine, done: Done, by: By, now: int) -> None:
    word = line.command.word
    try:
        if word == "PREVIEW":
            done.preview = preview.preview(table)
        if word in ("PREVIEW", "ORDERS"):
            desk.open_turn(table)
            desk.log(table, by, word.lower(), now)
    except NotNow as fault:
        done.refused.append((line.line, str(fault)))
        return
    if word != "PREVIEW" and word not in done.asked:
        done.asked.append(word)
