"""Bytes of a terminal, in whatever pieces they come."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, Paste
from textual.message import Message

from medreview.review.text_entry import MOST
from medreview.screens.terminal_driver import InputReader, NotRead, not_read_words

PASTE, END = b"\x1b[200~", b"\x1b[201~"
SEQUENCES = (PASTE, END, b"\x1b", b"\x1b[", b"\x1b[<64;1;1M", b"\x1b[<0;99999999999;9M", b"\x1b[48;0;0;0;0t", b"\x9b",
             b"\x1b[<0;5;5M", b"\x1b[1114112;1u", b"\x1b[0;;55296u", b"\x1b[M\xff\xff\xff", b"\x1b[9999999999R", b"\0",
             b"\x1b[?2048;1$y", b"\x1b]52;c;", b"\xe9", b"\xed\xa0\x80", b"\xf0\x9f\x98",
             "é\u202e".encode())  # fmt: skip


def read(pieces: Iterable[bytes], reader: InputReader | None = None) -> list[Message]:
    reader = reader or InputReader()
    return [message for piece in pieces for message in reader.feed(piece)]


def typed(messages: Iterable[Message]) -> str:
    return "".join(message.character or "" for message in messages if isinstance(message, Key))


def pasted(messages: Iterable[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, Paste)]


def lost(messages: Iterable[Message]) -> int:
    return sum(message.undecodable for message in messages if isinstance(message, NotRead))


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])), st.lists(st.integers(0, 10_000), max_size=8))
def test_a_character_that_comes_in_two_reads_is_one(text: str, places: list[int]) -> None:
    messages = read(cut(text.encode(), places))
    assert typed(messages) == text
    assert lost(messages) == 0


@given(
    st.lists(st.one_of(st.sampled_from(SEQUENCES), st.binary(max_size=6)), max_size=20),
    st.lists(st.integers(0, 10_000), max_size=8),
)
def test_whatever_has_come_the_next_key_is_read(pieces: list[bytes], places: list[int]) -> None:
    reader = InputReader()
    read(cut(b"".join(pieces), places), reader)
    assert typed(read([END, b"q" * 40], reader)).endswith("q")


@pytest.mark.parametrize(
    ("data", "text", "count"),
    [
        (b"caf\xe9 x", "caf x", 1),
        (b"\xff", "", 1),
        (b"\x9b1", "1", 1),
        (b"\xed\xa0\x80", "", 3),
        (b"\xe9\xe8z", "z", 2),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_bytes_that_are_not_utf_8_are_counted_and_left_out(data: bytes, text: str, count: int, size: int) -> None:
    messages = read(data[at : at + size] for at in range(0, len(data), size))
    assert typed(messages) == text
    assert lost(messages) == count


@pytest.mark.parametrize("size", [1, 3, 4096])
def test_a_paste_is_text_and_never_keys(size: int) -> None:
    words = "one\x1b[201 two\x1b]0;title\x07 three\x1b1" + "2" * 40 + "\0 é\ud800".encode(errors="ignore").decode()
    data = b"k" + PASTE + words.encode() + b"\xff" + END + b"j"
    messages = read(data[at : at + size] for at in range(0, len(data), size))
    assert typed(messages) == "kj"
    assert pasted(messages) == [words.replace("\x1b", "␛").replace("\0", "")]
    assert lost(messages) == 1


def test_of_a_paste_of_megabytes_no_more_is_kept_than_a_line_takes() -> None:
    (text,) = pasted(read([PASTE, *([b"word " * 800] * 500), END]))
    assert len(text) == MOST + 1


def test_a_paste_that_never_ends_is_said_and_ends_with_ctrl_c() -> None:
    reader = InputReader()
    read([PASTE + b"12345"], reader)
    said = [message for _ in range(30) for message in reader.tick() if isinstance(message, NotRead)]
    assert [message.words for message in said] == ["A paste has begun and not ended; Ctrl+C ends it."]
    assert pasted(read([b"\x03"], reader)) == ["12345"]
    assert typed(read([b"q"], reader)) == "q"


def test_a_sequence_that_ends_the_parser_costs_that_sequence() -> None:
    messages = read([b"a\x1b[48;0;0;0;0t\x1b[<0;5;5Mb\x1b[1114112;1uc"])
    assert typed(messages) == "abc"
    assert sum(message.broken for message in messages if isinstance(message, NotRead)) == 2


def test_what_is_said_counts() -> None:
    assert not_read_words(1, 0) == "1 byte that is not UTF-8 was ignored: set the terminal to UTF-8"
    assert not_read_words(2, 1).endswith("; 1 key sequence that cannot be read was ignored")
    assert not_read_words(0, 0) == ""


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    "answer",
    [b"\x1b]11;rgb:2121/2121/2121\x07", b"\x1b]11;rgb:21/21/21\x1b\\", b"\x1b[?62;22c", b"\x1b[>1;95;0c",
     b"\x1bP1$r0m\x1b\\", b"\x1bP>|tmux 3.3a\x1b\\", b"\x1b[?1u", b"\x1b[?1@", b"\x1b]11;" + b"1" * 3000 + b"\x07"],
)  # fmt: skip
def test_what_a_terminal_answers_to_another_program_is_no_key(answer: bytes, size: int) -> None:
    data = b"a" + answer + b"b"
    messages = read(data[at : at + size] for at in range(0, len(data), size))
    assert [message.character for message in messages if isinstance(message, Key)] == ["a", "b"]


def test_an_answer_that_never_ends_takes_no_key_with_it() -> None:
    reader = InputReader()
    assert typed(read([b"\x1b]11;rgb:21"], reader)) == ""
    for _ in range(12):
        list(reader.tick())
    assert typed(read([b"4"], reader)) == "4"
    keys = [message.key for message in read([b"\x1b]12\x1b[Aj\x1b]12\rk"]) if isinstance(message, Key)]
    assert keys == ["up", "j", "enter", "k"]
