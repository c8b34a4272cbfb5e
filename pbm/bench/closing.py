"""Games that close in the same minute: from the deadline until the last mail of the last of them is queued."""

from pathlib import Path

from pbm.bench import games
from pbm.bench.building import built
from pbm.bench.figures import Block, Rate, measured, peak_mb
from pbm.bench.incoming import raw_commits
from pbm.mail.imap import Arrival
from pbm.service import inbox, intake, timer
from pbm.service.table import Table
from pbm.service.timer import Fence
from pbm.store import db
from pbm.store.models import Game, Outbox, Turn


def measure(folder: Path, count: int) -> Block:
    """`count` two-player games whose orders are in and whose deadline has passed: digest, two round mails and a summary
    for each."""
    config, house = games.opened(folder, "closing")
    game = games.started(house, config, "grab-1")
    for uid, (_, raw) in enumerate(games.replies(2), 1):
        with db.transaction():
            inbox.store([Arrival("INBOX", 1, uid, games.START + 60, len(raw), raw)])
    intake.read_all(house, games.START + 120)
    build, cold = built(house, 50, warm=True), built(house, 50, warm=False)
    games.copied(Game.get_by_id(game.id), count - 1)
    block = Block("closing", "Games closing in the same minute", Rate("a game: closed, next phase open, mails queued"))
    now = Table.of(game.id).closes() + 60
    queued = Outbox.select().count()
    longest, closed = Rate(""), 0
    while closed < count:
        step = Rate("")
        with measured(step, 0), measured(block.ours, 0):
            done = timer.tick(house, now, Fence(now))
        closed += len(done)
        longest = max(longest, step, key=lambda rate: rate.wall)
        if not done:
            break
    block.ours.count = closed
    queued = Outbox.select().count() - queued
    block.raw = [build, cold, raw_commits(folder, [("", b"x" * 8000)] * min(count, 500))]
    block.more = [
        ("deadline to last mail queued", block.ours.wall, "s"),
        ("the same in processor time", block.ours.cpu, "s"),
        ("mails queued for it", queued, "mails"),
        ("peak memory", peak_mb(), "MB"),
    ]
    still = Turn.select().where((Turn.status == "open") & (Turn.wake <= now)).count()
    if (closed, still, queued) != (count, 0, 4 * count):
        block.fault = f"of {count} games {closed} were closed, with {queued} mails; {still} are still due"
    return block
