"""Bytes to text: encodings, line ends, and what is no text."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.files.decode import Decoded, decode, read_file
from coderag.files.walk import MAX_BYTES, Skipped, SkipReason, SourceFile, walk


def text_of(raw: bytes, language: str = "python") -> Decoded:
    found = decode(raw, language=language)
    assert isinstance(found, Decoded), found
    return found


def named(path: str, language: str = "python") -> SourceFile:
    return SourceFile(path, 0, 0, 0, language, frozenset())


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a\nb\n", b"a\nb\n"),
        (b"a\r\nb\rc\n\rd", b"a\nb\nc\n\nd"),
        (b"a\x0bb\x0cc\x1cd\n", b"a\x0bb\x0cc\x1cd\n"),
        ("a\x85b\u2028c\u2029d\n".encode(), "a\x85b\u2028c\u2029d\n".encode()),
        (codecs.BOM_UTF8 + b"a\r\n", b"a\n"),
        (codecs.BOM_UTF16_LE + "é\r\n".encode("utf-16-le"), "é\n".encode()),
        (codecs.BOM_UTF16_BE + "é\r".encode("utf-16-be"), "é\n".encode()),
        (codecs.BOM_UTF32_LE + "é😀".encode("utf-32-le"), "é😀".encode()),
        ("def f():\r\n    pass\r\n".encode("utf-16-le"), b"def f():\n    pass\n"),
        ("def f():\n    pass\n".encode("utf-16-be"), b"def f():\n    pass\n"),
    ],
)
def test_text_becomes_utf8_with_newlines(raw: bytes, expected: bytes) -> None:
    assert text_of(raw).data == expected


@given(st.text(alphabet=st.sampled_from("ab\r\n\x0b\x0c\x85\u2028é"), max_size=40))
def test_lines_are_those_of_an_editor(text: str) -> None:
    found = decode(text.encode())
    if isinstance(found, Decoded):
        assert found.text.split("\n") == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    else:
        assert not text.encode().strip()


@given(st.binary(max_size=300))
def test_any_bytes_become_text_or_a_reason(raw: bytes) -> None:
    found = decode(raw)
    if isinstance(found, Decoded):
        assert b"\r" not in found.data
        assert found.text.encode() == found.data


RUSSIAN = "# Привет, это комментарий про повторные попытки\nx = 1\n"
POLISH = "# Zażółć gęślą jaźń, żeby sprawdzić kodowanie znaków\n"
FRENCH = "# Où sont gérés les réessais à la fin de l'été, déjà vu\n"
JAPANESE = "# これは日本語のコメントです。再試行を処理する関数\n"


@pytest.mark.parametrize(
    ("text", "encoding", "found_as"),
    [
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8_r"),
        (POLISH, "cp1250", "cp1250"),
        (POLISH, "iso8859-2", "iso8859_2"),
        (FRENCH, "latin-1", "cp1252"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc-jp", "euc_jp"),
        ("# café\n", "latin-1", "cp1252"),
    ],
)
def test_an_encoding_is_guessed_from_its_letters(text: str, encoding: str, found_as: str) -> None:
    found = text_of(text.encode(encoding) + b"y = 2\n" * 50)
    assert (found.text.startswith(text), found.encoding, found.guessed) == (True, found_as, True)


@pytest.mark.parametrize(
    ("line", "encoding"),
    [
        ("# -*- coding: koi8-r -*-", "koi8-r"),
        ("# -*- coding: latin-1-unix -*-", "latin-1"),
        ("# vim: set fileencoding=cp1251 :", "cp1251"),
        ("/* vim: fenc=cp1251 */", "cp1251"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "iso-8859-1"),
        ('<meta charset="windows-1251">', "windows-1251"),
        ('@charset "windows-1251";', "windows-1251"),
    ],
)
def test_a_cookie_tells_the_encoding(line: str, encoding: str) -> None:
    text = f"{line}\n\xe9" if "1" in encoding and "125" not in encoding else f"{line}\nж"
    found = text_of(text.encode(encoding))
    assert (found.text, found.encoding, found.guessed) == (text, encoding, False)
    last = f"ж\n{line}\n".encode("cp1251")
    assert text_of(last).encoding == encoding


@pytest.mark.parametrize("name", ["no-such-codec", "zip", "rot13", "punycode", "utf-8", "undefined", "unicode_escape"])
def test_a_cookie_that_is_no_help_is_passed_over(name: str) -> None:
    assert text_of(f"# coding: {name}\n".encode() + b"caf\xe9\n").text.endswith("café\n")


def test_a_wrong_byte_in_utf8_costs_only_itself() -> None:
    found = text_of("# Größe, Füße, Übermut, schön, öfter\n".encode() + b"caf\xff\n")
    assert found.text == "# Größe, Füße, Übermut, schön, öfter\ncaf\ufffd\n"
    assert (found.encoding, found.guessed) == ("utf-8", True)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", SkipReason.EMPTY),
        (b" \n\t\r\n", SkipReason.EMPTY),
        (b"\x7fELF\x02\x01\0\0\0", SkipReason.BINARY),
        (b"text with one\0NUL", SkipReason.BINARY),
        (bytes(range(1, 256)) * 20, SkipReason.BINARY),
        (os.urandom(4096) + b"\0", SkipReason.BINARY),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\x00\xd8", SkipReason.UNDECODABLE),
        (codecs.BOM_UTF16_LE + b"a\0b", SkipReason.UNDECODABLE),
        (b"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", SkipReason.SECRET),
        (b"x=1;" * 1_250_000, SkipReason.MINIFIED),
        (b"/* licence */\n" * 9 + b"a(b);" * 5000 + b"\n//# sourceMappingURL=x\n", SkipReason.MINIFIED),
        ((b"f(1);" * 100 + b"\n") * 60, SkipReason.MINIFIED),
    ],
)
def test_what_is_no_text_has_a_reason(raw: bytes, reason: SkipReason) -> None:
    assert decode(raw, language="javascript") is reason


@pytest.mark.parametrize(
    ("raw", "language"),
    [
        (b"def f():\n    return 1\n" * 60 + b"DATA = '" + b"A" * 300_000 + b"'\n", "python"),
        (b"INSERT INTO t VALUES " + b"(1, 2), " * 5000 + b";\n", "sql"),
        (b'{"cells": ["' + b"A" * 50_000 + b'"]}', "notebook"),
        ((b"A paragraph on one line. " * 80 + b"\n\n") * 20, "markdown"),
        (b"short = '" + b"A" * 2000 + b"'\n", "python"),
    ],
)
def test_long_lines_alone_do_not_make_a_file_minified(raw: bytes, language: str) -> None:
    assert isinstance(decode(raw, language=language), Decoded)


@pytest.mark.parametrize(
    "header",
    [
        "// Code generated by protoc-gen-go. DO NOT EDIT.\n",
        "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n",
        "/**\n * @generated SignedSource<<abc>>\n */\n",
        "// <auto-generated>\n",
        "# This file was automatically generated by SWIG\n",
        "/* Licence\n */\n// This file is auto-generated. Do not edit.\n",
        "; DO NOT EDIT: this file is generated\n",
    ],
)
def test_a_header_marks_generated_files(header: str) -> None:
    assert text_of(header.encode() + b"x = 1\n").labels == {"generated"}


@pytest.mark.parametrize(
    "text",
    [
        "def write():\n    out('user@generated.example')\n",
        "# The reports are generated on demand.\n",
        "# How generated keys are handled\n",
        "x = 1\n" * 1000 + "# Code generated by me. DO NOT EDIT.\n",
    ],
)
def test_other_mentions_do_not(text: str) -> None:
    assert text_of(text.encode()).labels == frozenset()


def test_files_are_read_from_disk(tmp_path: Path) -> None:
    (tmp_path / "caf\udce9.py").write_bytes(b"x = 1\r\n")
    (file,) = walk(tmp_path).files
    found = read_file(tmp_path, file)
    assert isinstance(found, Decoded)
    assert found.data == b"x = 1\n"


def test_what_changed_since_the_listing_has_a_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.py")
    (tmp_path / "target.py").write_text("x = 1\n")
    (tmp_path / "link.py").symlink_to("target.py")
    (tmp_path / "folder.py").mkdir()
    with (tmp_path / "sparse.py").open("wb") as file:
        file.truncate(200_000_000)
    reasons = {
        "gone.py": SkipReason.VANISHED,
        "target.py/x.py": SkipReason.VANISHED,
        "fifo.py": SkipReason.NOT_REGULAR,
        "link.py": SkipReason.NOT_REGULAR,
        "folder.py": SkipReason.NOT_REGULAR,
        "sparse.py": SkipReason.TOO_LARGE,
    }
    for path, reason in reasons.items():
        found = read_file(tmp_path, named(path))
        assert isinstance(found, Skipped)
        assert (found.path, found.reason) == (path, reason)
    assert "sparse.py" not in [file.path for file in walk(tmp_path).files]


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1234\n" * (MAX_BYTES // 9) + b"\n" * (MAX_BYTES % 9))
    assert isinstance(read_file(tmp_path, named("a.py")), Decoded)
    with (tmp_path / "a.py").open("ab") as file:
        file.write(b"\n")
    assert isinstance(read_file(tmp_path, named("a.py")), Skipped)
