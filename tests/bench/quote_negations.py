"""How many quotations that lost a negation still prove a vote, and how many honest ones do not.

    python -m tests.bench.quote_negations PATH ... [--sentences 1500] [--seed 1] [--show 20]

PATH: texts, or JSON lines (also ``.gz``) with a field ``source_text``. Of the sentences that hold a negation, so many
are drawn; each loses each of its negations in every way below and is grounded in its own source. A quotation is *wrong*
when it proves. The same sentences, whole, in another typography, without their first word and without their last two,
are *honest*: they must prove.
"""

import argparse
import gzip
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.segment import segment
from medreview.labels import PROVEN_QUOTES

_NEGATION: Final = re.compile(
    r"\b(?:not|no(?=\s+[a-z])|never|without|none of|none|neither|nor|cannot|few|little|nobody"
    r"|nothing|no one|rarely|hardly|seldom|scarcely|barely"
    r"|(?:lack|absence) of|failed to|unable to)\b"
    r"|\b(?P<verb>do|does|did|is|are|was|were|has|have|had|would|could|should)n['’]t\b",
    re.IGNORECASE,
)
_NO_NEGATION_BEHIND: Final = re.compile(r"\b(?:a|only|the)\s+$", re.IGNORECASE)
_INSTEAD: Final = {
    "no": ("", "a", "any", "some", "an", "the"),
    "not": ("", "also", "the"),
    "never": ("", "always", "also"),
    "without": ("", "with", "having"),
    "none of": ("", "all of", "most of", "some of", "a"),
    "none": ("", "all", "some"),
    "neither": ("", "either", "both", "a"),
    "nor": ("", "and", "or"),
    "cannot": ("can", "may"),
    "few": ("", "many", "a few"),
    "little": ("", "much", "a little"),
    "nobody": ("everybody", "people"),
    "nothing": ("something",),
    "no one": ("people", "one"),
    "rarely": ("", "often"),
    "hardly": ("",),
    "seldom": ("", "often"),
    "scarcely": ("",),
    "barely": ("",),
    "lack of": ("", "a"),
    "absence of": ("", "presence of"),
    "failed to": ("",),
    "unable to": ("able to",),
}


def sentences(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Every sentence with a negation, of 5 to 60 words, once, with its source."""
    seen = set()
    for path in paths:
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
        lines = text.split("\n") if ".jsonl" in path.suffixes else []
        rows = [json.loads(line) for line in lines if line] or [{"source_text": text}]
        for source in dict.fromkeys(row["source_text"] for row in rows):
            for passage in segment(source):
                sentence = source[passage.start : passage.end].strip()
                if 5 <= len(sentence.split()) <= 60 and sentence not in seen and any(without_a_negation(sentence)):
                    seen.add(sentence)
                    yield sentence, source


def without_a_negation(sentence: str) -> Iterator[tuple[str, str]]:
    """The ways in which a sentence can lose a negation, each with its name."""
    for match in _NEGATION.finditer(sentence):
        if _NO_NEGATION_BEHIND.search(sentence[: match.start()]):
            continue
        word = " ".join(match[0].lower().split())
        for instead in (match["verb"].lower(),) if match["verb"] else _INSTEAD[word]:
            head, tail = sentence[: match.start()], sentence[match.end() :]
            joined = f"{head}{instead}{tail}" if instead else head + (tail.lstrip() if not head.strip() else tail)
            joined = re.sub(r"(?<=\S) {2,}", " ", joined)
            for quote in dict.fromkeys((joined, joined[:1].upper() + joined[1:])):
                yield f"{word} -> {instead or 'nothing'}", quote


def honest(sentence: str) -> Iterator[tuple[str, str]]:
    """What may become of a sentence that still says the same."""
    yield "whole", sentence
    yield "typography", f"“{sentence.replace('-', '–').replace(' ', '  ')}” [3]"
    rest = sentence.partition(" ")[2]
    if not _NEGATION.match(sentence) and not rest.lower().startswith("of "):
        yield "begins late", rest
    yield "ends early", sentence.rsplit(" ", 2)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--sentences", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    found = list(sentences(options.paths))
    drawn = random.Random(options.seed).sample(found, min(options.sentences, len(found)))
    tried, wrong, kept, lost = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    shown, wrong_sentences, began = 0, 0, time.perf_counter()
    for sentence, source in drawn:
        index, proves = QuoteIndex(source), False
        for name, quote in without_a_negation(sentence):
            tried[name] += 1
            status = ground(quote, index).status
            if status in PROVEN_QUOTES:
                proves = True
                wrong[name] += 1
                if shown < options.show:
                    shown += 1
                    print(f"  {status}, {name}: {quote!r}\n    of {sentence!r}")
        wrong_sentences += proves
        for name, quote in honest(sentence):
            kept[name] += 1
            if ground(quote, index).status not in PROVEN_QUOTES:
                lost[name] += 1
                if shown < options.show:
                    shown += 1
                    print(f"  lost, {name}: {quote!r}")
    seconds = time.perf_counter() - began
    print(f"{len(drawn)} of {len(found)} sentences, {tried.total()} quotations without a negation, {seconds:.0f} s")
    print(f"prove: {wrong.total()}, of {wrong_sentences} sentences  {dict(wrong.most_common(12))}")
    print(f"honest and lost: {lost.total()} of {kept.total()}  {dict(lost)}")


if __name__ == "__main__":
    main()
