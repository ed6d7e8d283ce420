"""Questions whose route is known to the share that `coderag ask` sends there.

scripts/judge_routes.py                    fixtures/ask/routes.jsonl, asked of fixtures/shop
scripts/judge_routes.py --set paraphrased  fixtures/ask/paraphrased_routes.jsonl, whose wording the rules do not know
scripts/judge_routes.py --half measuring   the half that no rule was written from
scripts/judge_routes.py --rules            by the rules alone, without the examples
scripts/judge_routes.py --show             each question that goes elsewhere
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SETS = {"known": "routes.jsonl", "paraphrased": "paraphrased_routes.jsonl"}


def main() -> int:
    """Judge with the checkout that this file is in; 1 where fewer than the least share go where they should."""
    sys.path.insert(0, str(REPOSITORY))
    from coderag import Index
    from coderag.ask.known_names import known_in
    from coderag.ask.routing import routes_of
    from coderag.ask.semantic_routing import routing_of

    options = _options()
    lines = (REPOSITORY / "fixtures/ask" / SETS[options.set]).read_text(encoding="utf-8").splitlines()
    asked = [one for one in map(json.loads, lines) if options.half in (one["half"], "all")]
    with tempfile.TemporaryDirectory() as folder:
        known = known_in(Index.build(REPOSITORY / "fixtures/shop", index=Path(folder) / "index"))
        routes = routes_of if options.rules else lambda question, known: routing_of(question, known).routes
        found = [(one, routes(one["question"], known)[0]) for one in asked]
    wrong = [(one, route) for one, route in found if route != one["route"]]
    for one, route in wrong if options.show else ():
        print(f"{one['route']:<10} went to {route:<10} {one['question']}")
    of_route = Counter(one["route"] for one in asked)
    missed = Counter(one["route"] for one, _ in wrong)
    for name, count in sorted(of_route.items()):
        print(f"{name:<10} {count - missed[name]} of {count}")
    share = 1 - len(wrong) / len(asked)
    print(f"{'all':<10} {len(asked) - len(wrong)} of {len(asked)} = {share:.3f}")
    return int(share < options.least)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Judge the routes of coderag ask.")
    parser.add_argument("--half", choices=("all", "tuning", "measuring"), default="all")
    parser.add_argument("--set", choices=sorted(SETS), default="known", help="which questions (default: known)")
    parser.add_argument("--rules", action="store_true", help="by the rules alone")
    parser.add_argument("--show", action="store_true", help="print each question that goes elsewhere")
    parser.add_argument("--least", type=float, default=0.0, help="exit code 1 below this share")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
