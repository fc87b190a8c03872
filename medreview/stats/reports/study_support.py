"""Support and URL validity of a study (SourceCheckup), by the judges' verdict and by a reviewer's labels.

``response_report`` counts the responses that cite no source, and those that are invalid, by model.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from medreview.judges.rollup import on_sources, tally
from medreview.labels import TieRule
from medreview.statements.own_citations import OwnCitations
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate, estimate_named
from medreview.stats.formulas.intervals import share_of
from medreview.stats.formulas.support import Bounds, ResponseSupport, support_metrics
from medreview.stats.reports.reviewer_labels import OFFLINE_IS_TRIAGE, ReviewerLabel
from medreview.stats.reports.study_reader import JudgedResponse, JudgedStatement
from medreview.text import counted, in_words

MOST_STRATA: Final = 12
"""Models or origins shown, the largest first: a file may name a new origin on every line."""

_BY_JUDGES: Final = ("url_validity", "own_support", "statement_support", "response_support", "unused_source_share")
_BY_REVIEWER: Final = ("statement_support", "response_support")
_WHOLE: Final = ("", "")
_SUPPORTED: Final = {"supported": True, "partial": False, "contradicted": False, "not_addressed": False}


@dataclass(frozen=True)
class SupportFigures:
    """The shares of one stratum: each clustered, and by Wilson with items taken as independent.

    ``split`` is ``""`` (the whole study), ``"model"`` or ``"origin"``, ``stratum`` its value. ``responses`` have
    statements; those ``without_statements`` and the ``invalid`` ones are counted apart, and the latter are responses
    that are not supported. ``bounds``: what missing verdicts could make of each share but that of valid URLs.
    """

    split: str
    stratum: str
    responses: int
    without_statements: int
    invalid: int
    clustered: tuple[Estimate, ...]
    wilson: tuple[Estimate, ...]
    bounds: tuple[Bounds, ...]

    def estimate(self, name: str) -> Estimate:
        """The clustered estimate of this name (``"statement-level support"``); ``KeyError`` names those there are."""
        return estimate_named(self.clustered, name)


@dataclass(frozen=True)
class SupportReport:
    """Support as one party sees it: ``by`` names it; ``by_rules``: nobody but the offline judge spoke, which compares
    words and gives no verdict. ``omitted`` counts strata beyond the largest.

    The first of ``strata`` is the whole study; models and origins follow where there are several.
    """

    by: str
    strata: tuple[SupportFigures, ...]
    omitted: Mapping[str, int]
    cautions: tuple[str, ...]
    by_rules: bool = False


def largest_strata(
    members: Mapping[tuple[str, str], Sequence[object]],
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """The whole study (``("", "")``), and its models and origins where there are several, the largest first; by split
    how many are beyond :data:`MOST_STRATA`. ``members``: what is in each (split, value)."""
    chosen, omitted = [at for at in members if not at[0]], {}
    for split in ("model", "origin"):
        strata = sorted((at for at in members if at[0] == split), key=lambda at: (-len(members[at]), at))
        chosen += strata[:MOST_STRATA] if len(strata) > 1 else []
        if len(strata) > MOST_STRATA:
            omitted[split] = len(strata) - MOST_STRATA
    return chosen, omitted


@dataclass(slots=True)
class _Strata:
    split: bool
    members: dict[tuple[str, str], list[ResponseSupport]] = field(default_factory=dict)

    def add(self, case: JudgedResponse, support: ResponseSupport) -> None:
        parts = (("model", case.model), ("origin", case.origin)) if self.split else ()
        for stratum in (_WHOLE, *parts):
            self.members.setdefault(stratum, []).append(support)

    def report(self, by: str, keys: Sequence[str], cautions: Sequence[str], resampling: Resampling) -> SupportReport:
        chosen, omitted = largest_strata(self.members)
        figures = tuple(self._figures(stratum, keys, resampling) for stratum in chosen)
        return SupportReport(by, figures, omitted, tuple(cautions))

    def _figures(self, stratum: tuple[str, str], keys: Sequence[str], resampling: Resampling) -> SupportFigures:
        found = support_metrics(self.members[stratum], resampling)
        return SupportFigures(
            split=stratum[0],
            stratum=stratum[1],
            responses=found.responses,
            without_statements=found.without_statements,
            invalid=found.invalid,
            clustered=tuple(found.figures[key] for key in keys),
            wilson=tuple(found.wilson[key] for key in keys),
            bounds=tuple(found.bounds[key] for key in keys if key in found.bounds),
        )


class JudgedSupport:
    """Support by the judges' rolled-up verdict; fed response by response.

    ``tie`` is the rule of the roll-up; ``own`` says what each statement cites itself; ``split``: by model and origin,
    too.
    """

    def __init__(self, tie: TieRule, own: Mapping[str, OwnCitations], *, split: bool) -> None:
        self._tie: TieRule = tie
        self._own = own
        self._strata = _Strata(split)
        self._states: Counter[str] = Counter()
        self._judged = self._by_rules = self._alone = self._citing = 0

    def add(self, case: JudgedResponse) -> ResponseSupport:
        """Take up one response, and give what is counted of it. A source not asked for is neither valid nor invalid."""
        if case.invalid:
            nothing = _no_response(case)
            self._strata.add(case, nothing)
            return nothing
        valid = {source: None if page is None else page.valid for source, page in case.sources.items()}
        states = (page.state for page in case.sources.values() if page is not None and page.valid)
        self._states.update(state for state in states if state != "ok")
        for statement in case.statements:
            if statement.together is not None:
                self._judged += 1
                self._by_rules += statement.together.offline
        rows = []
        for statement in case.statements:
            supports = statement.by_source(self._tie)
            rows.append([False if valid[source] is False else supports.get(source) for source in valid])
        verdicts = [verdict_of(statement, case) for statement in case.statements]
        own = [self._own[statement.statement_id].sources for statement in case.statements]
        by_own = [
            _verdict_on(statement, case, sources, self._tie)
            for statement, sources in zip(case.statements, own, strict=True)
            if sources
        ]
        self._alone += own.count(())
        self._citing += len(by_own)
        # Of a text that nobody split into statements it is not known which of its sources they would use.
        parted = case.parted or not case.parsed
        urls = list(valid.values())
        support = ResponseSupport(urls, rows, verdicts, by_own, parted=parted, cluster=case.cluster)
        self._strata.add(case, support)
        return support

    def report(self, resampling: Resampling) -> SupportReport:
        """The figures, and who the judges were where that is the offline judge."""
        by = "the judges' verdict"
        cautions = []
        by_rules = bool(self._judged) and self._by_rules == self._judged
        if by_rules:
            by = f"the offline judge ({OFFLINE_IS_TRIAGE})"
        elif self._by_rules:
            cautions.append(
                f"On {self._by_rules} of {counted(self._judged, 'judged statement')} only the offline judge spoke: "
                f"{OFFLINE_IS_TRIAGE}."
            )
        if self._states:
            states = ", ".join(f"{count} {in_words(state)}" for state, count in self._states.most_common())
            cautions.append(f"Valid means status 200 and text. Among the valid pages are: {states}.")
        if self._alone and self._citing:
            cites = "cites no source itself and is" if self._alone == 1 else "cite no source themselves and are"
            cautions.append(
                f"{counted(self._alone, 'statement')} {cites} not in the share that a source they cite supports."
            )
        return replace(self._strata.report(by, _BY_JUDGES, cautions, resampling), by_rules=by_rules)


class ReviewedSupport:
    """Support by a reviewer's labels, on the responses of which every statement is decided.

    A response decided wholly blind counts with its blind labels; any other with the current labels, as assisted.
    Invalid responses, on which there is nothing to decide, stand beside them once all others are decided: among the
    few that are decided so far they would weigh too much.
    """

    def __init__(self, reviewer: str, labels: Mapping[str, ReviewerLabel], *, split: bool) -> None:
        self._reviewer = reviewer
        self._labels = labels
        self._strata = {"blind": _Strata(split), "assisted": _Strata(split)}
        self._invalid: list[JudgedResponse] = []
        self._whole = self._seen = 0

    def add(self, case: JudgedResponse) -> None:
        """Take up one response, if it has statements and the reviewer decided all of them on the pages as they are."""
        if case.invalid:
            self._invalid.append(case)
            return
        labels = [self._labels.get(statement.statement_id) for statement in case.statements]
        self._seen += bool(labels)
        known = [label for label in labels if label is not None and not label.stale]
        if not known or len(known) < len(labels):
            return
        self._whole += 1
        blind = all(label.group.mode == "blind" for label in known)
        levels = [label.label if blind else label.current for label in known]
        support = ResponseSupport(
            [], [[] for _ in levels], [_SUPPORTED.get(level) for level in levels], parted=case.parted,
            cluster=case.cluster,
        )  # fmt: skip
        self._strata["blind" if blind else "assisted"].add(case, support)

    def report(self, resampling: Resampling) -> tuple[SupportReport, ...]:
        """Blind and assisted, each if there is such a response."""
        cautions = []
        if self._whole < self._seen:
            cautions.append(
                f"Every statement is decided in {self._whole} of {counted(self._seen, 'response')}; these were not "
                "drawn at random, so that the shares hold for them alone."
            )
        return tuple(
            self._of(mode, strata, cautions, resampling) for mode, strata in self._strata.items() if strata.members
        )

    def _of(self, mode: str, strata: _Strata, cautions: Sequence[str], resampling: Resampling) -> SupportReport:
        by = f"{self._reviewer}, {mode}"
        if self._invalid and len(strata.members[_WHOLE]) < self._seen:
            many = counted(len(self._invalid), "invalid response")
            missing = f"{many} not counted here: the others are not all decided so."
            return strata.report(by, _BY_REVIEWER, [*cautions, missing], resampling)
        for case in self._invalid:
            strata.add(case, _no_response(case))
        return strata.report(by, _BY_REVIEWER, cautions, resampling)


def _no_response(case: JudgedResponse) -> ResponseSupport:
    """An invalid response: nothing in it, and not supported."""
    return ResponseSupport([], [], invalid=True, cluster=case.cluster)


def verdict_of(statement: JudgedStatement, case: JudgedResponse) -> bool | None:
    """Whether the judges find it supported. Nothing to judge it against, and nothing to come: not supported."""
    if statement.together is not None:
        return statement.together.supported
    readable = any(page is None or page.valid is not False for page in case.sources.values())
    return None if statement.ballots or readable else False


def _verdict_on(statement: JudgedStatement, case: JudgedResponse, sources: Sequence[str], tie: TieRule) -> bool | None:
    """The same of some of its sources: the judges' words on these, by the rules of the roll-up."""
    ballots = on_sources(statement.ballots, sources)
    if ballots:
        return tally(ballots, tie).supported
    pages = [case.sources.get(source) for source in sources]
    return None if any(page is None or page.valid for page in pages) else False


_COUNTED: Final = """
SELECT model, response_id, invalid = 'empty' AS empty, invalid = 'incomplete' AS incomplete,
       invalid = '' AND NOT EXISTS (SELECT 1 FROM citation AS c WHERE c.response_id = r.response_id) AS sourceless
FROM response AS r WHERE cited AND {which}"""

_NAMED: Final = "r.response_id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True)
class ResponseKinds:
    """The responses of one model, or of all: ``empty`` and ``incomplete`` ones are invalid, ``sourceless`` ones are
    valid and name no source at all.

    ``without_source`` and ``invalid``: the shares of these, of all ``responses``: by Wilson, over questions where
    several of them share one.
    """

    responses: int
    empty: int
    incomplete: int
    sourceless: int
    without_source: Estimate
    invalid: Estimate


@dataclass(frozen=True)
class ResponseReport:
    """All responses whose citations were looked for, and those of each model, the one with most of them first.

    ``models_omitted`` counts those left out, the last by responses and name.
    """

    all: ResponseKinds
    by_model: dict[str, ResponseKinds]
    models_omitted: int


def response_report(
    reader: sqlite3.Connection,
    only: Collection[str] | None = None,
    clusters: Clusters | None = None,
) -> ResponseReport:
    """Count them; of ``only`` these responses, when they are named. ``clusters``: those of the study, where known."""
    which, values = ("1", ()) if only is None else (_NAMED, (json.dumps(sorted(only)),))
    rows = reader.execute(_COUNTED.format(which=which), values).fetchall()
    clusters = clusters or study_clusters(reader)
    by_model: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        by_model.setdefault(row["model"], []).append(row)
    largest = sorted(by_model, key=lambda model: (-len(by_model[model]), model))[:MOST_STRATA]
    return ResponseReport(
        all=_kinds(rows, clusters),
        by_model={model: _kinds(by_model[model], clusters) for model in largest},
        models_omitted=len(by_model) - len(largest),
    )


def kinds_of_run(reader: sqlite3.Connection, run_id: str) -> ResponseKinds:
    """The same of the responses that a run of a generator made."""
    made = "response_id IN (SELECT made FROM generation_product WHERE run_id = ? AND kind = 'response')"
    return _kinds(reader.execute(_COUNTED.format(which=made), (run_id,)).fetchall(), study_clusters(reader))


def _kinds(rows: Sequence[sqlite3.Row], clusters: Clusters) -> ResponseKinds:
    held = Counter(clusters.of[row["response_id"]] for row in rows)

    def share(name: str, *columns: str) -> Estimate:
        so = Counter(clusters.of[row["response_id"]] for row in rows if any(row[column] for column in columns))
        counts = [(so[cluster], of) for cluster, of in held.items()]
        return share_of(name, counts, nothing="There is no response.", unit=clusters.name)

    return ResponseKinds(
        responses=len(rows),
        empty=sum(row["empty"] for row in rows),
        incomplete=sum(row["incomplete"] for row in rows),
        sourceless=sum(row["sourceless"] for row in rows),
        without_source=share("responses without a source", "sourceless"),
        invalid=share("invalid responses", "empty", "incomplete"),
    )
