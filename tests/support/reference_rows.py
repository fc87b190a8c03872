"""Responses with references and checks of them, row by row, so that their figures can be worked out by hand."""

import json
from collections.abc import Sequence
from typing import Any, Final

from medreview.references.model import (
    Asked,
    Author,
    FieldDifference,
    Identifier,
    Notice,
    Record,
    Reference,
    ReferenceCheck,
    Standing,
    WorkKind,
    to_json,
)
from medreview.references.verdict import Verdict
from medreview.study import Study
from medreview.text import sha256
from tests.support.study_builder import NOW, StudyBuilder, build

PARSER: Final = "test 1"
WORK: Final = Record(
    authority="crossref",
    record_id="10.5555/steroids",
    kind="article",
    title="Hydrocortisone in septic shock: an invented trial",
    authors=(Author("Example", "A"), Author("Sample", "B")),
    containers=("Journal of Invented Trials",),
    years=(2011,),
    volume="7",
    pages="12-19",
    identifiers=(Identifier("doi", "10.5555/steroids"),),
)
"""A plainly invented work."""
NAMED: Final = Reference(
    text="",
    kind="article",
    authors=(Author("Example", "A"),),
    title="Fluids in septic shock",
    container="J Invented Trials",
    year=2019,
    identifiers=(Identifier("doi", "10.5555/steroids"),),
)
"""A reference with the identifier of :data:`WORK` that describes another one."""


def check_of_verdict(verdict: Verdict, *, notices: Sequence[Notice] = (), failed: str = "") -> ReferenceCheck:
    """What a check of this verdict looks like; ``failed``: a service that gave no answer."""
    record = WORK._replace(notices=tuple(notices))
    asked = [Asked("crossref", "identifier", "found" if verdict != "not_found" else "nothing")]
    if failed:
        asked.append(Asked(failed, "citation", "failed", "no answer in time"))
    differences = {
        "mismatch": (FieldDifference("year", "2019", "2011", False, "The year is off by 8."),),
        "other_work": (
            FieldDifference("title", NAMED.title, WORK.title, False, "The titles have no content word in common."),
        ),
    }.get(verdict, ())
    return ReferenceCheck(
        verdict=verdict,
        record=record if verdict in ("match", "mismatch", "other_work") else None,
        differences=differences,
        candidates=(WORK,) if verdict == "ambiguous" else (),
        because=f"because of {verdict}",
        asked=tuple(asked) if verdict != "not_checkable" else (),
    )


class ReferenceRows:
    """Adds references to responses that are there; each call is one transaction."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def add(
        self, response_id: str, *verdicts: Verdict | None, source: str = "", kind: WorkKind = "article",
        identified: bool = True, standing: Standing = "list", found_at: str = NOW, bare_url: bool = False,
        **check: Any,
    ) -> list[str]:  # fmt: skip
        """References of a response, one for each verdict; ``None``: not checked. ``source``: one that they name.
        ``bare_url``: they are addresses alone."""
        return build(
            self.study,
            lambda rows: [
                self._one(rows, response_id, verdict, source, kind, identified, standing, found_at, bare_url, check)
                for verdict in verdicts
            ],
        )  # fmt: skip

    def _one(
        self, rows: StudyBuilder, response_id: str, verdict: Verdict | None, source: str, kind: WorkKind,
        identified: bool, standing: Standing, found_at: str, bare_url: bool, check: dict[str, Any],
    ) -> str:  # fmt: skip
        place = 1 + rows.connection.execute("SELECT count(*) FROM reference").fetchone()[0]
        reference_id = f"f{place:016x}"
        text = f"[{place}] Example A. Fluids in septic shock. J Invented Trials. 2019. doi:10.5555/steroids"
        reading = Reference(
            text=text, number=place, standing=standing, kind=kind, authors=NAMED.authors, title=NAMED.title,
            container=NAMED.container, year=NAMED.year, identifiers=NAMED.identifiers if identified else (),
        )  # fmt: skip
        rows.add(
            "reference", reference_id=reference_id, response_id=response_id, ordinal=place, start_cp=None, end_cp=None,
            standing=standing, number=place, parser=PARSER, found_at=found_at, reading=json.dumps(to_json(reading)),
            bare_url=int(bare_url), text_sha256=sha256(text), text=text,
        )  # fmt: skip
        rows.connection.execute("UPDATE response SET references_by = ? WHERE response_id = ?", (PARSER, response_id))
        if source:
            rows.add("reference_source", reference_id=reference_id, source_id=source)
        if verdict is not None:
            found = check_of_verdict(verdict, **check)
            rows.add(
                "reference_check", check_id=f"c{place:016x}", reference_id=reference_id, verdict=verdict,
                rules="test 1", library="", online=1, checked_at=NOW, result=json.dumps(to_json(found)),
            )  # fmt: skip
        return reference_id
