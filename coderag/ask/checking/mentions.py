"""A sentence to what it mentions that a source can confirm: names of code, quotes, numbers, literals, words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

from coderag.ask.checking.vocabulary import BRANDS, EVERYWHERE, NUMBER_WORDS, STOP_WORDS, UNITS
from coderag.record import record
from coderag.text.tokens import split_identifier, stem

__all__ = ["SEPARATOR", "Mention", "MentionKind", "content_stems", "find_mentions", "last_part", "names_in"]

MAX_MENTIONS = 200  # of one sentence
CODE = re.compile(r"(`{1,3})(?!`)([^`\n]{1,2000}|[^`]{1,2000})(?<!`)\1(?!`)")
NAME = re.compile(r"[^\W\d][\w$]*+(?:(?:\.|::|->|#)[^\W\d][\w$]*+)*+")
SEPARATOR = re.compile(r"\.|::|->|#")  # between the parts of a name
# Names of code in prose: snake, camel, dotted, calls, flags, paths.
CODE_NAME = re.compile(
    r"(?<![\w/@#.-])(?:"
    r"(?P<flag>--[a-z][a-z0-9-]{1,40}+)"
    r"|(?P<path>(?:[\w.@-]{1,80}/){1,12}[\w@-]{1,80}(?:\.[A-Za-z]\w{0,7})?+/?)"
    r"|(?P<name>[^\W\d]\w{0,100}+(?:(?:\.|::|->)[^\W\d]\w{0,100}+){0,8}+)(?P<call>\(\))?+"
    r")"
)
FILE_NAME = re.compile(
    r"[\w.-]{1,80}\.(?:py|ts|tsx|js|jsx|go|rs|rb|php|java|kt|cs|c|h|cc|cpp|hpp|sql|sh|md|toml|ya?ml|json|html|css|vue|scss|ipynb|txt|xml|ini|cfg|lua|swift)$"
)
CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
STRING = re.compile(r"(?<![\w])[\"“]([^\"“”\n]{1,300})[\"”](?!\w)")
NUMBER = re.compile(r"(?<![\w.#-])[-+]?(\d[\d_,]*+(?:\.\d++)?)(?!\w{0,80}\()(\s?%|\s?[A-Za-z]{1,12}+)?")
COUNTED = re.compile(r"\b(" + "|".join(NUMBER_WORDS) + r")[\s-]+(?:[a-z]+[\s-]+)?([a-z]+)\b", re.I)
ARGUMENTS = re.compile(r"^(?P<head>[\w.:$>-]+)\((?P<inside>[^()]{0,300})\)$")
PLURAL_OF_NAME = re.compile(r"(?:'s|s')$")
OPERATOR = re.compile(r"[=<>+*/%!?&|;{}\[\]]|\s")
HOSTS = frozenset({"com", "org", "io", "net", "js", "dev"})
ROUTE = re.compile(r"(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s)?/[\w{}<>:/.*-]*$")


class MentionKind(StrEnum):
    """What a sentence mentions."""

    NAME = "name"  # of a definition, table, column, variable
    PATH = "path"
    FLAG = "flag"
    QUOTE = "quote"
    NUMBER = "number"
    LITERAL = "literal"


@record
class Mention:
    """Something that a source can confirm, with its place in the sentence."""

    kind: MentionKind
    text: str
    start: int
    end: int
    unit: str = ""  # of a number
    marked: bool = False  # whether it is written as code
    loose: bool = False  # a number in words, or one that counts things: it need not be written in a source


def find_mentions(text: str) -> list[Mention]:
    """Return what a sentence mentions, in order; what is inside a quote is not mentioned again."""
    mentions: list[Mention] = []
    covered = list(text)
    for match in islice(CODE.finditer(text), MAX_MENTIONS):
        mentions += _of_code(match[2], match.start(), match.end())
        covered[match.start() : match.end()] = " " * (match.end() - match.start())
    prose = "".join(covered)
    for match in islice(STRING.finditer(prose), MAX_MENTIONS):
        if mention := _of_string(match):
            mentions.append(mention)
        covered[match.start() : match.end()] = " " * (match.end() - match.start())
    prose = "".join(covered)
    for match in islice(CODE_NAME.finditer(prose), 4 * MAX_MENTIONS):
        if mention := _of_prose(match):
            mentions.append(mention)
            covered[match.start() : match.end()] = " " * (match.end() - match.start())
    prose = "".join(covered)
    mentions += islice(_numbers(prose), MAX_MENTIONS)
    return sorted(mentions, key=lambda mention: (mention.start, mention.end))[:MAX_MENTIONS]


def _of_code(code: str, start: int, end: int) -> Iterator[Mention]:
    """Yield what a code span mentions: one name, a path, a literal; anything longer is a quote."""
    bare = code.strip()
    plain = bare.rstrip(":,;")
    if not plain:
        return
    if plain.startswith("--") or re.fullmatch(r"-[A-Za-z]", plain):
        yield Mention(MentionKind.FLAG, plain, start, end, marked=True)
    elif ROUTE.match(plain) or ("/" in plain and not OPERATOR.search(plain.replace("/", ""))) or FILE_NAME.match(plain):
        yield Mention(MentionKind.PATH, plain, start, end, marked=True)
    elif NAME.fullmatch(name := plain.removesuffix("()").lstrip("@$&*.#:").rstrip("?!")):
        yield Mention(MentionKind.NAME, name, start, end, marked=True)
    elif re.fullmatch(r"[-+]?\d[\d_,.]*", plain):
        yield Mention(MentionKind.NUMBER, plain.lstrip("-+"), start, end, marked=True)
    elif len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'" and plain[0] not in plain[1:-1]:
        yield Mention(MentionKind.LITERAL, plain[1:-1], start, end, marked=True)
    elif (call := ARGUMENTS.match(plain)) and NAME.fullmatch(call["head"]) and "=" not in call["inside"]:
        yield Mention(MentionKind.QUOTE, plain, start, end, marked=True, loose=True)
    else:
        yield Mention(MentionKind.QUOTE, bare, start, end, marked=True)


def _of_string(match: re.Match[str]) -> Mention | None:
    """Return what a text in quotation marks is: a literal, or words of a source."""
    inside = match[1].strip().rstrip(".,;:!?") if match[1].strip() not in ("...", ".") else ""
    if not inside:
        return None
    return Mention(MentionKind.LITERAL, inside, match.start(), match.end())


def _of_prose(match: re.Match[str]) -> Mention | None:
    """Return the name, path or flag that a word of prose is, None for a plain word."""
    word = PLURAL_OF_NAME.sub("", match[0]).rstrip(".,;:")
    end = match.start() + len(word)
    if match["flag"]:
        return Mention(MentionKind.FLAG, word, match.start(), end)
    if match["path"]:
        looks = FILE_NAME.match(word.rpartition("/")[2]) or word.count("/") > 1 or "_" in word
        return Mention(MentionKind.PATH, word, match.start(), end) if looks else None
    name = word.removesuffix("()")
    if name.lower() in BRANDS or (name.lower() in EVERYWHERE and not match["call"]):
        return None
    if FILE_NAME.match(name):
        return Mention(MentionKind.PATH, name, match.start(), end)
    pieces = re.split(r"\.|::|->", name)
    if len(pieces) > 1 and not match["call"] and _is_no_code(pieces):
        return None
    is_code = bool(match["call"]) or "_" in name.strip("_") or len(pieces) > 1 or bool(CAMEL.search(name))
    return Mention(MentionKind.NAME, name, match.start(), end) if is_code else None


def _is_no_code(pieces: list[str]) -> bool:
    """Tell whether words between dots are an abbreviation or the name of a host."""
    return any(len(piece) < 2 for piece in pieces[:-1]) or pieces[-1].lower() in HOSTS


def _numbers(prose: str) -> Iterator[Mention]:
    for match in NUMBER.finditer(prose):
        unit = (match[2] or "").strip().lower()
        start, end = match.start(1), match.end(1)
        number = match[1].rstrip(",_.").replace("_", "").replace(",", "")
        if "," in match[1] and not re.fullmatch(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?", match[1].rstrip(",")):
            number = match[1].split(",")[0]
        if prose[end : end + 1] == "." and prose[end + 1 : end + 2].isdigit():
            continue  # a version
        is_unit = unit in UNITS or unit == "%"
        loose = len(number) == 1 and not is_unit and bool(unit)
        yield Mention(MentionKind.NUMBER, number, start, end, unit=unit if is_unit else "", loose=loose)
    for match in COUNTED.finditer(prose):
        unit = match[2].lower()
        between = match[0].lower().split()
        unit = unit if unit in UNITS else next((word for word in between[1:] if word in UNITS), "")
        if unit:
            number = NUMBER_WORDS[match[1].lower()]
            yield Mention(MentionKind.NUMBER, str(number), match.start(1), match.end(1), unit=unit, loose=True)


def last_part(name: str) -> str:
    """Return what a name ends with: `total` of `Cart.total`."""
    return SEPARATOR.split(name)[-1]


def names_in(code: str) -> list[str]:
    """Return the names in a piece of code, each once."""
    return list(dict.fromkeys(NAME.findall(code)))


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something; identifiers count by their parts."""
    stems = set()
    for word in re.findall(r"\w{2,80}", text[:400_000]):
        pieces = split_identifier(word)
        for piece in dict.fromkeys([*pieces, word.lower() if len(pieces) > 1 else ""]):
            if len(piece) > 2 and piece not in STOP_WORDS and not piece.isdigit():
                stems.add(stem(piece))
    return frozenset(stems)
