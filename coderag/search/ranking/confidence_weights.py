"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to 4,603 questions, each asked of its own repository and of another one, where it has no answer:
about 858, commit 997, docstring 471, document 69, how 439, name 150, string 600, symbol 600, topic 419.
"""

from __future__ import annotations

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS"]

BY_VECTORS = {  # with the cosines of the shipped encoder
    "coverage": 0.72,
    "full": 0.0,
    "rare": 0.41,
    "named": 0.0,
    "only": 1.43,
    "known": 3.38,
    "file": 1.16,
    "words": 0.43,
    "verbatim": 3.87,
    "cosine": 1.49,
    "lead": 2.6,
    "file_lead": 2.47,
    "alone": 0.12,
    "text_lead": 0.79,
    "lexical": 0.47,
    "dense": 0.54,
    "is_symbol": -0.35,
    "is_edit": -0.52,
    "is_behavior": 0.1,
}
START_BY_VECTORS = -8.18
BY_WORDS = {  # without vectors, or with those of another encoder
    "coverage": 0.28,
    "full": 1.33,
    "rare": 0.0,
    "named": 0.4,
    "only": 1.39,
    "known": 3.91,
    "file": 1.45,
    "words": 0.49,
    "verbatim": 4.0,
    "cosine": 0.0,
    "lead": 2.86,
    "file_lead": 2.8,
    "alone": 0.44,
    "text_lead": 0.83,
    "lexical": 0.59,
    "dense": 0.0,
    "is_symbol": -0.44,
    "is_edit": -0.46,
    "is_behavior": 0.25,
}
START_BY_WORDS = -8.72
