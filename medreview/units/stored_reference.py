"""A reference of a response with its newest check, as the study has both."""

import json
import sqlite3
from typing import Final, NamedTuple

from medreview.references.as_json import check_of, reference_of
from medreview.references.model import Record, Reference, ReferenceCheck
from medreview.text import sha256

_ONE: Final = """
SELECT f.reference_id, f.response_id, f.ordinal, f.number, f.start_cp, f.end_cp, f.text, f.text_sha256, f.reading,
       c.check_id, c.rules, c.result, c.verdict IS NULL AS withheld
FROM reference AS f JOIN reference_checked AS c USING (reference_id) WHERE f.reference_id = ?"""


class StoredReference(NamedTuple):
    """A reference that was checked. ``ordinal`` counts those of its response; ``rules`` name what compared it.

    ``in_text``: it stands in the response's own text, at ``reference.start``. ``withheld``: of the check only the
    records are here, and who was asked, as in a copy for a colleague.
    """

    reference_id: str
    response_id: str
    ordinal: int
    number: int | None
    in_text: bool
    text: str
    text_sha256: str
    reference: Reference
    check_id: str
    rules: str
    check: ReferenceCheck
    withheld: bool

    @property
    def short_name(self) -> str:
        """What it is called in its response: by the answer's own number, else by its place among the references."""
        return f"ref [{self.number}]" if self.number is not None else f"ref {self.ordinal}"


def load_reference(reader: sqlite3.Connection, reference_id: str) -> StoredReference:
    """Read one; raises ``KeyError`` when the study does not have it, or nobody has checked it."""
    row = reader.execute(_ONE, (reference_id,)).fetchone()
    if row is None:
        raise KeyError(reference_id)
    return StoredReference(
        reference_id=row["reference_id"],
        response_id=row["response_id"],
        ordinal=row["ordinal"],
        number=row["number"],
        in_text=row["start_cp"] is not None,
        text=row["text"],
        text_sha256=row["text_sha256"],
        reference=reference_of(json.loads(row["reading"])),
        check_id=row["check_id"],
        rules=row["rules"],
        check=check_of(json.loads(row["result"])),
        withheld=bool(row["withheld"]),
    )


def records_in_neutral_order(check: ReferenceCheck) -> tuple[Record, ...]:
    """All records that were found, each once, in an order that tells nothing of the verdict.

    The record of the identifier first and then the candidates, best first, would be the verdict in another form: two
    records, the first of which shares no title with the reference, stand so for ``other_work`` alone. By a hash of what
    they are, the order is the same whatever the rules made of them. That a record carries the printed identifier can be
    read in the record itself: that is evidence, not an opinion on it.
    """
    every = [*([check.record] if check.record else []), *check.candidates]
    once = {(record.authority, record.record_id): record for record in every}
    return tuple(once[key] for key in sorted(once, key=lambda key: sha256("\n".join(key))))
