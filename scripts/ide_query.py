#!/usr/bin/env python3
"""Answer an editor, as `coderag at --format vimgrep` does: scripts/ide_query.py FILE:LINE[:COLUMN] [OPTIONS]."""

import sys

from coderag.cli.main import run

if __name__ == "__main__":
    sys.exit(run(["at", "--format", "vimgrep", *sys.argv[1:]]))
