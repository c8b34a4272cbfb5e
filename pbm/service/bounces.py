"""A bounce: which of our mails it is about, and who has to be told. Without a token of ours it has no effect."""

from pbm.addresses import address_key
from pbm.mail.bounce import bounced
from pbm.mail.letter import Letter, find_token
from pbm.service import mails
from pbm.service.house import House
from pbm.service.outcome import Outcome
from pbm.service.sender import holder_of
from pbm.service.table import Table


def take(house: House, raw: bytes, letter: Letter, now: int) -> Outcome:
    """Mark the seat whose address failed, and tell the moderator once. A delay is no failure."""
    bounce = bounced(raw, letter)
    token = find_token(letter, house.own) or (bounce.token if bounce is not None else None)
    holder = holder_of(token, now) if token else None
    if bounce is None or holder is None or holder.seat is None or not holder.game:
        return Outcome("dropped", "a bounce that names no mail of ours")
    table = Table.of(holder.game)
    seat = table.seat(holder.seat)
    if holder.revoked:
        return Outcome("dropped", "a bounce of an address that is no longer in use", table.id, seat.name)
    if not bounce.permanent:
        return Outcome("dropped", "a mail of ours is delayed", table.id, seat.name)
    named = {address_key(address) for address in bounce.addresses}
    if named and address_key(seat.address) not in named and len(named) > 1:
        return Outcome("dropped", "a bounce that names other addresses", table.id, seat.name)
    if not seat.bounced:
        seat.bounced = True
        seat.save()
        mails.trouble(house, table, f"Mail to {seat.name} ({seat.address}) can't be delivered.", now, seat=seat)
    return Outcome("accepted", "a mail of ours bounced", table.id, seat.name)
