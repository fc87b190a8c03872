"""Many answers made from the sample study, for trying a large study.

    python tests/bench/make_answers.py --responses 5600 > answers.jsonl

Each is one of the sample's answers with some of its sentences left out, so that texts differ and pairs stay real.
"""

import argparse
import json
import random
from importlib.resources import files

from medreview.citations import extract
from medreview.statements.split import split


def variant(record: dict[str, object], number: int, luck: random.Random) -> dict[str, object]:
    """The answer with one in eight of its statements left out, under an id of its own."""
    text = str(record["response"])
    for statement in reversed(split(text, extract(text)).statements):
        if luck.random() < 1 / 8:
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
