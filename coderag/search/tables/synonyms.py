"""Words that schemas and people use for the same thing; one group per line."""

from __future__ import annotations

from functools import cache

from coderag.text.tokens import stem

__all__ = ["synonyms"]

GROUPS = """
    address location place
    age old oldest young youngest
    airplane aircraft plane
    animal pet
    arrive arrival destination
    author writer
    begin start
    birth born
    buy purchase
    car vehicle automobile
    category genre kind
    child children kid
    city town
    client customer
    comment review
    company firm corporation business organization
    country nation
    death died dead
    department division
    depart departure leave
    doctor physician
    email mail
    employee staff worker
    end finish
    fly flight
    game match
    gender sex male female
    height tall tallest
    home house
    image photo picture
    job position title
    lose lost loser
    movie film
    order purchase
    parent father mother
    patient case
    people person individual human
    phone telephone
    price cost
    pupil student
    rating score
    salary wage pay earning
    sale sell sold
    shop store
    song track
    speak spoken language
    spouse husband wife
    supplier vendor
    teacher instructor professor faculty
    team club
    user member
    weight heavy heaviest
    win won winner
"""


@cache
def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in GROUPS.split("\n"):
        stems = [stem(word) for word in line.split()]
        for term in stems:
            found.setdefault(term, {}).update((other, None) for other in stems if other != term)
    return {term: tuple(others) for term, others in found.items()}


def synonyms(term: str) -> tuple[str, ...]:
    """Return the terms that may stand for a term."""
    return _table().get(term, ())
