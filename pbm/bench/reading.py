"""To read a mail: bytes to letter, and letter to the lines that are new."""

import statistics
from pathlib import Path

from pbm.bench import games
from pbm.bench.figures import Block, Rate, measured
from pbm.bench.incoming import raw_parse
from pbm.mail.letter import read_letter
from pbm.mail.reply import new_text
from pbm.service.sender import sent_in_thread

ROUNDS = 3


def measure(folder: Path, count: int) -> Block:
    """Answers of players, by six mail programs, with our mails of their thread at hand."""
    config, house = games.opened(folder, "reading")
    games.started(house, config, "grab-1")
    mails = games.replies(min(count, 60))
    block = Block("reading", "Reading a mail", Rate("letter, and its new text"))
    times: list[float] = []
    wrong = 0
    for n in range(1 + ROUNDS):
        for _, raw in mails:
            one = Rate("")
            with measured(one, 1):
                letter = read_letter(raw, own=house.own)
                sent = sent_in_thread(letter, "grab-1", (letter.sender or "").partition(".")[0])
                found = new_text(letter, sent=sent, names=(house.name, house.address))
            # The first round warms up.
            if n:
                times.append(one.cpu_ms)
                block.ours.wall += one.wall
                block.ours.cpu += one.cpu
                block.ours.count += 1
            wrong += found.lines[0].text not in games.LINES
    block.raw = [raw_parse(mails)]
    block.more = [("median", statistics.median(times), "ms"), ("slowest", max(times), "ms")]
    if wrong:
        block.fault = f"in {wrong} of {len(mails) * (1 + ROUNDS)} the order wasn't the first new line"
    return block
