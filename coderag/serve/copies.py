"""What a copy of this process does to its end."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from coderag.errors import CoderagError

__all__ = ["exit_after"]

FAILED = 2


def exit_after(work: Callable[[], None]) -> NoReturn:
    """Work, say on standard error what goes wrong, and end the process; nothing of the one that it copies is run."""
    code = FAILED
    try:
        work()
        code = 0
    except KeyboardInterrupt:
        code = 0
    except (CoderagError, OSError) as error:
        print(f"coderag: {error}", file=sys.stderr)
    except Exception:  # noqa: BLE001 - a fault, which would end unsaid
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
