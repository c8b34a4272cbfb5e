"""How the running service writes its log: to stderr, for people or as JSON lines."""

import logging
import sys
from typing import Literal

import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def set_up(level: str, shape: Literal["console", "json"]) -> None:
    """Set structlog up once, before the service starts."""
    renderer = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if shape == "json"
        # Where rich is there structlog would show every local variable with a traceback: mails, tokens, keys.
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *([structlog.processors.format_exc_info] if shape == "json" else []),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # The parts' own loggers say nothing that the service doesn't say better, but for warnings.
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), stream=sys.stderr)
