"""The reference that names a source: what the rules say of it, in the words that stand beside the source."""

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from medreview.labels import label_words
from medreview.references.authorities import authority_name
from medreview.references.model import Difference, Field, Record, ReferenceCheck
from medreview.references.verdict import Verdict
from medreview.study.unit_ids import REFERENCE, unit_id
from medreview.units.named_reference import NamedBy
from medreview.units.reference_fields import notice_words
from medreview.units.stored_reference import StoredReference, load_reference
from medreview.words import counted, in_words

_MINE: Final = """SELECT label FROM standing WHERE unit = ? AND reviewer = ? AND pass = 1 AND state = 'decided'"""
_VERDICTS: Final[dict[Verdict, str]] = {"other_work": "OTHER WORK", "not_checkable": "nothing to look up"}
"""What a verdict is called here, where it is not its own name."""
_CALLED: Final[dict[Field, str]] = {"authors": "first author", "container": "journal", "identifier": "identifier"}


class SourceReference(NamedTuple):
    """What stands beside a source of the reference that names it.

    ``verdict`` in words, with what stands beside it; ``about``: what it is about, the part to be cut where there is
    little room, and the ``year`` behind that. ``more`` says why, and who was asked. ``worth_a_row``: there is more to
    say than that it is fine, or that there is nothing to look up.
    """

    unit: str
    verdict: str
    about: str
    year: str
    more: str
    worth_a_row: bool

    @property
    def said(self) -> str:
        """Verdict and what it is about."""
        return f"{self.verdict}{': ' if self.about else ''}{self.about}{self.year}"


def load_source_reference(
    reader: sqlite3.Connection, named: NamedBy, reviewer: str = "", *, by_name: bool = False
) -> SourceReference:
    """Read and word one, with what a reviewer said of it, if one is given; ``by_name``: it says which it is."""
    stored = load_reference(reader, named.reference_id)
    check = stored.check
    work = check.record if check.verdict != "other_work" else None
    notices = notice_words(work, brief=True) if work else []
    unit = unit_id(REFERENCE, named.reference_id)
    mine = reader.execute(_MINE, (unit, reviewer)).fetchone()
    said = [f"you: {label_words('reference', mine['label'])}"] if mine else []
    return SourceReference(
        unit=unit,
        verdict=" · ".join(
            (
                f"{stored.short_name if by_name else 'ref'}: {_called(check)}",
                *notices,
                *said,
            )
        ),
        about=_about(stored),
        year=_year(check.record) if check.verdict == "other_work" else "",
        more=" ".join(filter(None, (check.because, _printed(stored), _asked(check)))),
        worth_a_row=bool(notices) or check.verdict not in ("match", "not_checkable") or check.unanswered,
    )


def _called(check: ReferenceCheck) -> str:
    return "could not be looked up" if check.unanswered else _VERDICTS.get(check.verdict, in_words(check.verdict))


def _about(stored: StoredReference) -> str:
    check = stored.check
    match check.verdict:
        case "other_work":
            return f"“{check.record.title}”" if check.record else ""
        case "mismatch":
            return "; ".join(sorted((_correction(stored, one) for one in check.wrong), key=len))
        case "ambiguous":
            return f"{counted(len(check.candidates), 'work')} may be meant"
        case "not_found":
            return _asked(check)
    return _asked(check) if check.unanswered else ""


def _year(record: Record | None) -> str:
    return f" {record.years[0]}" if record and record.years else ""


def _correction(stored: StoredReference, difference: Difference) -> str:
    """What the record has, and what is printed instead of it."""
    known, printed = difference.record, difference.reference
    record = stored.check.record
    if difference.field == "authors" and record and record.authors and stored.reference.authors:
        known, printed = record.authors[0].family, stored.reference.authors[0].family
        if known == printed:
            return difference.why
    return f"{_CALLED.get(difference.field, difference.field)} {known or 'none'}, not {printed or 'none'}"


def _printed(stored: StoredReference) -> str:
    return f"Printed: “{stored.text}”"


def _asked(check: ReferenceCheck) -> str:
    """Who was asked, each once; of those that failed, that they did."""
    outcomes: dict[str, set[str]] = {}
    for asked in check.asked:
        outcomes.setdefault(authority_name(asked.authority), set()).add(asked.outcome)
    return f"asked {', '.join(_named(outcomes))}" if outcomes else ""


def _named(outcomes: dict[str, set[str]]) -> Iterator[str]:
    return (f"{name} (failed)" if told == {"failed"} else name for name, told in outcomes.items())
