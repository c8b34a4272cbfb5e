"""The commands (INTERFACE.md, *Commands*). Exit status: 0 done, 1 refused or failed with a reason, 2 wrong use or
configuration. What a command works with is imported when it runs, so that `pbm -h` and `pbm adjudicate` start quickly.
"""

import os
import sys
from collections.abc import Sequence

from typer.main import get_command

from pbm.cli.base import Failed, failure
from pbm.cli.root import app


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status; foreseeable faults are told on stderr, without a traceback."""
    try:
        get_command(app)(args=list(argv) if argv is not None else None, prog_name="pbm")
    except Failed as fault:
        _leave(fault)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is left to say to them, not even at the interpreter's own end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as fault:
        known = failure(fault)
        if known is None:
            raise
        _leave(known)


def _leave(fault: Failed) -> None:
    if fault.reason:
        print(fault.reason, file=sys.stderr)
    sys.exit(fault.status)
