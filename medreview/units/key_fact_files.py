"""Files of key facts, and the cases that these and the answers of systems name.

Key facts can come before any text: they wait until somebody has written on their question. A fact is found by the text
of its question, by the case that it is about, or by a response; an answer that names a case answers its question.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports.fact_records import FactRecord, read_facts
from medreview.exchange.imports.file_rows import BadRecord
from medreview.judges.tasks.key_facts import CATEGORIES, Fact, add_facts
from medreview.next_step import command
from medreview.storable import storable_text
from medreview.study import Study
from medreview.text import counted, sha256
from medreview.units.cases import asked_for, case_of_question, question_about, suggested
from medreview.units.stored import add_units


@dataclass(slots=True)
class ImportedFacts:
    """Key facts read from one file; ``other``: categories that are not known and became ``other``.

    ``waiting``: how many of them belong to a question that no text of the study answers yet; ``waits_for``: these
    questions.
    """

    read: int = 0
    added: int = 0
    known: int = 0
    bad: list[BadRecord] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    waiting: int = 0
    waits_for: list[str] = field(default_factory=list)


def asked_about(study: Study) -> Callable[[str, str], str]:
    """What an answer that names a case answers: the question of that case, whatever its own record has asked.

    A case that came with nothing but key facts is known by these. Where the study knows no case at all, a column of
    that name says something else, and stays beside the answer.
    """
    has_cases = study.reader.execute("SELECT EXISTS (SELECT 1 FROM clinical_case)").fetchone()[0]
    known: dict[str, str | None] = {}

    def asked(case: str, own: str) -> str:
        if case not in known:
            known[case] = question_about(study.reader, case) or _waiting_for(study, asked_for(case))
        found = known[case]
        if found is None and has_cases and not own:
            raise ValueError(f"has no question and is about the case {case!r}, which the study does not have")
        return own if found is None else found

    return asked


def _waiting_for(study: Study, question: str) -> str | None:
    """The question, where key facts of it are there."""
    row = study.reader.execute("SELECT 1 FROM key_fact WHERE question_sha256 = ? LIMIT 1", (sha256(question),))
    return question if row.fetchone() else None


def import_facts(
    study: Study, path: Path, mapping: Mapping[str, str], added_by: str, *, suggest: bool = False
) -> ImportedFacts:
    """Import key facts; those that nobody has written on yet wait for texts. ``suggest``: as suggested facts of cases,
    which reviewers keep, edit or discard.

    Raises :class:`UserError` when none of them can be used.
    """
    store = _suggest(study, storable_text(path.name)) if suggest else _add(study, added_by)
    done = _store(study, read_facts(path, mapping), store)
    if suggest:
        done.waiting, done.waits_for = 0, []
    if done.read and not done.added + done.known:
        raise UserError(
            f"None of the {counted(done.read, 'key fact')} of {path.name} came in (line {done.bad[0].line} "
            f"{done.bad[0].reason}). A fact is found by the text of its question, by the id of its case, or by that of "
            "a response."
        )
    return done


def still_waiting(study: Study, facts: ImportedFacts) -> list[str]:
    """Sentences on the key facts that wait for texts, if there are any."""
    if not facts.waiting:
        return []
    wait = (
        f"{counted(facts.waiting, 'key fact')} of {counted(len(facts.waits_for), 'question')} will wait: no text "
        "answers them yet. Texts that answer the same question, or name the same case, are held against them: "
        f"{command('import', study.path, 'TEXTS')}"
    )
    answered = study.reader.execute("SELECT question FROM response ORDER BY ordinal LIMIT 1").fetchone()
    if answered is None:
        return [wait]
    waiting, there = (repr(one[:_SHORT]) for one in (facts.waits_for[0], answered["question"]))
    return [
        wait,
        f"The first of these questions is {waiting}; the texts answer such as {there}. If they were meant to be the "
        f"same, take the facts back with `{command('import', study.path, '--undo')}` and mend the file.",
    ]


_SHORT: Final = 80
"""Signs of a question that a message shows."""


def became_other(facts: ImportedFacts) -> list[str]:
    """A sentence on the categories that are not known, if there are any."""
    return [f"no known category, stored as other: {', '.join(facts.other)}"] if facts.other else []


def store_facts(study: Study, records: Iterable[FactRecord | BadRecord], added_by: str) -> ImportedFacts:
    """Store key facts that stand beside answers."""
    return _store(study, records, _add(study, added_by))


_Store = Callable[[str, Fact], int]
"""Stores a fact of a question; how many are new. Raises ``ValueError`` where it has no place."""


def _add(study: Study, added_by: str) -> _Store:
    return lambda question, fact: add_facts(study, question, [fact], added_by)


def _suggest(study: Study, file: str) -> _Store:
    def store(question: str, fact: Fact) -> int:
        case = case_of_question(study.reader, sha256(question))
        if case is None:
            raise ValueError("is of no case of the study, and suggested facts are: first import the cases")
        unit = suggested(case, fact.text, fact.category, "", "")
        return study.write(lambda connection: add_units(connection, [unit], file))

    return store


def _store(study: Study, records: Iterable[FactRecord | BadRecord], store: _Store) -> ImportedFacts:
    done = ImportedFacts()
    waits_for: dict[str, None] = {}
    for record in records:
        if isinstance(record, BadRecord):
            done.bad.append(record)
            continue
        done.read += 1
        category = record.category
        if category not in CATEGORIES:
            done.other = sorted({*done.other, category})
            category = "other"
        try:
            question = _question_of(study, record)
            added = store(question, Fact(record.fact, category))
        except ValueError as error:
            done.bad.append(BadRecord(record.line, str(error)))
            continue
        done.added += added
        done.known += 1 - added
        if not study.reader.execute("SELECT 1 FROM response WHERE question = ? LIMIT 1", (question,)).fetchone():
            done.waiting += 1
            waits_for[question] = None
    done.waits_for = list(waits_for)
    return done


def _question_of(study: Study, record: FactRecord) -> str:
    """The question of a key fact: as given, that of its case, or that of the response with an id.

    Raises ``ValueError`` when no response of the study has the id, or responses to several questions have it.
    """
    if record.case and (about := question_about(study.reader, record.case)) is not None:
        return about
    if record.question or record.case:
        return record.question or asked_for(record.case)
    found = study.reader.execute(
        "SELECT DISTINCT question FROM response WHERE record_id = ?1 OR response_id = ?1", (record.response,)
    ).fetchall()
    if len(found) != 1:
        several = f"responses to several questions have the id {record.response!r}"
        raise ValueError(several if found else f"no response has the id {record.response!r}")
    return str(found[0]["question"])
