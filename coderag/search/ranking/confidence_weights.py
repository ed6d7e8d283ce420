"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to 4,602 questions, each asked of its own repository and of another one, where it has no answer:
about 858, commit 997, docstring 471, document 68, how 439, name 150, string 600, symbol 600, topic 419.
"""

from __future__ import annotations

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS"]

BY_VECTORS = {  # with the cosines of the shipped encoder
    "coverage": 0.84,
    "full": 0.0,
    "rare": 0.27,
    "named": 0.0,
    "only": 1.26,
    "known": 3.35,
    "file": 1.26,
    "words": 0.42,
    "verbatim": 3.7,
    "cosine": 1.47,
    "lead": 1.84,
    "file_lead": 2.27,
    "alone": 0.23,
    "text_lead": 0.81,
    "lexical": 0.52,
    "dense": 0.48,
    "is_symbol": -0.47,
    "is_edit": -0.84,
    "is_behavior": -0.13,
}
START_BY_VECTORS = -8.14
BY_WORDS = {  # without vectors, or with those of another encoder
    "coverage": 0.74,
    "full": 1.02,
    "rare": 0.0,
    "named": 0.47,
    "only": 1.02,
    "known": 3.72,
    "file": 1.36,
    "words": 0.46,
    "verbatim": 3.62,
    "cosine": 0.0,
    "lead": 3.06,
    "file_lead": 2.69,
    "alone": 0.15,
    "text_lead": 0.82,
    "lexical": 0.51,
    "dense": 0.0,
    "is_symbol": -0.55,
    "is_edit": -0.66,
    "is_behavior": -0.07,
}
START_BY_WORDS = -8.39
