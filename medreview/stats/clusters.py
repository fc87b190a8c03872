"""What the answers of a study are clustered by: the question where any two of them share one, else the response.

Several models, or several runs, answer one question: a hard one is hard for all of them, and the questions are what was
sampled (Miller 2024, arXiv 2411.00640). This is the one place that says which answers belong together.
"""

import sqlite3
import unicodedata
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from medreview.text import folded

ClusterName = Literal["question", "response"]

_ENDS: Final = " .,;:!?…。？！"
_ANSWERS: Final = "SELECT response_id, trim(question_id) AS id, question FROM response ORDER BY ordinal"


class Clusters(NamedTuple):
    """What figures of a study resample: ``name`` is what one of them is, ``of`` has that of each response.

    A question is named by the first response to it, so that no name of a cluster is that of another one.
    """

    name: ClusterName
    of: Mapping[str, str]


def clusters_of(reader: sqlite3.Connection) -> Clusters:
    """Those of the whole study, also where a part of it is read.

    Two responses answer one question if they have the same ``question_id``, or, where one of them has none, the same
    text (:func:`question_text`). A response without either is a cluster of its own. Without two such responses every
    response is its own cluster.
    """
    rows = reader.execute(_ANSWERS).fetchall()
    texts: dict[str, str] = {}
    ids: dict[str, str] = {}
    for _, given, question in rows:
        if question not in texts:
            texts[question] = question_text(question)
        if given and texts[question]:
            ids.setdefault(texts[question], given)
    first: dict[tuple[str, str], str] = {}
    of = {}
    for response, given, question in rows:
        text = texts[question]
        known = given or ids.get(text, "")
        key = ("id", known) if known else ("text", text) if text else ("response", response)
        of[response] = first.setdefault(key, response)
    return Clusters("question" if len(first) < len(of) else "response", of)


def question_text(question: str) -> str:
    """A question without what makes no other one of it: how characters are coded (NFKC), case, blanks, the end."""
    return folded(unicodedata.normalize("NFKC", question)).rstrip(_ENDS)
