"""``evidence --jsonl`` and ``references --jsonl``: filters that ``main`` starts without the commands."""

import gc
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from medreview.references.jsonl_filter import Check
    from medreview.references.library import LibraryOfFiles
    from medreview.references.model import Reference, ReferenceCheck
    from medreview.semantic.similarity import Entailment, Similarity


READ_AT_ONCE: Final = 1_000_000
"""Bytes, at most; of a pipe what is in it."""
LINES_AT_ONCE: Final = 64


def answer_lines(semantic: bool = False) -> None:
    """Answer each line of standard input on standard output, as it comes; ``semantic``: scored with a model of meaning.

    Raises :class:`UserError` when that model is not there.
    """
    from medreview.config import load_config
    from medreview.evidence.jsonl_filter import serve, serve_together
    from medreview.evidence.terms import vocabulary

    words = vocabulary(load_config().synonyms_file)
    if semantic:
        from medreview.semantic.similarity import rescore

        lines = _batches(cast(BufferedIOBase, sys.stdin.buffer))
        similarity, entailment = _models()
        answers = serve_together(lines, words, partial(rescore, similarity=similarity, entailment=entailment))
    else:
        answers = serve((_text(number, line) for number, line in enumerate(sys.stdin.buffer)), words)
    print_each(answers)


def print_each(answers: Iterable[str]) -> None:
    """Print answers, which are JSON objects, as they come; exit code 1 where every one of them is an error."""
    answered = failed = 0
    for answer in answers:
        print(answer, flush=True)
        answered += 1
        failed += '"error"' in answer and "error" in json.loads(answer)
    if answered and answered == failed:
        print(f"medreview: no line could be used; all {answered:,} were answered by an error.", file=sys.stderr)
        sys.exit(1)


def _models() -> "tuple[Similarity | None, Entailment | None]":
    """Those of the settings, or the packaged encoder; of endpoints it is said where texts go."""
    from secrets import token_hex

    from medreview.cli.ask_models import meaning_from_config
    from medreview.cli.output import say
    from medreview.judges.entailment import configured_entailment
    from medreview.llm.settings import where_texts_go
    from medreview.semantic.configured import configured_encoder
    from medreview.semantic.similarity import Similarity

    meaning = meaning_from_config(True)
    assert meaning is not None
    settings, entailment = meaning.settings, meaning.entailment
    if meaning.endpoints:
        say(*where_texts_go(meaning.endpoints, "Statements and passages of sources go"))
    named = {meaning.endpoint.name: meaning.endpoint} if meaning.endpoint else {}
    near = Similarity(configured_encoder(settings, named)) if settings.encoder else None
    orders = entailment if settings.entailment_orders else None
    return near, configured_entailment(settings, orders, key=token_hex(16)) if orders else None


def _text(number: int, line: bytes) -> str:
    """An invalid UTF-8 byte must not end a long run: its line is answered, marked by a lone surrogate."""
    return line.decode("utf-8-sig" if number == 0 else "utf-8", "surrogateescape")


def _batches(stream: BufferedIOBase) -> Iterator[list[str]]:
    """The lines that are there without waiting, at most ``LINES_AT_ONCE``: who waits for one answer gets it."""
    begun: list[bytes] = []
    number = 0
    while chunk := stream.read1(READ_AT_ONCE):
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join([*begun, lines[0]])
            begun = []
        begun.append(rest)
        for at in range(0, len(lines), LINES_AT_ONCE):
            batch = lines[at : at + LINES_AT_ONCE]
            yield [_text(number + place, line + b"\n") for place, line in enumerate(batch)]
            number += len(batch)
    yield [_text(number, b"".join(begun))]


def only_libraries(words: Sequence[str]) -> list[Path]:
    """The libraries of ``--jsonl --library FILE ...``; none of other words, which are the command's to read."""
    found: list[Path] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--library" and (value or not equals):
            found.append(Path(value or next(rest, "")))
        elif word != "--jsonl":
            return []
    return found if "--jsonl" in words else []


def library_of_files(paths: Sequence[Path]) -> "LibraryOfFiles":
    """Files as one library; unusable records are reported. Raises :class:`UserError`."""
    from medreview.references.library import library_of

    found = library_of(paths)
    for path, bad in found.bad:
        from medreview.cli.output import bad_records

        bad_records(bad, path)
    return found


def answer_by_libraries(paths: Sequence[Path]) -> None:
    """Answer each line of standard input on standard output, as it comes, by libraries alone."""
    gc.disable()  # a sixth of the time would go into looking for garbage in a library that stays
    library = library_of_files(paths).library
    gc.freeze()
    gc.enable()

    def check(references: "Sequence[Reference]") -> "Iterable[ReferenceCheck]":
        return map(library.check, references)

    answer_references(check)


def answer_references(check: "Check", together: int = 1) -> None:
    """Answer each line of standard input; an invalid UTF-8 byte spoils only its own line."""
    from medreview.references.jsonl_filter import serve

    print_each(serve((_text(number, line) for number, line in enumerate(sys.stdin.buffer)), check, together))
