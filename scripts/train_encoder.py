"""Packages of open source to the table of the encoder that comes with coderag (coderag/encoders/static).

    scripts/train_encoder.py fetch FOLDER      packages, by pip, npm and apt-get: 5 GB
    scripts/train_encoder.py extract FOLDER    what they define and document, about ten minutes of one core
    scripts/train_encoder.py train FOLDER      the table, and what was learned from: about ten minutes of one core
    scripts/train_encoder.py measure FOLDER    the figures of the model that is there, as the encoder computes them

Run it with an interpreter that can import what coderag depends on, scipy and tokenizers. MODEL_CARD.md tells of the
result.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run one step of the training of the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.training.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
