"""Whether what a model outside this machine would be sent holds what looks like an identifier of a patient.

Every text that came in files is looked through: questions, answers, turns, cases, notes, passages, other units. Whoever
has looked at the places says with ``check --identifiers --sent-anyway`` that these texts may go. That is an event which
names them by their hashes: a text that comes later, or another version of one, stops the next command."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.errors import UserError
from medreview.llm.identifiers import PatientIdentifier, identifiers
from medreview.llm.settings import JudgeSettings
from medreview.next_step import command
from medreview.study import Study
from medreview.study.study_acts import study_acts, write_act
from medreview.text import sha256
from medreview.units.statement_view import response_name

_TEXTS: Final = """
SELECT 'response' AS kind, ordinal AS place, 'question' AS part, question AS text FROM response
UNION ALL SELECT 'response', ordinal, 'answer', text FROM response
UNION ALL SELECT 'response', r.ordinal, 'turn ' || t.ordinal, t.text
    FROM turn AS t JOIN response AS r USING (response_id)
UNION ALL SELECT 'case', record_id, 'question', question FROM clinical_case
UNION ALL SELECT 'case', record_id, 'reference', reference FROM clinical_case
UNION ALL SELECT 'case', c.record_id, 'note ' || n.ordinal, n.text
    FROM case_note AS n JOIN clinical_case AS c USING (case_id)
UNION ALL SELECT 'passage', title, 'text', text FROM passage
UNION ALL SELECT kind, coalesce(record_id, ordinal), 'text', text FROM unit
"""
_SHOWN: Final = 3
"""Places that a refusal names; ``check --identifiers`` has all."""
_AROUND: Final = 30
"""Characters of a text that stand beside what was found in it."""


@dataclass(frozen=True)
class FoundText:
    """A text with what looks like identifiers. ``place``: ``R03, question``; ``allowed``: a person let it go."""

    place: str
    text: str
    sha256: str
    found: tuple[PatientIdentifier, ...]
    allowed: bool

    def lines(self) -> Iterator[str]:
        """Each of them: the place, what it looks like, and the words around it."""
        for kind, start, end in self.found:
            before, after = self.text[max(0, start - _AROUND) : start], self.text[end : end + _AROUND]
            yield f"{self.place}: {kind}: {' '.join(f'{before}[{self.text[start:end]}]{after}'.split())}"


def texts_with_identifiers(reader: sqlite3.Connection) -> list[FoundText]:
    """Every text of a study in which something looks like an identifier, each text once."""
    allowed = {text for act in study_acts(reader, "sent_anyway") for text in act.said["texts"]}
    found: dict[str, FoundText] = {}
    for kind, place, part, text in reader.execute(_TEXTS):
        if text and (there := tuple(identifiers(text))) and (key := sha256(text)) not in found:
            name = response_name(place) if kind == "response" else f"{kind} {place}"
            found[key] = FoundText(f"{name}, {part}", text, key, there, key in allowed)
    return list(found.values())


def kinds_of(texts: Sequence[FoundText]) -> str:
    """How many of which kind: ``date of birth (2), phone (1)``."""
    counts = Counter(one.kind for text in texts for one in text.found)
    return ", ".join(f"{kind} ({count})" for kind, count in counts.most_common())


def let_go(study: Study, reviewer: str) -> list[FoundText]:
    """Record that the texts may be sent as they are: those that nobody had let go before."""
    new = [text for text in texts_with_identifiers(study.reader) if not text.allowed]
    if new:
        write_act(study, reviewer, "sent_anyway", {"texts": [text.sha256 for text in new]})
    return new


def refuse_identifiers(study: Study, models: Sequence[JudgeSettings]) -> None:
    """Raise :class:`UserError` where one of the models is outside this machine, and a text that nobody has let go holds
    what looks like an identifier."""
    outside = [model.host for model in models if not model.is_local]
    held = [text for text in texts_with_identifiers(study.reader) if not text.allowed] if outside else []
    if not held:
        return
    lines = [line for text in held for line in text.lines()]
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    raise UserError(
        f"Nothing was sent to {', '.join(dict.fromkeys(outside))}: the texts hold what looks like identifiers of "
        f"patients, {kinds_of(held)}: {'; '.join(lines[:_SHOWN])}{more}. Take them out of the file and import it into "
        f"a new study, or look at all of them with `{command('check', study.path, '--identifiers')}`, which can let "
        "them go."
    )
