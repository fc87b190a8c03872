"""What machines say of units for which judges have no table of their own: rows of the table ``opinion``."""

import sqlite3
from collections import Counter
from collections.abc import Iterator

from medreview.labels import FALSE_QUOTES, label_words
from medreview.study.unit_ids import kind_of
from medreview.units.kind import Rating
from medreview.units.view import Document, Machines, Opinion, Passage


def stored_opinions(reader: sqlite3.Connection, unit: str, axis: str, quoted: str = "passage") -> Machines:
    """The opinions on a unit, and what most judges say; ``quoted``: the document that their quotations are of."""
    return common(opinions_on(reader, unit, axis, quoted), axis)


def opinions_on(reader: sqlite3.Connection, unit: str, axis: str, quoted: str) -> tuple[Opinion, ...]:
    """The stored opinions on a unit."""
    rows = reader.execute(
        "SELECT * FROM opinion WHERE unit = ? AND axis = ? ORDER BY given_at, judge, opinion_id", (unit, axis)
    )
    return tuple(
        Opinion(
            opinion_id=row["opinion_id"],
            judge=row["judge"],
            model=row["model"],
            prompt=row["prompt_id"],
            said=label_words(axis, row["label"]) if row["label"] else row["raw_label"],
            label=row["label"],
            confidence=row["confidence"],
            reason=row["reason"],
            passages=(Passage(quoted, row["quote"], ""),) if row["quote"] else (),
            counts=row["label"] is not None,
        )
        for row in rows
    )


def common(found: tuple[Opinion, ...], axis: str) -> Machines:
    """Opinions with the label of most judges, none when they are even."""
    voting = [one for one in found if one.counts]
    tally = Counter(one.label for one in voting if one.label).most_common()
    even = len(tally) > 1 and tally[0][1] == tally[1][1]
    level = tally[0][0] if tally and not even else None
    voted = ", ".join(f"{label_words(axis, label)} {count}" for label, count in tally) if len(voting) > 1 else ""
    return Machines(found, level, f"jury {voted}" if voted else "")


def located(machines: Machines, *documents: Document | None) -> Machines:
    """The same opinions, each quotation with its status and its places in the document that it is of."""
    from medreview.evidence.grounding import QuoteIndex, ground

    texts = {document.key: QuoteIndex(document.text) for document in documents if document}

    def place(passage: Passage) -> Passage:
        if passage.spans or passage.key not in texts:
            return passage
        found = ground(passage.quote, texts[passage.key])
        return passage._replace(status=found.status, spans=found.spans)

    opinions = tuple(one._replace(passages=tuple(map(place, one.passages))) for one in machines.opinions)
    false = (passage.status for one in opinions for passage in one.passages if passage.status in FALSE_QUOTES)
    return machines._replace(opinions=opinions, badges=" · ".join(f"quote {status}" for status in dict.fromkeys(false)))


def given_quote(writer: str, quote: str, key: str = "passage", said: str = "quotes") -> Opinion:
    """What a generator quoted for what it wrote, as the opinion of a machine, which is no vote."""
    return Opinion(
        "generator",
        writer or "the file",
        "",
        "",
        said,
        None,
        passages=(Passage(key, quote, ""),) if quote else (),
        counts=False,
    )


def stored_ratings(reader: sqlite3.Connection, kind: str, axis: str) -> Iterator[Rating]:
    """Each machine's stored label on the units of a kind."""
    query = """SELECT o.unit, o.judge, o.label, coalesce(nullif(u.belongs_to, ''), o.unit) FROM opinion AS o
               LEFT JOIN unit AS u ON u.unit_id = o.unit
               WHERE o.axis = ? AND o.label IS NOT NULL ORDER BY o.unit"""
    for unit, judge, label, cluster in reader.execute(query, (axis,)):
        if kind_of(unit) == kind:
            yield Rating(unit, cluster, axis, judge, True, "", label)
