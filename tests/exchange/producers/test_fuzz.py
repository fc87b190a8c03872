"""Files of producers, broken in a thousand ways: each is read, refused or partly read, and nothing else is an answer.

``python -m tests.exchange.producers.test_fuzz 1000 [name]`` breaks the sample of each producer so many times, or of
one; the tests sixty times.
"""

import json
import random
import re
import sys
import tempfile
import traceback
from collections import Counter
from copy import deepcopy
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.producers import producers
from medreview.study import Study
from tests.exchange.producers.conftest import Bring
from tests.exchange.producers.samples import SAMPLES

_ODD: Final = (
    None, True, False, 0, -1, 7, 10**30, 1.5, 1e308, "", " ", "x", "\0", "\ud800", "💊", "https://", "document:", "[1]",
    "0", "2026-13-45", [], {}, [[]], [None], [{}], {"": None}, {"type": "text"}, {"text": ["x"]}, ["x", 1, None],
)  # fmt: skip
"""What no field expects."""
_TEXTS: Final = {str(one).strip() for one in _ODD} | {"Hm."}
"""What may be an answer besides: what a fault put there, and the reasoning, which a fault can make one."""
_DEEP: Final = 90
_WORDS: Final = re.compile(r'(?:\w+ ){3}|"text"|\["')
"""A sentence, a part of one or a list of texts: what is put in the place of the answer would be the answer."""


def broken(sample: str, chance: random.Random) -> bytes:
    """A sample with one to three faults, in its values or in its letters."""
    lines = sample.split("\n")
    places = [number for number, line in enumerate(lines) if "{" in line]
    at = chance.choice(places or [0])
    before, _, _ = lines[at].partition("{" if not lines[at].startswith("[") else "[")
    if places and chance.random() < 0.8:
        value = json.loads(lines[at][len(before) :])
        for _ in range(chance.randint(1, 3)):
            value = _changed(value, chance)
        lines[at] = before + json.dumps(value)
        if chance.random() < 0.1:
            del lines[at]
    data = "\n".join(lines).encode()
    if sample.startswith("<") or chance.random() < 0.3:
        place = chance.choice([at for at, sign in enumerate(data) if sign not in b"<>"] or [0])
        data = chance.choice(
            (data[:place], data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :], data[place:], data + data)
        )
    return data or b"{}"


def _changed(value: Any, chance: random.Random) -> Any:
    places = _places(value)
    path = chance.choice(places)
    if not path:
        return chance.choice((value, [value], {"response": value}, deepcopy(chance.choice(_ODD))))
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    last, kind = path[-1], chance.random()
    if kind < 0.5:
        holder[last] = deepcopy(chance.choice(_ODD))
    elif kind < 0.6:
        del holder[last]
    elif kind < 0.7:
        other = value
        for step in chance.choice(places):
            other = other[step] if isinstance(other, dict | list) else other
        written = json.dumps(other)
        holder[last] = json.loads(written) if written[:1] in "[{" and _WORDS.search(written) is None else None
    elif kind < 0.8 and isinstance(holder, dict):
        holder[f"{last}_x"] = holder.pop(last)
    elif kind < 0.9 and isinstance(holder, list):
        holder.insert(0, holder[last])
    else:
        for _ in range(_DEEP):
            holder[last] = [holder[last]]
    return value


def _places(value: Any) -> list[tuple[Any, ...]]:
    """The paths to all values in a value, its own first."""
    found: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    for path, one in found:
        inner = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        found += [((*path, step), it) for step, it in inner]
    return [path for path, _ in found]


def faults(name: str, times: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """What became of so many broken files of a producer, and what was wrong with it: a crash, or junk as an answer."""
    sample, answers = SAMPLES[name]
    chance = random.Random(f"{name} 1")
    ends: Counter[str] = Counter()
    wrong: list[str] = []
    with Study.create(folder / "fuzz.medreview") as study:
        for number in range(times):
            path = folder / f"{number}.json"
            path.write_bytes(broken(sample, chance))
            before = study.reader.execute("SELECT coalesce(max(ordinal), 0) FROM response").fetchone()[0]
            try:
                told = pipeline.bring_in(study, path, {})
                ends["partly read" if told.bad else "read"] += 1
            except UserError:
                ends["refused"] += 1
            except Exception:  # what the test is about
                wrong.append(f"{name} {number}: {traceback.format_exc()}")
            for row in study.reader.execute("SELECT text FROM response WHERE ordinal > ?", (before,)).fetchall():
                if not _is_answer(row["text"], answers):
                    wrong.append(f"{name} {number}: junk as an answer: {row['text'][:200]!r}")
            path.unlink() if not wrong or not wrong[-1].startswith(f"{name} {number}:") else None
        try:
            pipeline.parse(study)
        except Exception:
            wrong.append(f"{name} parse: {traceback.format_exc()}")
    return ends, wrong


def _is_answer(text: str, answers: tuple[str, ...]) -> bool:
    """Whether a text is one of the answers, a piece of one, or what was put in the place of one."""
    text = rest = text.strip()
    for odd in sorted(_TEXTS, key=len, reverse=True):
        rest = rest.replace(odd, " ") if odd else rest
    if not rest.strip() or text[:1] in "[{" or any(text in answer for answer in answers):
        return True
    return any(2 * _shared(text, answer) >= min(len(text), len(answer)) for answer in answers)


def _shared(text: str, answer: str) -> int:
    """How many signs two texts have in common, in stretches of eight and more."""
    blocks = SequenceMatcher(None, text, answer, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= 8)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_broken_file_is_read_or_refused_and_nothing_but_its_answers_comes_in(name: str, tmp_path: Path) -> None:
    ends, wrong = faults(name, 60, tmp_path)
    assert wrong == []
    assert sum(ends.values()) == 60


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_itself_is_read_by_its_producer(name: str, bring: Bring) -> None:
    text, answers = SAMPLES[name]
    brought = bring(text, "sample.txt")
    assert {answer.text for answer in brought.answers} <= set(answers)
    assert {answer.producer for answer in brought.answers} == {name.partition(",")[0]}


def test_every_producer_has_a_sample_to_break() -> None:
    assert {one.name for one in producers()} == {name.partition(",")[0] for name in SAMPLES}


def main() -> int:
    """Break the samples; 1 where something was wrong."""
    times, wanted = int(sys.argv[1]), sys.argv[2:]
    found = 0
    for name in SAMPLES:
        if not wanted or any(word in name for word in wanted):
            folder = Path(tempfile.mkdtemp(prefix="fuzz_"))
            ends, wrong = faults(name, times, folder)
            print(f"{name}: {dict(ends)}, {len(wrong)} wrong; {folder}", flush=True)
            print("\n".join(wrong[:3]))
            found += len(wrong)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
