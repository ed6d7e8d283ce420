"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to 4,602 questions, each asked of its own repository and of another one, where it has no answer:
about 858, commit 997, docstring 471, document 68, how 439, name 150, string 600, symbol 600, topic 419.
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
    "coverage": 0.46,
    "full": 1.65,
    "rare": 0.0,
    "named": 0.68,
    "only": 1.04,
    "known": 3.49,
    "file": 1.08,
    "words": 0.69,
    "verbatim": 3.69,
    "cosine": 0.0,
    "lead": 2.18,
    "file_lead": 2.67,
    "alone": 0.25,
    "text_lead": 1.39,
    "lexical": 0.18,
    "dense": 0.0,
    "is_symbol": -0.61,
    "is_edit": -0.32,
    "is_behavior": -0.4,
}
START_BY_WORDS = -8.52
