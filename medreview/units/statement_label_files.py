"""Files of people's labels on statements: one record for each reviewer and statement.

A label is on the page that opens beside the statement now, as one that is given in the workbench.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord
from medreview.judges.votes import LABELS, mapped, normalised
from medreview.labels import EVIDENCE
from medreview.study import Study
from medreview.study.ids import STATEMENT
from medreview.text import counted
from medreview.units.label_files import given_blind, of_people, reason_of
from medreview.units.named_statement import find_statement
from medreview.units.new_units import Brought, ImportedLabel
from medreview.units.unit_format import UnitFormat

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "reviewer": ("reviewer", "expert", "annotator", "rater", "physician"),
    "response": ("response", "response_id", "record_id"),
    "model": ("model",),
    "statement": ("statement", "statement_id", "claim", "ordinal"),
    "label": ("label", "verdict"),
    "reason": ("reason",),
    "note": ("note", "comment"),
    "exposure": ("exposure",),
    "at": ("at", "date"),
}
_NEEDED: Final = ("reviewer", "statement", "label")

_TWO_WAY: Final = "which does not say in which way the statement is not supported"

_PAGE: Final = """SELECT p.snapshot_id, p.text_sha256 FROM source_order AS o JOIN snapshot AS p USING (snapshot_id)
WHERE o.statement_id = ? AND o.opens"""


def read_statement_label(values: Mapping[str, Any], study: Study) -> Brought:
    """What a record brings. Raises ``ValueError`` for what is no label, and for what the study does not have."""
    for field in _NEEDED:
        if not name_of(values, field):
            raise ValueError(f"has no {field}")
    label, blind = _label(name_of(values, "label")), given_blind(values)
    statement = find_statement(
        study.reader, name_of(values, "statement"), name_of(values, "response"), name_of(values, "model")
    )
    page = study.reader.execute(_PAGE, (statement.statement_id,)).fetchone()
    reason, words = reason_of(text_of(values, "reason").strip())
    return Brought(
        labels=(
            ImportedLabel(
                unit=statement.statement_id,
                reviewer=name_of(values, "reviewer"),
                axis="evidence",
                label=label,
                note="\n".join(filter(None, (words, text_of(values, "note").strip()))),
                at=name_of(values, "at"),
                reason=reason,
                blind=blind,
                snapshot=page["snapshot_id"] if page else None,
                texts={
                    "statement_sha256": statement.text_sha256,
                    "snapshot_sha256": page["text_sha256"] if page else "",
                },
            ),
        )
    )


def _label(raw: str) -> str:
    levels = ", ".join(one.level for one in EVIDENCE)
    verdict, supported = mapped(raw) or (None, None)
    if verdict is not None:
        return verdict
    if supported is not None:
        raise ValueError(f"has the label {raw!r}, {_TWO_WAY}: partial, contradicted or not_addressed")
    raise ValueError(f"has the label {raw!r}; there are {levels}{_nearest(raw)}")


def _nearest(raw: str) -> str:
    from rapidfuzz import process

    known = [word for word, (verdict, _) in LABELS.items() if verdict is not None]
    found = process.extractOne(normalised(raw), known, score_cutoff=75)
    return f"; nearest: {LABELS[found[0]][0]}" if found else ""


def _one_sided(bad: Sequence[BadRecord]) -> list[str]:
    """What to say where labels came in that say "supported", and none that only say "not supported"."""
    left = sum(_TWO_WAY in record.reason for record in bad)
    if not left:
        return []
    return [
        f"{counted(left, 'label')} that only {'says' if left == 1 else 'say'} not supported left out, while those that "
        "say supported came in: shares and agreement of these labels look better than they are. Say how each is not "
        "supported, or name its source, since a label on a pair may leave that open"
    ]


STATEMENT_LABEL_FILES: Final = UnitFormat(
    name=STATEMENT,
    fields=_FIELDS,
    characteristic=_NEEDED,
    required=_NEEDED,
    read=read_statement_label,
    tells=of_people,
    on_statements=True,
    cautions=_one_sided,
)
"""Labels of people on statements that the study has."""
