"""What a demo leaves behind, and how it checks itself."""

import email
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

import yaml

from pbm.demo import cast
from pbm.demo.server import EmbeddedServer
from pbm.service.replay import replay
from pbm.service.table import Table
from pbm.store.models import Outbox, Turn

ARCHIVE, CONFIG, GAME = "archive.mbox", "config.yaml", "game.yaml"


@dataclass(frozen=True, slots=True)
class Checked:
    """`actions`: how many were played again; `posts`: mails in the archive; `faults`: in words."""

    actions: int
    posts: int
    faults: tuple[str, ...]


def write_config(folder: Path, data: dict[str, Any]) -> Path:
    """The settings as a file, with which `pbm --config` can look at the database later."""
    return _write(folder / CONFIG, data)


def write_game(folder: Path, data: dict[str, Any]) -> Path:
    return _write(folder / GAME, data)


def _write(path: Path, data: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def keep(folder: Path, server: EmbeddedServer, names: Sequence[str]) -> None:
    """Write every mailbox as an mbox: the archive, the players', the moderator's."""
    boxes = {cast.ARCHIVE: folder / ARCHIVE, cast.MODERATOR: folder / "moderator.mbox"}
    boxes |= {cast.address(name): folder / f"{cast.address(name).partition('@')[0]}.mbox" for name in names}
    for address, path in boxes.items():
        path.write_bytes(server.mbox(address))


def check(game: str, archive: Sequence[bytes], reports: Sequence[str]) -> Checked:
    """Whether the stored orders give the stored game again, and the archive is one thread with every digest; what the
    service has reported is a fault as well."""
    played = replay(Table.of(game))
    faults = [f"{step.label or step.kind}: {fault}" for step in played for fault in step.faults]
    posts = [email.message_from_bytes(raw) for raw in archive]
    closed = Turn.select().where((Turn.game == game) & (Turn.status == "closed")).count()
    digests = [post for post in posts if post["X-PBM"] == "digest"]
    if len(digests) != closed + 1:
        faults.append(f"{closed} phases have closed, and the archive has {len(digests)} digests with that of the start")
    faults += [*_thread(posts), *reports]
    left = Outbox.select().where((Outbox.game == game) & Outbox.status.in_(("queued", "failed"))).count()
    if left:
        faults.append(f"{left} mails have not reached their readers")
    return Checked(len(played), len(posts), tuple(faults))


def _thread(posts: Sequence[Message]) -> list[str]:
    """What isn't one thread: every post but the first names the first, and nothing that isn't in the archive."""
    if not posts:
        return ["the archive is empty"]
    known = {str(post["Message-ID"]) for post in posts}
    root = str(posts[0]["Message-ID"])
    faults: list[str] = []
    for post in posts[1:]:
        names = str(post.get("References", "")).split()
        if root not in names or not set(names) <= known:
            faults.append(f"“{post['Subject']}” is not in the archive's thread")
    return faults
