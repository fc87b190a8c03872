"""What a study knows of an answer beside its text: what was said before it, when and by what it was given, and all
that its record said of it."""

import json
import sqlite3

from medreview.labels import FINISHES
from medreview.text import in_words

_ROLES = {"user": "asked before", "assistant": "answered before", "system": "system prompt"}


_QUOTED = {"absent": "this is not in the page", "altered": "the page says something else there"}


def about_answer(reader: sqlite3.Connection, response_id: str, statement_id: str, *, named: bool) -> str:
    """All of it as paragraphs; of a model's name and whatever may show it only where it may be ``named``. First the
    passages that the answer itself shows as the proof of a statement, and whether they are in their pages.

    ``""`` where the study knows nothing beside the question and the text.
    """
    row = reader.execute("SELECT * FROM response WHERE response_id = ?", (response_id,)).fetchone()
    claims = reader.execute(
        """SELECT c.quote, c.status, url FROM claimed_quote AS c JOIN snapshot USING (snapshot_id)
           JOIN source USING (source_id)
           WHERE c.statement_id = ? ORDER BY url, c.quote""",
        (statement_id,),
    )
    shown = [
        f"The answer shows as its proof, from {claim['url'] or 'a document'}: “{claim['quote']}” "
        f"({_QUOTED.get(claim['status'], 'it is in the page')})"
        for claim in claims
    ]
    told = []
    if row["finish"]:
        told.append(f"how it ended: {in_words(row['finish'])}, {FINISHES[row['finish']]}")
    if named:
        told += [
            f"{name}: {value}"
            for name, value in (
                ("model", row["model"]), ("given at", row["created_at"]), ("read as", row["producer"]),
                ("file", row["imported_from"]), ("id", row["record_id"]), ("question id", row["question_id"]),
                *json.loads(row["extra"]).items(),
            )
            if value not in ("", None)
            for value in [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]
        ]  # fmt: skip
    turns = reader.execute("SELECT role, text FROM turn WHERE response_id = ? ORDER BY ordinal", (response_id,))
    said = [f"{_ROLES.get(turn['role'], turn['role'])}: {turn['text'].strip()}" for turn in turns]
    if said:
        said.append(f"asked: {row['question'].strip() or 'nothing that was recorded'}")
    return "\n\n".join(filter(None, (*shown, "\n".join(told), *said)))
