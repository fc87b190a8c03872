"""What the answers of a study are clustered by: the question where any two of them share one, else the response.

Several models, or several runs, answer one question: a hard one is hard for all of them, and the questions are what was
sampled (Miller 2024, arXiv 2411.00640). This is the one place that says which answers belong together.
"""

import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, NamedTuple

from medreview.text import folded

ClusterName = Literal["question", "response"]

_ENDS: Final = " .,;:!?…。？！"
_ANSWERS: Final = "SELECT response_id, question_id, question, cited FROM response ORDER BY ordinal"


class Clusters(NamedTuple):
    """What figures of a study resample: ``name`` is what one of them is, ``of`` has that of each response.

    A question is named by the first response to it, so that no name of a cluster is that of another one.
    """

    name: ClusterName
    of: Mapping[str, str]


def study_clusters(reader: sqlite3.Connection) -> Clusters:
    """Those of the whole study, also where a part of it is read; what is not prepared yet decides nothing."""
    rows = reader.execute(_ANSWERS).fetchall()
    return clusters_of((row[:3] for row in rows), [row[0] for row in rows if row[3]])


def clusters_of(answers: Iterable[tuple[str, str, str]], deciding: Collection[str] = ()) -> Clusters:
    """Those of answers, each with a name of its own, its ``question_id`` and its question.

    Two of them answer one question if they have the same ``question_id``, or, where one has none, the same text
    (:func:`question_text`). An answer with neither is a cluster of its own. They are called questions where two of the
    ``deciding`` ones (without these, any two) share one, else responses: then each of those is its own cluster.
    """
    rows = [(name, given.strip(), question) for name, given, question in answers]
    texts = {question: question_text(question) for _, _, question in rows}
    ids: dict[str, str] = {}
    for _, given, question in rows:
        if given:
            ids.setdefault(texts[question], given)
    first: dict[tuple[str, str], str] = {}
    of = {}
    for name, given, question in rows:
        text = texts[question]
        known = given or (ids.get(text, "") if text else "")
        key = ("id", known) if known else ("text", text) if text else ("answer", name)
        of[name] = first.setdefault(key, name)
    counting = [of[name] for name in deciding or of]
    return Clusters("question" if len(set(counting)) < len(counting) else "response", of)


def question_text(question: str) -> str:
    """A question without what makes no other one of it: how characters are coded (NFKC), case, blanks, the end."""
    return folded(unicodedata.normalize("NFKC", question)).rstrip(_ENDS)
