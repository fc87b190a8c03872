"""Lines with a printed reference in, what a library knows of it out."""

import json

from medreview.references.jsonl_filter import LONGEST, serve
from medreview.references.library import Library
from medreview.references.model import Author, Identifier, Notice, Record

LIBRARY = Library(
    [
        Record(
            "library", "a", "article", "Fluids in septic shock: a cluster randomised trial",
            authors=(Author("Okafor", "N"),), containers=("J Invent Med",), years=(2019,),
            identifiers=(Identifier("doi", "10.5555/jim.2019.1"),), notices=(Notice("retracted", words="2021"),),
        ),
        Record("library", "b", "article", "Statins for osteoporosis in mice: a review of nothing", years=(2011,),
               authors=(Author("Lee", "K"),), identifiers=(Identifier("doi", "10.5555/jim.2011.2"),)),
    ]
)  # fmt: skip


def served(*lines: object) -> list[dict]:
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return [json.loads(line) for line in serve(written, lambda wanted: map(LIBRARY.check, wanted))]


def test_each_line_is_answered_with_its_id_in_order():
    match, other, unknown = served(
        {"id": 1, "reference": "Okafor N. Fluids in septic shock: a cluster randomised trial. J Invent Med. 2020."},
        {
            "id": "b",
            "reference": "Okafor N. Fluids in septic shock: a cluster randomised trial. doi:10.5555/jim.2011.2",
        },
        {"reference": "Nobody X. Magnesium for hiccups in marathon runners. Lancet. 2015;1:1-2."},
    )

    assert (match["id"], match["verdict"], match["record"], match["authority"]) == (1, "match", "a", "library")
    assert {slip["field"] for slip in match["slips"]} == {"year"}
    assert match["notices"] == [{"kind": "retracted", "names": "", "words": "2021"}]
    assert (other["id"], other["verdict"], other["record"]) == ("b", "other_work", "b")
    assert {one["field"]: one["record"] for one in other["differences"]}["title"].startswith("Statins")
    assert [one["record"] for one in other["candidates"]] == ["a"]
    assert (unknown["id"], unknown["verdict"], unknown["record"]) == (None, "not_found", None)
    assert unknown["asked"][0]["authority"] == "library"


def test_a_line_that_cannot_be_used_is_answered_in_its_place():
    bad, none, long, good = served(
        "{broken", "", {"id": "n", "statement": "x"}, {"id": "l", "reference": "x" * (LONGEST + 1)},
        {"id": "g", "reference": ""},
    )  # fmt: skip

    assert (bad["id"], bad["line"]) == (None, 1)
    assert none == {"id": "n", "line": 3, "error": "'reference' must be a text"}
    assert "more than" in long["error"]
    assert good["verdict"] == "not_checkable"


def test_lines_are_checked_together_where_services_are_asked():
    asked: list[int] = []

    def check(references):
        asked.append(len(references))
        return map(LIBRARY.check, references)

    lines = [json.dumps({"id": number, "reference": "Lee K. Title. 2011."}) for number in range(5)]
    answers = [json.loads(line)["id"] for line in serve([*lines, "{"], check, together=4)]

    assert answers == [0, 1, 2, 3, 4, None]
    assert asked == [4, 1]
