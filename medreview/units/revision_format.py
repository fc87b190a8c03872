"""Files of revised or removed statements, one record each (SourceCleanup)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, text_of
from medreview.study import Study
from medreview.units.brought import Brought
from medreview.units.record_parts import ABOUT, address_of, made_by, passage_of, said_of
from medreview.units.revision import LONGEST, is_the_original, is_too_long, misfit
from medreview.units.stored import NewUnit
from medreview.units.unit_format import UnitFormat

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **ABOUT,
    "original": ("original", "original_statement"),
    "revised": ("revised", "revision", "revised_statement"),
    "action": ("action",),
    "changed": ("changed", "what_changed", "explanation"),
    "quote": ("quote",),
    "statement": ("statement_id", "statement"),
}
_REMOVAL: Final = ("remove", "removed", "removal", "delete", "deleted")
_REVISION: Final = ("revise", "revised", "revision", "")


def read_revision(values: Mapping[str, Any], study: Study) -> Brought:
    """What a record brings. Raises ``ValueError`` without an original, and when it neither revises nor removes."""
    response_id, original = _statement(values, study)
    revised = text_of(values, "revised").strip()
    action = name_of(values, "action").casefold()
    if not original:
        raise ValueError("has no original statement")
    if action not in (*_REMOVAL, *_REVISION):
        raise ValueError(f"has {action!r} as its action, which is neither revise nor remove")
    if action in _REMOVAL and revised:
        raise ValueError("removes the statement and has a revised text all the same")
    if action not in _REMOVAL and not revised:
        raise ValueError("has no revised text, and does not say that the statement is removed (action: remove)")
    passage = passage_of(values)
    content = {
        "original": original,
        "revised": revised,
        "changed": text_of(values, "changed").strip(),
        "quote": text_of(values, "quote").strip(),
        "passage": passage.passage_id if passage else "",
        "url": "" if passage else address_of(values),
        "statement": name_of(values, "statement") if response_id else "",
        "response": response_id,
    }
    unit = NewUnit(
        kind="revision",
        text=original,
        content=content,
        record_id=name_of(values, "id"),
        origin=name_of(values, "origin"),
        model=name_of(values, "model"),
        belongs_to=response_id or content["passage"],
        made_by=made_by(values),
    )
    said = said_of(values, unit.unit, "revision")
    misfits = [one for one in said.labels if misfit(revised, one.label)]
    gold = tuple((unit, one) for unit, one in said.gold if not misfit(revised, one.label))
    strange = [*(f"has a label of {one.reviewer} that does not fit it ({one.label})" for one in misfits)]
    strange += ["has a gold label that does not fit it"] * (len(said.gold) - len(gold))
    return replace(
        said,
        units=(unit,),
        passages=(passage,) if passage else (),
        gold=gold,
        labels=tuple(one for one in said.labels if one not in misfits),
        warnings=(*_faults(content), *strange, *said.warnings),
    )


def _statement(values: Mapping[str, Any], study: Study) -> tuple[str, str]:
    """The response of the statement that is revised, if it is one of the study, and its text as it was."""
    original, named = text_of(values, "original").strip(), name_of(values, "statement")
    row = study.reader.execute("SELECT response_id, text FROM statement WHERE statement_id = ?", (named,)).fetchone()
    return (row["response_id"], original or row["text"]) if row else ("", original)


def _faults(content: Mapping[str, str]) -> Iterator[str]:
    original, revised = content["original"], content["revised"]
    if is_the_original(revised, original):
        yield "has a revised text that is the original"
    elif is_too_long(revised, original):
        yield f"has a revised text more than {LONGEST} times as long as the original"
    if not content["passage"] and not content["url"]:
        yield "has no source to be compared with"


FORMAT: Final = UnitFormat("revision", FIELDS, ("original", "revised"), (), read_revision)
