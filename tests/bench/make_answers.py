"""Many answers made from the sample study, for trying a large study.

    python tests/bench/make_answers.py --responses 5600 > answers.jsonl

Each is one of the sample's answers with some of its statements left out, so that texts differ and pairs stay real.
5,600 answers give about 58,000 pairs of statement and source. Judge them with

    medreview run large.medreview answers.jsonl --pages sample_data/pages
"""

import argparse
import json
import random
from importlib.resources import files

from medreview.citations import extract
from medreview.statements.split import split

LEFT_OUT = 0.36


def variant(record: dict[str, object], number: int, luck: random.Random) -> dict[str, object]:
    """The answer with some of its statements left out, under an id of its own."""
    text = str(record["response"])
    for statement in reversed(split(text, extract(text)).statements):
        if luck.random() < LEFT_OUT:
            text = text[: statement.start] + text[statement.end :].lstrip(".")
    return record | {"id": f"{record['id']}-{number}", "response": text, "question": f"{record['question']} ({number})"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=int, default=5600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    luck = random.Random(options.seed)
    lines = files("medreview.sample_data").joinpath("responses.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    for number in range(options.responses):
        print(json.dumps(variant(records[number % len(records)], number, luck), ensure_ascii=False))


if __name__ == "__main__":
    main()
