"""Real applications indexed: is what `coderag tables` says the schema that they really have?

    scripts/judge_applications.py LIST.toml        every application of a list, with and without its snapshot
    scripts/judge_applications.py LIST.toml --only forem --variant plain --wrong
    scripts/judge_applications.py LIST.toml --postgres postgresql://postgres@localhost --json

A list names trees on this disk, and for each the files that state its whole schema. The truth is what a real database
has after it ran them (`sqlite`, or the server of `--postgres`, in databases that are dropped afterwards), what
`schema.rb` says, or a JSON file. See scripts/applications/book.py for the form of a list.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Judge the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.applications.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
