"""Files of people's labels on key facts in responses: one record for each person, response and fact."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.labels import PRESENCE
from medreview.study import Study
from medreview.study.unit_ids import unit_id
from medreview.units.brought import Brought
from medreview.units.imported_labels import EXPOSURES, ImportedLabel
from medreview.units.unit_format import UnitFormat

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "reviewer": ("reviewer", "expert", "annotator", "rater", "physician"),
    "response": ("response", "response_id"),
    "fact": ("fact", "key_fact"),
    "label": ("label", "presence"),
    "note": ("note", "comment"),
    "exposure": ("exposure",),
    "at": ("at", "date"),
}
_NEEDED: Final = ("reviewer", "response", "fact", "label")
_WORDS: Final = {
    "yes": "present", "no": "absent", "1": "present", "0": "absent", "true": "present", "false": "absent",
    "present, contradicted": "both", "present and contradicted": "both", "unsure": "cannot_judge",
}  # fmt: skip
"""Other words for the levels, as files write them."""

_RESPONSES: Final = "SELECT response_id, text_sha256 FROM response WHERE ?1 IN (record_id, response_id)"
_FACTS: Final = """
SELECT k.key_fact_id, k.text FROM key_fact_in_force AS k JOIN response AS r ON sha256_of(r.question) = k.question_sha256
WHERE r.response_id = ?"""


def _read(values: Mapping[str, Any], study: Study) -> Brought:
    for field in _NEEDED:
        if values.get(field) is None or not text_of(values, field).strip():
            raise ValueError(f"has no {field}")
    exposure = name_of(values, "exposure").lower() or EXPOSURES[0]
    if exposure not in EXPOSURES:
        raise ValueError(f"has {exposure!r} as its exposure; it is assisted or blind")
    told = name_of(values, "response")
    found = study.reader.execute(_RESPONSES, (told,)).fetchall()
    if len(found) != 1:
        raise ValueError(f"names the response {told!r}, " + ("which are several" if found else "which is not there"))
    label = ImportedLabel(
        unit=unit_id("fact", found[0]["response_id"], _fact(study, found[0]["response_id"], text_of(values, "fact"))),
        reviewer=name_of(values, "reviewer"),
        axis="presence",
        label=_level(text_of(values, "label").strip()),
        note=text_of(values, "note").strip(),
        at=name_of(values, "at"),
        blind=exposure == "blind",
        texts={"statement_sha256": found[0]["text_sha256"]},
    )
    return Brought(labels=(label,))


def _fact(study: Study, response_id: str, told: str) -> str:
    """A fact of the case of the response, by its id or its words."""
    words = told.split()
    for row in study.reader.execute(_FACTS, (response_id,)):
        if row["key_fact_id"] == told.strip() or row["text"].split() == words:
            return str(row["key_fact_id"])
    raise ValueError(f"has a fact that is no key fact of the response's case: {told.strip()[:60]!r}")


def _level(told: str) -> str:
    folded = told.casefold().replace("_", " ")
    level = _WORDS.get(folded, folded.replace(" ", "_"))
    if level not in [label.level for label in PRESENCE]:
        raise ValueError(f"has the label {told!r}; there are {', '.join(label.level for label in PRESENCE)}")
    return level


def _of_people(columns: Collection[str], _records: Sequence[Mapping[str, Any]]) -> bool:
    """A file with a judge's name is one of judgements."""
    return "judge" not in columns


FORM: Final = UnitFormat(
    name="fact",
    fields=_FIELDS,
    characteristic=_NEEDED,
    required=_NEEDED,
    read=_read,
    tells=_of_people,
    on_statements=True,
)
"""Labels of people on key facts that the study has."""
