"""Judged questions to what each stage of `coderag ask` gains or loses by rules, with intervals.

scripts/judge_stages.py rank --sets DIR --indexed DIR        stages that word the question in other ways: nDCG@10
scripts/judge_stages.py context --sets DIR --indexed DIR     stages that shape the sources: recall within a budget
scripts/judge_stages.py data --sets DIR                      stages that word the question: the tables of its SQL held
scripts/judge_stages.py compound --sets DIR --indexed DIR    decomposition: both parts' targets within 2,000 tokens
scripts/judge_stages.py compound --packages DIR              the same for those of fixtures/ask/questions
scripts/judge_stages.py answers --packages DIR               each stage: right answers and right refusals

`--sets` has `code/repos.json`, `code/commits.json` and their questions, `--indexed` the repositories with their
indexes, as DIR/SUITE/NAME. `data` reads `sql/ddl` and `sql/items` of the sets, and indexes them itself. `answers` needs
neither: it asks fixtures/ask/answerable.jsonl of fixtures/shop, and of the packages that are in DIR. `compound
--packages` takes the folder that scripts/judge_answers.py keeps. Weights and gates were chosen with `--half tuning`;
report `--half measuring`.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.stages.command import run

    sys.exit(run(sys.argv[1:]))
