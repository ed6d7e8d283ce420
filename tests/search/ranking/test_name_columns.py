"""Names as columns of numbers: each is taken apart once, whoever asks."""

from __future__ import annotations

from threading import Thread

import numpy as np

from coderag.search.ranking.name_columns import NameTable
from coderag.search.ranking.numbered import Grown, Numbering, Ragged


def words_of(table: NameTable, number: int) -> list[str]:
    runs = table.name_words.of(np.array([number]))
    return [table.words.texts[one] for one in runs.numbers.tolist()]


def test_equal_names_have_one_number() -> None:
    table = NameTable()
    first, other, again = table.names([("parse_url", "Client"), ("close", ""), ("parse_url", "Client")])
    assert (first, other, again) == (0, 1, 0)
    assert table.names([("close", "")]) == [1]
    assert words_of(table, first) == ["parse", "url"]


def test_every_word_has_its_stem_and_its_beginning() -> None:
    table = NameTable()
    table.names([("parsed_arguments", "")])
    stems = [table.terms.texts[one] for one in table.word_stem.values.tolist()]
    beginnings = [table.terms.texts[one] for one in table.word_beginning.values.tolist()]
    assert (stems, beginnings) == (["pars", "argument"], ["par", "arg"])


def test_many_threads_take_the_same_names_apart() -> None:
    table = NameTable()
    names = [(f"read_{number}", f"Scope{number % 7}") for number in range(500)]
    found: list[list[int]] = []
    threads = [Thread(target=lambda: found.append(table.names(names))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [list(range(500))] * 4
    assert words_of(table, 499) == ["read", "499"]


def test_rows_of_any_length_are_found_again() -> None:
    rows = Ragged()
    rows.append([1, 2, 3], [2, 0, 1])
    rows.append([4, 5, 6], [3])
    runs = rows.of(np.array([3, 1, 0]))
    assert runs.numbers.tolist() == [4, 5, 6, 1, 2]
    assert runs.row.tolist() == [0, 0, 0, 2, 2]
    marked = np.array([False, True, False, True, True, False, True])
    assert runs.marked(marked).tolist() == [2, 0, 1]
    assert runs.share(marked).tolist() == [np.float32(2 / 3), 0.0, 0.5]


def test_what_was_read_stays_when_more_is_added() -> None:
    grown = Grown(np.int32)
    grown.extend([7])
    read = grown.values
    grown.extend(list(range(5_000)))
    assert read.tolist() == [7]
    assert len(grown.values) == 5_001


def test_only_strings_that_are_known_are_marked() -> None:
    numbering = Numbering()
    assert numbering.numbers(["get", "set", "get"]) == [0, 1, 0]
    assert numbering.marked(["set", "unknown"]).tolist() == [False, True]
    assert numbering.valued({"get": 0.5, "unknown": 2.0}).tolist() == [0.5, 0.0]
