"""Count in how many pieces of medical texts each term stands: ``medreview/evidence/background.toml``.

    python -m tests.tools.background_counts CASES.jsonl.gz ...

CASES are files of cases, one JSON object a line; each ``source_text`` is counted once. The package's file is made of
abstracts and trial reports of Check-COVID, Evidence Inference and PubMedQA: only texts whose licence permits it may be
among them, and the head must name it. A text is cut into pieces of about an abstract's length, at ends of sentences.
Kept are the counts of terms (stems, synonyms as one), rounded to two digits, of those that stand in at least
:data:`LEAST` pieces: no text can be read from them.
"""

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from medreview.evidence import background
from medreview.evidence.terms import vocabulary

PIECE: Final = 1500
"""Characters of a piece: an abstract's."""
LEAST: Final = 5
"""Pieces in which a term stands that is kept."""
_END: Final = re.compile(r"(?<=[.!?])\s+|\n+")
HEAD: Final = """\
# In how many pieces of medical texts a term stands: counts, made by tests/tools/background_counts.py from the texts of
# Check-COVID (MIT licence), Evidence Inference 2.0 (MIT licence, Copyright (c) 2019 Eric Lehman, Jay DeYoung, Regina
# Barzilay, Byron C. Wallace) and PubMedQA (MIT licence, Copyright (c) 2019 pubmedqa). Under each count the terms.
"""


def pieces(text: str) -> Iterator[str]:
    """A text in pieces; a short rest is a piece only where it is all."""
    here: list[str] = []
    whole = True
    for sentence in _END.split(text):
        here.append(sentence)
        if sum(map(len, here)) >= PIECE:
            yield " ".join(here)
            here, whole = [], False
    if whole or sum(map(len, here)) > PIECE / 3:
        yield " ".join(here)


def counted(texts: Iterable[str]) -> tuple[int, Counter[str]]:
    """The number of pieces, and by term that of the pieces in which it stands."""
    number, found = 0, Counter[str]()
    for piece in (piece for text in texts for piece in pieces(text)):
        number += 1
        found.update(set(vocabulary().keys(piece)))
    return number, found


def table(number: int, found: Counter[str]) -> str:
    """The file's text."""
    by_count: dict[int, list[str]] = {}
    for term, count in sorted(found.items()):
        if count >= LEAST:
            by_count.setdefault(int(float(f"{count:.1e}")), []).append(term)
    lines = [f"{count} = '{' '.join(terms)}'" for count, terms in sorted(by_count.items(), reverse=True)]
    return f"{HEAD}pieces = {number}\n\n[terms]\n" + "\n".join(lines) + "\n"


def texts_of(paths: Iterable[Path]) -> list[str]:
    """The source texts of files of cases, each once."""
    found: dict[str, None] = {}
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found.update(dict.fromkeys(json.loads(line)["source_text"] for line in lines))
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, nargs="+")
    number, found = counted(texts_of(parser.parse_args().cases))
    path = Path(background.__file__).with_name("background.toml")
    path.write_text(table(number, found), encoding="utf-8")
    print(f"{number:,} pieces; {path} has {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
