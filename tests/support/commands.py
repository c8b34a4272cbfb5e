"""Commands run in this process: a configuration, game files, and what a command said."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support.world import BASE, HOST

CONFIG = f"""
mail:
  address: {BASE}
  imap: {{host: localhost, port: 1, tls: none, password: x}}
  smtp: {{host: localhost, port: 1, tls: none}}
moderator: mod@{HOST}
archive: archive@{HOST}
"""
GRAB = f"""
game: money_grab
id: g1
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
"""
TONTINE = "game: tontine\nid: t1\nplayers:\n" + "".join(
    f"  - {{name: {n}, address: {n}@{HOST}}}\n" for n in ("ann", "bob", "cid", "dan")
)


@dataclass
class Result:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Pbm = Callable[..., Result]
