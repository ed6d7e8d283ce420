#!/usr/bin/env python3
"""Print a prompt for text-to-SQL, as `coderag schema --prompt` does: scripts/sql_context.py QUESTION [OPTIONS]."""

import sys

from coderag.cli.main import run

if __name__ == "__main__":
    sys.exit(run(["schema", "--prompt", *sys.argv[1:]]))
