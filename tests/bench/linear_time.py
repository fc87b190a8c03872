"""Does the time to read a hostile text grow with its length, or with its square?

    python tests/bench/linear_time.py

Prints, for every repeated piece, the seconds for 50,000 and for 200,000 code points and their ratio: about 4 is linear,
16 quadratic.
"""

import time
from collections.abc import Callable
from typing import Any

from medreview.citations import extract
from medreview.citations.markers import find_markers
from medreview.citations.source_lists import OwnNumbers
from medreview.references.printed.find import find_references
from medreview.statements.sentences import sentence_spans
from medreview.statements.split import split

SHORT, LONG = 50_000, 200_000
PIECES: dict[str, tuple[Callable[[str], Any], list[str]]] = {
    "citations": (
        extract,
        [
            "https://a)",
            "https://a(/",
            "https://a/",
            "https://a,",
            "10.1000/)",
            "10.1000/(",
            "10.1000/a<",
            "PMID: 1, ",
            "PMIDs: 1\n",
            "PMID ",
            "://",
            "a",
            "(",
            "https://a.org(",
            "arXiv ",
            "&lt;",
            "https://doi.org/10.1000/<",
            "javascript:",
            "http://x@",
            " ",
        ],
    ),
    "sentences": (
        sentence_spans,
        [
            ". ",
            ".",
            "a.",
            "\n ",
            "[1]",
            ".)",
            ".[1",
            "\n- ",
            "(",
            "A. B ",
            ".¹",
            "abc.1 ",
            ".(1,",
            ".[1](https://a",
            ".([a](https://a",
        ],
    ),
    "markers": (
        lambda text: find_markers(text, OwnNumbers({1: ("a",)}), extract(text)),
        [".[1](https://a", "[1](https://a) ", "[1,", "(ref 1 and ", "a¹", "(A 2019; "],
    ),
    "statements": (
        split,
        [
            "[1]",
            ". References: [1] a ",
            "a [1]. ",
            "(https://a.org)",
            "**",
            "a\n",
            "| a | b |\n",
            "ask a b c d e ",
            "if ",
            "---|",
            "|---",
            "- a\n",
            "¹ ",
            ">",
        ],
    ),
    "references": (
        find_references,
        [
            "(NEJM 2019) ",
            "A-",
            "O'",
            "2019 Aa-",
            "the SPRINT trial (2019) ",
            "2019 AHA/ACC ",
            "WHO, ",
            "Smith J, ",
            "\n1. a 2019",
            "\n- Smith J. Title of it. BMJ. 2019;1:2.",
            "| a | b |\n",
            "(1(2)",
        ],
    ),
}


def seconds(read: Callable[[str], Any], piece: str, size: int) -> float:
    """The best of three."""
    text = (piece * size)[:size]
    times = []
    for _ in range(3):
        began = time.process_time()
        read(text)
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    for name, (read, pieces) in PIECES.items():
        for piece in pieces:
            short, long = seconds(read, piece, SHORT), seconds(read, piece, LONG)
            print(f"{name:12}{piece!r:30}{short:8.3f}{long:8.3f}{long / max(short, 1e-4):8.1f}")


if __name__ == "__main__":
    main()
