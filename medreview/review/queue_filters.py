"""What a queue can be narrowed by: the filters of each kind of unit, their SQL, and the values that there are."""

import shlex
import sqlite3
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.labels import FINISHES, HALLUCINATION, NONE_OF_THEM, OWN, SEVERAL, is_own
from medreview.references.verdict import VERDICTS
from medreview.review.queue_kinds import KINDS, ROWS, Mode, QueueKind
from medreview.stats.reports.answer_arms import EXTRA
from medreview.stats.reports.reviewer_labels import reviewers
from medreview.stats.reports.study_reader import EVERYTHING, Selection, UnitSelection
from medreview.study.ids import STATEMENT
from medreview.study.own_axes import own_axes
from medreview.units.registry import KINDS as UNIT_KINDS
from medreview.units.statement import STATEMENT_ASKS

_OWN_LABEL: Final = f"""
EXISTS (SELECT 1 FROM (SELECT ? AS wanted) AS w LEFT JOIN decision_current AS d
        ON d.unit = {{unit}} AND d.reviewer = ?1 AND d.pass = ?2 AND d.axis = '{{axis}}'
        WHERE instr('{SEVERAL}' || coalesce(d.label, 'open') || '{SEVERAL}', '{SEVERAL}' || w.wanted || '{SEVERAL}'))"""
"""Whether my label on an axis of the study's own says a level; ``open``: there is none."""
_TAGGED: Final = """
EXISTS (SELECT 1 FROM tag_standing AS g
        WHERE g.unit = {unit} AND g.reviewer = ?1 AND g.pass = ?2 AND g.tag = ltrim(?, '#'))"""
_TAGS: Final = "SELECT DISTINCT tag FROM tag_standing"
_MOST: Final = 5_000
"""Values of one filter that are offered."""


class Filter(NamedTuple):
    """``where``: SQL over the rows of a queue, with one value. ``values``: SQL that selects the values, or they
    themselves. ``tells``: it reveals what a blind queue hides. ``whole``: it asks of the response ``r`` alone, so that
    all of its statements fit or none. ``mine``: the value with which it asks what the reviewer did, ``*`` for any.
    ``column``: SQL for what a row has, of a filter that asks for exactly that; units can be divided by it."""

    where: str
    values: str | tuple[str, ...]
    tells: bool = False
    whole: bool = False
    mine: str = ""
    column: str = ""

    def asks_the_reviewer(self, value: str) -> bool:
        """Whether a unit fits by what the reviewer did with it."""
        return self.mine in ("*", value) if self.mine else False


def _exactly(column: str, values: str, *, tells: bool = False, whole: bool = False) -> Filter:
    """The filter that asks for one value of a column."""
    return Filter(f"{column} = ?", values, tells, whole, column=column)


DRAWN: Final = "drawn"
"""The filter of the units of a draw (``review.draws``), by its name."""


def _drawn(column: str, kind: str) -> Filter:
    return Filter(
        f"{column} IN (SELECT unit FROM drawn_unit WHERE name = ?)",
        f"SELECT name FROM draw_standing WHERE kind = '{kind}'",
    )


class FilterCompletion(NamedTuple):
    """How a line that is typed can go on: ``line`` is the whole of it then, ``shown`` the word that it ends in."""

    line: str
    shown: str


_NUMBER: Final = "'R' || printf('%02d', r.ordinal)"
_PLAIN: Final = Filter("instr(lower(s.text), lower(?)) > 0", ())
"""A plain word: it is in the text."""
_STATES: Final = ("open", "decided", "deferred")
_BADGES: Final = """SELECT DISTINCT b.value
FROM verdict, json_each('[' || replace(json_quote(badges), ' · ', '","') || ']') AS b"""
OPEN_FINDING: Final = """NOT EXISTS (SELECT 1 FROM finding_handled AS h
    WHERE h.finding_id = f.finding_id AND h.span = f.span AND h.reviewer = ?1 AND h.pass = ?2 AND h.unit IN (
        SELECT statement_id FROM statement WHERE response_id = {response} UNION ALL SELECT 'answer:' || {response}))"""
"""Which places of findings ``f`` a reviewer has neither taken over nor rejected, in any unit of the response."""

_FINDINGS: Final = (*(label.level for label in HALLUCINATION if label.level != "none"), "open")
_OF_STATEMENTS: Final[Mapping[str, Filter]] = {
    "model": _exactly("r.model", "SELECT DISTINCT model FROM response", tells=True, whole=True),
    "origin": _exactly("r.origin", "SELECT DISTINCT origin FROM response", whole=True),
    "response": Filter(f"{_NUMBER} = upper(?)", f"SELECT {_NUMBER} FROM response AS r", whole=True),
    "id": Filter("instr(lower(r.record_id), lower(?)) = 1", "SELECT DISTINCT record_id FROM response", whole=True),
    "badge": Filter("instr(v.badges, ?) > 0", _BADGES, tells=True),
    "verdict": Filter("v.verdict = ?", "SELECT DISTINCT verdict FROM verdict", tells=True),
    "merged": Filter(
        "CASE v.merged_supported WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END = ?", ("yes", "no"), tells=True
    ),
    "mine": Filter(
        "coalesce(mine.label, 'open') = ?", (*(label.level for label in STATEMENT_ASKS.levels), "open"), mine="*"
    ),
    "state": Filter("coalesce(mine.state, 'open') = ?", _STATES, mine="*"),
    "tag": Filter(_TAGGED.format(unit="s.statement_id"), _TAGS, mine="*"),
    DRAWN: _drawn("s.statement_id", STATEMENT),
    "finding": Filter(
        f"""EXISTS (SELECT 1 FROM (SELECT ? AS kind) AS w JOIN finding_statement AS f
            ON f.statement_id = s.statement_id
            WHERE f.type = w.kind OR w.kind = 'open' AND {OPEN_FINDING.format(response="s.response_id")})""",
        _FINDINGS, tells=True, mine="open",
    ),
    "reference": Filter(
        """EXISTS (SELECT 1 FROM statement_reference AS c JOIN reference_checked AS f USING (reference_id)
           WHERE c.statement_id = s.statement_id AND f.verdict = replace(?, ' ', '_'))""",
        tuple(VERDICTS), tells=True,
    ),
    "asked": Filter(
        """r.question IN (SELECT coalesce(u.text, d.unit) FROM drawn_unit AS d LEFT JOIN unit AS u ON u.unit_id = d.unit
                         WHERE d.kind IN ('asked', 'question') AND d.name = ?)""",
        "SELECT name FROM draw_standing WHERE kind IN ('asked', 'question')", whole=True,
    ),
    "finish": Filter("r.finish = replace(?, ' ', '_')", tuple(FINISHES), whole=True),
    "page": Filter(
        """EXISTS (SELECT 1 FROM citation AS c JOIN snapshot_current AS p USING (source_id)
           WHERE c.response_id = r.response_id AND p.page_state = ?)""",
        "SELECT DISTINCT page_state FROM snapshot_current", whole=True,
    ),
    "domain": Filter(
        """EXISTS (SELECT 1 FROM citation AS c JOIN source AS o USING (source_id)
           WHERE c.response_id = r.response_id AND o.domain = ?)""",
        "SELECT DISTINCT domain FROM source", whole=True,
    ),
}  # fmt: skip

_OF_ANSWERS: Final = {
    "finding": Filter(
        f"""EXISTS (SELECT 1 FROM (SELECT ? AS kind) AS w, response AS r
            WHERE r.response_id = substr(s.unit, length('answer:') + 1) AND (
                EXISTS (SELECT 1 FROM finding_current AS f
                        WHERE f.response_id = r.response_id AND NOT f.assisted AND f.type = w.kind)
                OR w.kind = 'open' AND EXISTS (SELECT 1 FROM finding_place AS f
                        WHERE f.response_id = r.response_id AND {OPEN_FINDING.format(response="r.response_id")})))""",
        _FINDINGS, tells=True,
    ),
}  # fmt: skip


_OF_REFERENCES: Final = {
    "verdict": Filter(
        """EXISTS (SELECT 1 FROM reference_checked AS f
           WHERE f.reference_id = substr(s.unit, length('reference:') + 1) AND f.verdict = replace(?, ' ', '_'))""",
        tuple(VERDICTS), tells=True,
    ),
}  # fmt: skip
_OUTPUTS: Final = "json_each((SELECT u.content FROM unit AS u WHERE u.unit_id = s.unit), '$.outputs') AS o"
_OF_RANKINGS: Final = {
    "model": Filter(
        f"EXISTS (SELECT 1 FROM {_OUTPUTS} WHERE json_extract(o.value, '$.model') = ?)",
        """SELECT DISTINCT json_extract(o.value, '$.model') FROM unit AS u, json_each(u.content, '$.outputs') AS o
           WHERE u.kind = 'ranking'""",
        tells=True,
    ),
}
_OF_KINDS: Final[Mapping[str, Mapping[str, Filter]]] = {
    "answer": _OF_ANSWERS, "reference": _OF_REFERENCES, "ranking": _OF_RANKINGS,
}  # fmt: skip
"""Further filters of some kinds of queue that reveal what machines say."""


def filters_of(kind: QueueKind) -> Mapping[str, Filter]:
    """The filters of queues of a kind, beside plain words: those of every unit, and those of its own."""
    if kind.unit == STATEMENT:
        return _OF_STATEMENTS
    unit = UNIT_KINDS[kind.unit]
    rows = f"FROM ({unit.rows}) AS s"
    return {
        "model": _exactly("s.model", f"SELECT DISTINCT s.model {rows}", tells=True),
        "origin": _exactly("s.origin", f"SELECT DISTINCT s.origin {rows}"),
        "id": Filter("instr(lower(s.record_id), lower(?)) = 1", f"SELECT DISTINCT s.record_id {rows}"),
        "mine": Filter("coalesce(mine.label, 'open') = ?", (*(label.level for label in unit.levels), "open"), mine="*"),
        "state": _OF_STATEMENTS["state"],
        "tag": Filter(_TAGGED.format(unit="s.unit"), _TAGS, mine="*"),
        **_OF_KINDS.get(unit.name, {}),
        **{name: _exactly(value, f"SELECT DISTINCT {value} {rows}") for name, value in unit.filters.items()},
        DRAWN: _drawn("s.unit", unit.name),
    }


def conditions(text: str, kind: QueueKind, mode: Mode) -> tuple[list[str], list[str]]:
    """A filter as SQL conditions over the rows of a queue, and their values.

    Raises :class:`UserError` for a word that no filter knows, and for one that would reveal what is hidden.
    """
    found, values = [], []
    for key, value, each in _read(text, kind):
        if mode == "blind" and each.tells:
            raise UserError(f"A blind queue cannot be filtered by {key}: that would show what is hidden.")
        found.append(each.where)
        values.append(value)
    return found, values


def asked(text: str, kind: QueueKind) -> list[tuple[Filter, str]]:
    """The filters that a line is made of, a plain word among them, each with its value.

    Raises :class:`UserError` as :func:`conditions`.
    """
    return [(each, value) for _, value, each in _read(text, kind)]


def _read(text: str, kind: QueueKind) -> Iterator[tuple[str, str, Filter]]:
    """Name, value and filter of each word of a line; a plain word has no name."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise UserError(f"The filter {text!r} has an open quotation mark.") from None
    filters = filters_of(kind)
    for word in words:
        key, separator, value = word.partition("=")
        known = filters.get(key) or _of_own_axis(key, kind) or (_of_record(key) if kind.unit == STATEMENT else None)
        if separator and known is None:
            names = [*filters, f"{OWN}NAME", *([f"{EXTRA}NAME"] if kind.unit == STATEMENT else [])]
            raise UserError(f"A filter cannot use {key!r}; it can use {', '.join(names)} and plain words.")
        yield (key, value, known) if separator and known else ("", word, _PLAIN)


def _of_own_axis(key: str, kind: QueueKind, levels: tuple[str, ...] = ()) -> Filter | None:
    """The filter by my label on an axis of the study's own: ``own.harm``, and of an axis with many any of them."""
    return Filter(_OWN_LABEL.format(unit=kind.column, axis=key), levels, mine="*") if is_own(key) else None


def _of_record(key: str) -> Filter | None:
    """The filter by what else the record of an answer says: ``extra.ward`` of its column ``ward``."""
    name = key.removeprefix(EXTRA)
    if name == key or not name:
        return None
    quoted = name.replace("'", "''")
    value = f"SELECT value FROM json_each(r.extra) WHERE key = '{quoted}'"
    values = f"SELECT DISTINCT value FROM response AS r, json_each(r.extra) WHERE key = '{quoted}'"
    return _exactly(f"CAST(({value}) AS TEXT)", values, tells=True, whole=True)


class FilterWords:
    """The filter words of one queue, completed while typing. In a blind queue none that reveals the judges."""

    def __init__(self, reader: sqlite3.Connection, kind: QueueKind, mode: Mode) -> None:
        self._reader = reader
        self._kind = kind
        self._mode = mode
        self._read: dict[str, list[str]] = {}

    @cached_property
    def _filters(self) -> Mapping[str, Filter]:
        every = dict(filters_of(self._kind))
        for name, axis in own_axes(self._reader, self._kind.unit).items():
            levels = (*(one.level for one in axis.levels), *([NONE_OF_THEM] if axis.many else []), "open")
            if one := _of_own_axis(name, self._kind, levels):
                every[name] = one
        if self._kind.unit == STATEMENT:
            names = self._reader.execute("SELECT DISTINCT key FROM response AS r, json_each(r.extra) ORDER BY key")
            every |= {key: one for name in names if (one := _of_record(key := f"{EXTRA}{name[0]}"))}
        return {name: one for name, one in every.items() if not (one.tells and self._mode == "blind")}

    @property
    def names(self) -> tuple[str, ...]:
        """What stands before ``=``."""
        return tuple(self._filters)

    def values(self, name: str) -> list[str]:
        """The values that a filter has in this study, in order; none for an unknown filter."""
        if name not in self._filters:
            return []
        if name not in self._read:
            values = self._filters[name].values
            self._read[name] = list(values) if isinstance(values, tuple) else self._stored(values)
        return self._read[name]

    def completions(self, line: str) -> list[FilterCompletion]:
        """How the last word of a line can go on: names of filters, or after ``name=`` its values."""
        start = _last_word(line)
        before, word = line[:start], line[start:]
        name, separator, begun = word.partition("=")
        if not separator:
            return [FilterCompletion(f"{before}{one}=", f"{one}=") for one in self.names if one.startswith(word)]
        wanted = begun.strip("'\"").lower()
        found = [value for value in self.values(name) if value.lower().startswith(wanted)]
        return [FilterCompletion(f"{before}{name}={shlex.quote(value)}", value) for value in found]

    def _stored(self, query: str) -> list[str]:
        rows = self._reader.execute(f"SELECT * FROM ({query}) LIMIT {_MOST}")
        return sorted({str(row[0]) for row in rows if row[0]})


def _last_word(line: str) -> int:
    """Where the last word of a line begins; a quotation that is open or closed belongs to its word."""
    start, quote = 0, ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign.isspace():
            start = place + 1
    return start


_EVERY: Final = next(kind for kind in KINDS if kind.name == "responses")


def select_statements(
    reader: sqlite3.Connection, text: str, reviewer: str | None = None, pass_no: int = 1
) -> Selection:
    """The statements that fit ``text`` (``"model=atlas-2 page=ok"``); everything without a word in it.

    ``reviewer``: whose labels ``mine=`` and ``state=`` ask for; not needed where one person only has reviewed. Raises
    :class:`UserError` for a word that no filter knows, for a filter that nothing fits, and where it is unclear whose
    labels are meant.
    """
    if not text.strip():
        return EVERYTHING
    found, values = conditions(text, _EVERY, "open")
    filters = asked(text, _EVERY)
    by_labels = any(each.asks_the_reviewer(value) for each, value in filters)
    who = (reviewer or _only_reviewer(reader, text)) if by_labels else ""
    where = " AND ".join(found)
    rows = reader.execute(f"SELECT s.statement_id {ROWS} WHERE {where}", (who, pass_no, *values))
    statements = frozenset(row[0] for row in rows)
    responses: frozenset[str] = frozenset()
    if all(each.whole for each, _ in filters):
        empty = f"""SELECT r.response_id FROM response AS r WHERE {where} AND NOT EXISTS (
            SELECT 1 FROM statement_standing AS s WHERE s.response_id = r.response_id)"""
        responses = frozenset(row[0] for row in reader.execute(empty, values))
    if not statements and not responses:
        raise UserError(f"Nothing in the study fits {text!r}.")
    return Selection(
        statements, text.strip(), responses, by_labels, any(each.tells and not each.whole for each, _ in filters)
    )


def select_units(reader: sqlite3.Connection, kind: str, text: str, reviewer: str | None = None) -> UnitSelection | None:
    """The units of a kind, other than the statement, that fit ``text`` (``"model=atlas-2 case=C01"``); ``None`` where
    nothing is left out.

    Of rankings ``model=`` means the outputs of that model, in every ranking that has one. ``reviewer`` and errors: as
    of :func:`select_statements`.
    """
    from medreview.review.unit_queues import UNIT_QUEUES, unit_rows  # loads every kind of unit

    if not text.strip():
        return None
    asked_of = next(one for one in UNIT_QUEUES if one.unit == kind)
    read = list(_read(text, asked_of))
    by_labels = any(each.asks_the_reviewer(value) for _, value, each in read)
    who = (reviewer or _only_reviewer(reader, text)) if by_labels else ""
    where = " AND ".join(each.where for _, _, each in read) or "1"
    query = f"SELECT s.unit {unit_rows(kind)} WHERE {where}"
    found = reader.execute(query, (who, 1, *(value for _, value, _ in read)))
    units = frozenset(row[0] for row in found)
    if not units:
        raise UserError(f"No {UNIT_KINDS[kind].noun} fits {text!r}.")
    models = frozenset(value for name, value, _ in read if name == "model" and kind == "ranking")
    tells = any(each.tells and name != "model" for name, _, each in read)
    return UnitSelection(units, text.strip(), models, tells)


def _only_reviewer(reader: sqlite3.Connection, text: str) -> str:
    names = reviewers(reader)
    if len(names) == 1:
        return names[0]
    if not names:
        raise UserError(f"The filter {text!r} asks what a reviewer did, and nobody has reviewed anything yet.")
    raise UserError(f"The filter {text!r} asks what a reviewer did: say whose labels, one of {', '.join(names)}.")
