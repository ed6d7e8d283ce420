"""Whether what has the form of a secret stands for one: an example, a template, a row of x."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from coderag.files.privacy.secrets.word_like import reads_like_words

__all__ = [
    "is_password_placeholder",
    "is_placeholder",
    "is_plain_value",
    "is_random",
    "is_template",
    "is_url_placeholder",
]

MAX_LOOKED_AT = 120  # bytes; in a longer text, chance would write a word of four letters now and then
MAX_SEQUENTIAL = 0.45  # of the neighbours in a random key of hexadecimal digits, less than a fifth follow one another
MIN_LONG = 5  # bytes of a password; of fewer, two neighbours may follow one another by chance
MIN_PERIODS = 2  # as often as this is no secret repeated

# What people write into an example. Words of four letters are in one random key of ten thousand at most.
WORDS = re.compile(
    rb"""example|sample|placeholder|dummy|fake|redacted|change[-_ ]?(?:me|this|it)|replace|insert|your[-_]|my[-_]|
    put[-_]|enter[-_]|todo|fixme|xxxxx|\*\*\*\*|\.\.\.|0000000|not[-_ ]?a[-_ ]?(?:real|secret|key|token)|invalid|foobar|
    secret|token|passw|test|mock|tiger|lorem|deadbeef|cafebabe|aaaaaa""",
    re.IGNORECASE | re.VERBOSE,
)
# $NAME, ${NAME}, <name>, {name}, %NAME%, %s, %(name)s, %[1]s, [name], #{name}, @name@, \(name), &name;
TEMPLATE = re.compile(
    rb"""^\$[\w({] | \$[{(] | <[\w\s.-]{1,80}> | ^<[^>]*>?$ | \{[\w.$]{0,80}\} | ^\{ | %[sv({[] | %d$ |
    ^%[A-Z_]{3,80}%?$ | ^\[[\w\s-]{1,80}\]$ | ^[#&@]\{ | ^@\w{1,80}@$ | ^&\w{1,80};$ | \\\( | \.\.\.""",
    re.VERBOSE,
)
# What a setting has that is no secret, whatever its name: a switch, a small number, a path, an address.
PLAIN = re.compile(
    rb"(?i:true|false|yes|no|on|off|null|none|nil|required|optional)|[0-9]{1,5}|[/~.][\w./-]{0,200}|https?://.{0,500}"
)
ESCAPED = re.compile(rb"%[0-9A-Fa-f]{2}")
HAS_DIGIT = re.compile(rb"[0-9]")
# Passwords that examples have, and that protect nothing where they are real.
EXAMPLES = frozenset(
    b"""pass password passwd passwort passphrase pwd pw pass1 pass123 password1 password123 passw0rd p4ssw0rd
    p@ssw0rd s3cr3t s3cret secret secrets supersecret topsecret mysecret secretpassword mypassword mypass
    my-password hunter2 sesame key apikey api_key token auth credentials creds user username admin administrator
    root guest test tests testing tester tiger scott foo bar baz qux foobar spam eggs example sample dummy fake
    none null nil undefined empty string value changeme changeit letmein qwerty abc abcd abcde abcdef abc123 xyz
    x xx xxx y z a b c p u 1 12 123 1234 12345 123456 1234567 12345678 123456789 postgres postgresql pg mysql
    mariadb mongo mongodb redis rabbitmq rabbit sa oracle docker vagrant default demo local localhost dev
    development prod production db database app host true false hello world default_password minioadmin elastic
    neo4j airflow sentry django rails laravel""".split()
)


def is_placeholder(text: bytes, *, entropy: float) -> bool:
    """Tell whether words or no chance at all made the random part of a key; `entropy` as of `is_random`."""
    return WORDS.search(text, 0, MAX_LOOKED_AT) is not None or not is_random(text, entropy=entropy)


def is_random(text: bytes, *, entropy: float) -> bool:
    """Tell whether a text looks like one that chance made; `entropy` is the least that such a one has, bits a byte."""
    start = text[:MAX_LOOKED_AT]
    return _entropy(start) >= entropy and not _is_sequential(start) and not _is_repetition(start.lower())


def is_password_placeholder(text: bytes) -> bool:
    """Tell whether a password is a template, the name of what belongs there, or one that examples have."""
    return (
        not text.strip(b"*.x-_X?/: ")
        or text.lower() in EXAMPLES
        or is_template(text)
        or WORDS.search(text) is not None
        or (len(text) >= MIN_LONG and _is_sequential(text))
    )


def is_template(text: bytes) -> bool:
    """Tell whether a text is filled in before it is used, as a whole or in a place."""
    return TEMPLATE.search(text) is not None


def is_plain_value(text: bytes) -> bool:
    """Tell whether the value of a setting need not be kept secret: a switch, a small number, a path, an address."""
    return PLAIN.fullmatch(text) is not None


def is_url_placeholder(text: bytes, *, user: bytes) -> bool:
    """Tell whether the password in a URL is a placeholder: also the user's name, and words without a digit.

    Nearly all words that stand there in repositories were made up for a test or for documentation.
    """
    if text.lower() == user.lower() or is_password_placeholder(text):
        return True
    unescaped = ESCAPED.sub(b"", text)
    return not HAS_DIGIT.search(unescaped) and reads_like_words(unescaped)


def _entropy(text: bytes) -> float:
    """Return the entropy of the bytes of a text, in bits a byte (Shannon)."""
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values())


def _is_sequential(text: bytes) -> bool:
    """Tell whether much of a text counts up or down, or repeats the same byte: 12345, fedcba, xxxx."""
    steps = [abs(after - before) for before, after in pairwise(text)]
    return sum(step <= 1 for step in steps) > MAX_SEQUENTIAL * len(steps)


def _is_repetition(text: bytes) -> bool:
    """Tell whether a text is a shorter one again and again."""
    return any(
        text == (text[:period] * (len(text) // period + 1))[: len(text)]
        for period in range(1, len(text) // MIN_PERIODS + 1)
    )
