"""A game file → a game in the database, open for sign-up or ready to start."""

from pbm.addresses import address_key
from pbm.config import Config
from pbm.core import registry
from pbm.core.engine import Json
from pbm.gamefile import GameFile
from pbm.service.rounds import NotNow
from pbm.store.models import Game, Seat


def open_game(file: GameFile, config: Config, now: int) -> Game:
    """Write the game and its players down. Raises NotNow where there is a game of this id already."""
    if Game.get_or_none(Game.id == file.id) is not None:
        raise NotNow(f"there is a game {file.id} already; give this one another id")
    rules = registry.get(file.game)
    game = Game.create(
        id=file.id,
        rules=file.game,
        version=rules.facts.version,
        title=file.title or rules.facts.title,
        status="signup",
        settings=settings(file, config),
        options=file.options,
        archive=file.archive,
        moderators=list(file.moderator),
        created=now,
    )
    for n, player in enumerate(file.players):
        Seat.create(
            game=game.id,
            n=n,
            name=player.name,
            person=player.name,
            address=player.address,
            address_key=address_key(player.address),
            timezone=player.timezone,
            joined=now,
        )
    return game


def settings(file: GameFile, config: Config) -> Json:
    """What of a game file the service goes by: plain JSON; lengths in seconds, `away` in days, `approve` 0 (no), 1
    (yes) or seconds."""
    dump = file.model_dump(mode="json")
    approve = file.approve
    return {
        "timing": dump["timing"],
        "default_timing": config.defaults.model_dump(mode="json")["timing"]["default"],
        "reminders": list(file.reminders),
        "press": file.press,
        "anonymous": file.anonymous,
        "press_copy": file.press_copy,
        "away": file.away_days,
        "misses": {"ask": file.misses.ask, "ignore": file.misses.ignore},
        "approve": approve if isinstance(approve, int) else 1 if approve == "yes" else 0,
        "silence": file.silence,
        "seed": file.seed,
        "seats": file.seats,
        "start": file.start,
    }
