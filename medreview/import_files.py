"""What comes in from one file, whatever it holds: answers, judgements, a SourceCheckup table, an export, key facts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from medreview.citations.stage import extract_all
from medreview.errors import UserError
from medreview.exchange.imports.detect_format import detect_format
from medreview.exchange.imports.import_export import import_export
from medreview.exchange.imports.judgements import JudgementRecord, read_judgements
from medreview.exchange.imports.key_facts import read_facts
from medreview.exchange.imports.responses import import_responses
from medreview.exchange.imports.rows import BadRecord
from medreview.exchange.imports.sourcecheckup import import_sourcecheckup
from medreview.judges.import_judgements import store_judgements
from medreview.judges.tasks.key_facts import Fact, add_facts, question_of
from medreview.progress import Progress
from medreview.study import Study


@dataclass(slots=True)
class Imported:
    """What came in from one file: ``kind`` of content, how much of it was new, and what was left out.

    Of an export the events are counted, of a table its responses.
    """

    file: str
    kind: str
    read: int
    added: int
    known: int
    bad: list[BadRecord] = field(default_factory=list)


@dataclass(slots=True)
class Facts:
    """Key facts read from one file."""

    read: int = 0
    added: int = 0
    known: int = 0
    bad: list[BadRecord] = field(default_factory=list)


def import_file(study: Study, path: Path, mapping: Mapping[str, str], progress: Progress) -> Imported:
    """Import one file or folder, whatever it holds, and extract the citations of the new responses.

    Raises :class:`UserError` when the file cannot be used as a whole.
    """
    kind = detect_format(path, mapping)
    if kind == "judgements":
        return _judgements(study, path, mapping, progress)
    if kind == "export":
        told = import_export(study, path, progress)
        done = Imported(str(path), kind, told.read, told.added, told.known)
    elif kind == "responses":
        answers = import_responses(study, path, mapping, progress)
        done = Imported(str(path), kind, answers.read, answers.added, answers.known, answers.bad)
    else:
        done, decisions = import_table(study, path, mapping, progress)
        store_decisions(study, done, decisions, progress)
    extract_all(study, progress)
    return done


def import_table(
    study: Study, path: Path, mapping: Mapping[str, str], progress: Progress
) -> tuple[Imported, list[JudgementRecord]]:
    """Responses, citations and statements of a SourceCheckup table, and its decisions, which need the pages."""
    table = import_sourcecheckup(study, path, mapping, progress)
    extract_all(study, progress)
    return Imported(str(path), "sourcecheckup", table.read, table.added, table.known, table.bad), table.decisions


def store_decisions(study: Study, done: Imported, decisions: Iterable[JudgementRecord], progress: Progress) -> None:
    """Store the decisions of a table as judgements; those whose page is not there are left out and named."""
    stored = store_judgements(study, decisions, progress)
    done.bad = sorted([*done.bad, *(BadRecord(*left) for left in stored.bad)], key=lambda record: record.line)


def _judgements(study: Study, path: Path, mapping: Mapping[str, str], progress: Progress) -> Imported:
    if not study.reader.execute("SELECT 1 FROM statement LIMIT 1").fetchone():
        raise UserError(
            f"{path} holds judgements, but the study has no statements yet; import answers, then `fetch` and `parse`."
        )
    bad: list[BadRecord] = []

    def good() -> Iterator[JudgementRecord]:
        for record in read_judgements(path, mapping):
            if isinstance(record, BadRecord):
                bad.append(record)
            else:
                yield record

    summary = store_judgements(study, good(), progress)
    read = summary.read + len(bad)
    bad = sorted([*bad, *(BadRecord(*left) for left in summary.bad)], key=lambda record: record.line)
    return Imported(str(path), "judgements", read, summary.added, summary.known, bad)


def import_facts(study: Study, path: Path, mapping: Mapping[str, str], added_by: str) -> Facts:
    """Import key facts; those whose question nobody answered are left out and named."""
    done = Facts()
    for record in read_facts(path, mapping):
        if isinstance(record, BadRecord):
            done.bad.append(record)
            continue
        done.read += 1
        try:
            question = question_of(study, record.question, record.response)
            added = add_facts(study, question, [Fact(record.fact, record.category)], added_by)
        except ValueError as error:
            done.bad.append(BadRecord(record.line, str(error)))
            continue
        done.added += added
        done.known += 1 - added
    return done
