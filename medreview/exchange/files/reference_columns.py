"""The columns of the files that hold the references of the responses, and what authorities have of these works."""

from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, Column

_VERDICTS: Final = ("match", "mismatch", "other_work", "not_found", "ambiguous", "not_checkable")
_REFERENCE: Final = Column("reference_id", "text", "The reference: a hash of its response, place and text.")
_NAMES: Final = "name:type, parted by blanks, as in the column payload of events.csv"

REFERENCES: Final = (
    _REFERENCE,
    Column("unit_id", "text", "The reference as a unit of review: what people said of it stands in unit_labels.csv."),
    Column("response_id", "text", "The response that it stands in: the unit to resample."),
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("response_model", "text", "The model that gave the response."),
    Column("origin", "text", "Where the question came from: a stratum."),
    Column("ordinal", "integer", "Its place among the references of the response, from 1."),
    Column("current", "boolean", "0: the newest rules do not find it any more; it is kept for what was said of it."),
    Column("number", "integer", "The response's own number of it; empty without one."),
    Column("standing", "text", "Where it stands.", levels=("list", "footnote", "inline", "given", "alone")),
    Column("start_cp", "integer", "Where it starts in the response; empty when it was listed beside the text.",
           unit=CODE_POINTS),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("text", "text", "What stands there."),
    Column("kind", "text", "What sort of work it is by its words: article, guideline, ...; unknown when nothing tells "
           "it."),
    Column("authors", "text", "As read from it, parted by semicolons."),
    Column("title", "text", "As read from it."),
    Column("container", "text", "Journal, book of a chapter, or site, as read from it."),
    Column("year", "integer", "As read from it."),
    Column("volume", "text", "As read from it."),
    Column("issue", "text", "As read from it."),
    Column("pages", "text", "As read from it."),
    Column("publisher", "text", "As read from it."),
    Column("edition", "text", "As read from it."),
    Column("identifiers", "text", "As read from it, parted by semicolons: doi 10.1000/x; pmid 123."),
    Column("url", "text", "The address in it."),
    Column("bare_url", "boolean", "1: it is an address alone, which describes nothing, so that it is not checked."),
    Column("unsure", "text", "Fields that were read with doubt, parted by blanks."),
    Column("source_ids", "text", "The sources of the response that it names, parted by blanks."),
    Column("verdict", "text", "How it compares with what authorities have, by the newest check; empty when it was not "
           "checked, or must not be known yet, as in all that follows up to wrong_fields. not_found proves no "
           "invention.", levels=_VERDICTS),
    Column("because", "text", "Why, in a sentence."),
    Column("authority", "text", "Which authority has the work that it is, or whose identifier it carries."),
    Column("authority_id", "text", "Its id there."),
    Column("found_title", "text", "The work's title there."),
    Column("found_authors", "text", "Its authors there, parted by semicolons."),
    Column("found_container", "text", "Its journal, book or site there."),
    Column("found_year", "integer", "Its year there."),
    Column("found_identifiers", "text", "Its identifiers there, as in the column identifiers."),
    Column("notices", "text", "What is to be known of that work, parted by semicolons: RETRACTED, a preprint and what "
           "it was published as."),
    Column("differences", "text", "What differs, parted by semicolons; field by field in "
           "reference_differences.csv."),
    Column("wrong_fields", "text", "The fields in which it misleads, parted by blanks."),
    Column("candidates", "text", "Other works that were found, parted by semicolons; the best first, where the verdict "
           "may be known."),
    Column("asked", "text", "Which authorities were asked, by what, and what came of it, parted by semicolons."),
    Column("checked_at", "time", "When the newest check was made.", unit="UTC"),
    Column("check_id", "text", "The newest check; empty when there is none."),
    Column("parser", "text", "The rules that found it, by name and version."),
    Column("found_at", "time", "When it was found first.", unit="UTC"),
    Column("reading", "text", f"Which values all that was read of it has: {_NAMES}. The values stand in "
           "reference_values.csv."),
)  # fmt: skip

DIFFERENCES: Final = (
    _REFERENCE,
    Column("ordinal", "integer", "Which difference, from 1."),
    Column("field", "text", "The field that differs."),
    Column("reference", "text", "What the reference says."),
    Column("found", "text", "What the authority has."),
    Column("slip", "boolean", "1: it misleads nobody."),
    Column("why", "text", "Which slip it is, or why it misleads."),
)

CHECKS: Final = (
    Column("check_id", "text", "A check of a reference; none is ever changed, and the newest counts."),
    _REFERENCE,
    Column("verdict", "text", "Its verdict; empty when it must not be known yet.", levels=_VERDICTS),
    Column("rules", "text", "What read the reference and what compared it, by name and version."),
    Column("library", "text", "A hash of the library that was asked; empty when none was."),
    Column("online", "boolean", "1: services could be asked; 0: only what they had answered before."),
    Column("checked_at", "time", "When it was made.", unit="UTC"),
    Column("result", "text", f"Which values it has: {_NAMES}. The values stand in reference_values.csv."),
)  # fmt: skip

VALUES: Final = (
    _REFERENCE,
    Column("check_id", "text", "The check; empty for a value of the reading."),
    Column("name", "text", "Name of the value, as written in the column reading of references.csv, or result of "
           "reference_checks.csv."),
    Column("value", "text", "The value."),
)  # fmt: skip
