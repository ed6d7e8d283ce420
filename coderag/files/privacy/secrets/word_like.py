"""Letters to whether they read like words of some language or like chance."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["reads_like_words"]

LETTERS = re.compile(rb"[a-z]+")
TYPED = re.compile(rb"ps?wd|qwert|asdf|zxcv|qaz|wsx|yxcv|azerty|jkl")  # neighbours on a keyboard; short for password
# How much more often than by chance a letter (row) precedes another (column) in a word: the binary logarithm of the
# factor plus CHANCE, cut off at 0 and 9. Counted in the different words of 112 MB of Python packages and of messages
# of programs in 24 languages, half and half.
FOLLOWS = (
    b"55351353534667150767443343",
    b"73437322740723630653612041",
    b"72437217616521720546511032",
    b"73348332732434631554532132",
    b"53664442424657342776242532",
    b"62346621801632720655601030",
    b"73238245612535630654622031",
    b"82237213712433720546522040",
    b"54655452234658641566250314",
    b"82238211623334730163631022",
    b"72337224704523730565633030",
    b"72347231732633630255521050",
    b"85227211702453660243511020",
    b"62566472634334630267541042",
    b"44552342424667450765554212",
    b"71337224602622750745510040",
    b"52342233422643433444923223",
    b"73457341714354630556532042",
    b"62527325615433652267622042",
    b"72437325702433630655522153",
    b"55545442534667450666322223",
    b"81328121712324620342310132",
    b"81337235702425631553303241",
    b"53647424702453471347332440",
    b"64546442524565581466434223",
    b"83238133724345631334533054",
)
CHANCE = 5
# Letters at random have a mean of 3.6. Of other words than those counted, 0.2 % of ten letters and 1.2 % of eight are
# below this; of letters at random, 93 % of ten and 89 % of eight.
MIN_MEAN = 4.7
MIN_PAIRS = 7  # fewer may be an abbreviation


def reads_like_words(text: bytes, *, few: bool = True) -> bool:
    """Tell whether letters follow one another as in words; case and all else do not count.

    Of too few letters to tell, `few` is returned.
    """
    lowered = text.lower()
    pairs = [pair for run in LETTERS.findall(lowered) for pair in pairwise(run)]
    if len(pairs) < MIN_PAIRS:
        return few
    if TYPED.search(lowered):
        return True
    total: int = sum(FOLLOWS[first - ord("a")][second - ord("a")] - ord("0") for first, second in pairs)
    return total >= MIN_MEAN * len(pairs)
