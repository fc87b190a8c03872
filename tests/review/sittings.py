"""A sitting of one reviewer on a study file, and what of it is stored."""

import json

from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession


def sit(study, queue="responses", *, reveal="block", **options):
    return ReviewSession(study, "kb", open_queue(study, queue, "kb", **options), reveal=reveal)


def labels(study, view="decision_current"):
    return dict(study.reader.execute(f"SELECT unit, label FROM {view} WHERE axis = 'evidence'").fetchall())


def payloads(study, kind):
    rows = study.reader.execute("SELECT payload FROM event WHERE kind = ? ORDER BY event_id", (kind,))
    return [json.loads(row[0]) for row in rows]
