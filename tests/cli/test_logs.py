"""What the log of the running service shows, and what it never does (MAIL.md: no token in a log)."""

from typing import Literal

import pytest
import structlog

from pbm.cli.logs import set_up


@pytest.mark.parametrize("shape", ["console", "json"])
def test_a_traceback_shows_no_values(shape: Literal["console", "json"], capsys: pytest.CaptureFixture[str]) -> None:
    def fail(secret: str) -> None:
        raise ValueError("it can't be read" if secret else "")

    set_up("info", shape)
    try:
        fail("qwertyuiopasdfghjklzxcvbnm"[::-1])
    except ValueError:
        structlog.get_logger("test").warning("mail_failed", exc_info=True)
    finally:
        structlog.reset_defaults()
    shown = capsys.readouterr().err
    assert "it can't be read" in shown
    assert "mnbvcxzlkjhgfdsapoiuytrewq" not in shown
