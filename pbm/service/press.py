"""Press: TELL and SAY, as the game file and the rules allow (MAIL.md; in Buy the Bullet the dead only SAY)."""

from collections.abc import Sequence

from pbm.mail.lines import Press
from pbm.service import mails
from pbm.service.house import House
from pbm.service.receipt import Receipt
from pbm.service.table import Table
from pbm.store.models import Outbox, Seat

A_DAY = 40
DAY = 86_400


def may_be_told(table: Table, seat: str) -> list[str]:
    """Whom this seat may write to in private, in seat order."""
    if table.settings["press"] != "all" or table.turn is None:
        return []
    others = [name for name in table.names if name != seat]
    if table.rules.facts.press == "all":
        return others
    players = table.view(None)["players"]
    alive = {name for name in table.names if players[name]["status"] == "alive"}
    return [name for name in others if name in alive] if seat in alive else []


def send(house: House, table: Table, seat: Seat, texts: Sequence[Press], at: int, receipt: Receipt, now: int) -> None:
    """Pass press on, or say in the receipt why not. In grace all press is frozen, and goes out at its end."""
    for press in texts:
        head = f"{press.word} {', '.join(press.to) or 'ALL'}" if press.word == "TELL" else press.word
        fault = _fault(table, seat, press, at, now)
        if fault:
            receipt.refused.append((head, fault))
            continue
        to = list(press.to) or may_be_told(table, seat.name)
        later = _until(table, at)
        if press.word == "SAY":
            mails.said(house, table, seat, press.text, now, due=later)
        else:
            mails.told(house, table, seat, to, press.text, now, due=later)
        receipt.texts.append((head, press.text))
        receipt.notes += press.notes
        if later:
            receipt.notes.append("In grace press is held back; it goes out at its end.")


def _fault(table: Table, seat: Seat, press: Press, at: int, now: int) -> str | None:
    mode = table.settings["press"]
    if table.turn is None:
        return "the game hasn't started"
    if mode == "none" or (mode == "public" and press.word == "TELL"):
        return "there is no private press in this game" if mode == "public" else "there is no press in this game"
    if press.word == "TELL":
        able = may_be_told(table, seat.name)
        if not able:
            return "you can't write to players in private now; the dead write in public: (SAY: text)"
        bad = [name for name in press.to if name not in able]
        if bad:
            return f"{', '.join(bad)} can't have private press; it was sent to nobody"
    sent = Outbox.select().where(
        (Outbox.game == table.id) & (Outbox.kind == f"press-{seat.n}") & (Outbox.queued > now - DAY)
    )
    if sent.count() >= A_DAY:
        return f"{A_DAY} pieces of press a day are the most; it was not sent"
    return None


def _until(table: Table, at: int) -> int | None:
    turn = table.turn
    if turn is None or turn.status != "open" or table.game.status != "open" or at <= turn.deadline:
        return None
    return table.closes() + 1
