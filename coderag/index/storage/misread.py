"""What readers raise of an index that lies to an error of the index.

Sums and signatures say who wrote the tables of an index, and not that they make sense: somebody else may have signed
what `coderag index --trust` took over, or an older coderag may have made a mistake. What a number refers to shows when
it is used, and then Python or numpy raises.
"""

from __future__ import annotations

import struct
import zlib

from coderag.errors import IndexDamagedError

__all__ = ["DATA_ERRORS", "misread"]

# What wrong numbers and bytes make readers raise; that JSON is of another type is found out where it is decoded.
DATA_ERRORS = (LookupError, ValueError, ArithmeticError, EOFError, RecursionError, zlib.error, struct.error)


def misread(where: object, error: Exception) -> IndexDamagedError:
    """Return the error to raise in place of one of DATA_ERRORS."""
    return IndexDamagedError(
        f"the index at {where} is damaged, or was written wrong ({type(error).__name__}: {error}); "
        'run "coderag index", and "coderag index --rebuild" if that does not help'
    )
