"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to 4,603 questions, each asked of its own repository and of another one, where it has no answer:
about 858, commit 997, docstring 471, document 69, how 439, name 150, string 600, symbol 600, topic 419.
"""

from __future__ import annotations

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS"]

BY_VECTORS = {  # with the cosines of the shipped encoder
    "coverage": 0.98,
    "full": 0.0,
    "rare": 0.24,
    "named": 0.0,
    "only": 1.43,
    "known": 3.34,
    "file": 1.17,
    "words": 0.49,
    "verbatim": 3.8,
    "cosine": 1.42,
    "lead": 2.18,
    "file_lead": 2.33,
    "alone": 0.15,
    "text_lead": 0.81,
    "lexical": 0.5,
    "dense": 0.57,
    "is_symbol": -0.3,
    "is_edit": -0.88,
    "is_behavior": 0.11,
}
START_BY_VECTORS = -8.27
BY_WORDS = {  # without vectors, or with those of another encoder
    "coverage": 0.36,
    "full": 1.32,
    "rare": 0.0,
    "named": 0.42,
    "only": 1.41,
    "known": 3.78,
    "file": 1.47,
    "words": 0.49,
    "verbatim": 3.93,
    "cosine": 0.0,
    "lead": 2.8,
    "file_lead": 2.62,
    "alone": 0.31,
    "text_lead": 0.83,
    "lexical": 0.71,
    "dense": 0.0,
    "is_symbol": -0.47,
    "is_edit": -0.72,
    "is_behavior": 0.24,
}
START_BY_WORDS = -8.67
