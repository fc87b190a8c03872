"""Many pairs of statement and page for `medreview evidence --jsonl`, made from the sample study.

    python -m tests.bench.make_pairs --pairs 200000 > cases.jsonl

The sample's own pairs whose statement holds a number, again and again with other numbers, so that no pair comes twice.
Pages take turns, each with twenty statements in a row, as in a file that is sorted by source.
"""

import argparse
import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle, groupby, islice
from operator import itemgetter
from pathlib import Path

from medreview.demo import make_demo

TOGETHER = 20
PAIRS = """SELECT t.text AS page, s.text AS statement FROM judged_pair AS p JOIN snapshot AS t USING (source_id)
    JOIN statement AS s USING (statement_id) WHERE t.page_state = 'ok' AND s.text GLOB '*[0-9]*'
    ORDER BY t.snapshot_id, p.statement_id"""
_NUMBER = re.compile(r"\d+")


def statements_of(sample: Sequence[str], luck: random.Random) -> Iterator[str]:
    """The statements with other numbers, each once, without an end."""
    seen: set[str] = set()
    for statement in cycle(sample):
        made = _NUMBER.sub(lambda found: str(luck.randrange(1, 10 ** (len(found[0]) + 2))), statement)
        if made not in seen:
            seen.add(made)
            yield made


def main() -> None:
    """Read the arguments and print the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    luck = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, make_demo(Path(folder) / "demo.medreview") as study:
        rows = study.reader.execute(PAIRS).fetchall()
    of_pages = {page: [row["statement"] for row in of_page] for page, of_page in groupby(rows, itemgetter("page"))}
    turns = cycle([(page, statements_of(sample, luck)) for page, sample in of_pages.items()])
    pairs = ((page, statement) for page, made in turns for statement in islice(made, TOGETHER))
    for number, (page, statement) in enumerate(islice(pairs, options.pairs), 1):
        print(json.dumps({"id": str(number), "statement": statement, "source_text": page}, ensure_ascii=False))


if __name__ == "__main__":
    main()
