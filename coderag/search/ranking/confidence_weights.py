"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to 3,770 questions, each asked of its own repository and of another one, where it has no answer:
about 293, commit 997, docstring 205, document 68, how 439, name 150, string 599, symbol 600, topic 419.
"""

from __future__ import annotations

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS"]

BY_VECTORS = {  # with the cosines of the shipped encoder
    "coverage": 0.97,
    "full": 0.0,
    "rare": 0.0,
    "named": 0.0,
    "only": 1.19,
    "known": 2.95,
    "file": 1.04,
    "words": 0.63,
    "verbatim": 3.67,
    "cosine": 2.12,
    "lead": 1.86,
    "file_lead": 2.26,
    "alone": 0.25,
    "text_lead": 1.5,
    "lexical": 0.17,
    "dense": 0.45,
    "is_symbol": -0.49,
    "is_edit": -0.67,
    "is_behavior": -0.66,
}
START_BY_VECTORS = -8.04
BY_WORDS = {  # without vectors, or with those of another encoder
    "coverage": 0.48,
    "full": 1.94,
    "rare": 0.5,
    "named": 0.59,
    "only": 1.29,
    "known": 2.76,
    "file": 0.8,
    "words": 0.88,
    "verbatim": 3.83,
    "cosine": 0.0,
    "lead": 1.47,
    "file_lead": 2.34,
    "alone": 0.64,
    "text_lead": 1.26,
    "lexical": 0.18,
    "dense": 0.0,
    "is_symbol": -0.59,
    "is_edit": -0.12,
    "is_behavior": -0.35,
}
START_BY_WORDS = -8.63
