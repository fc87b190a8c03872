"""What the references of a study turned out to be: shares of each verdict, by model and origin, never pooled.

Each reference counts with its newest check, and shares are of the references that were checked. Whole responses are
what varies: those of one response are alike. The parts of a study come from the same resamples, so that models can be
subtracted. ``OtherWorkCounter`` counts support from another work: a source supports a statement, and its page is not
the work that the response names.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal, NamedTuple, cast

import numpy as np

from medreview.labels import TieRule
from medreview.references.model import PARTLY_LISTED, NoticeKind, Standing, WorkKind, is_unanswered
from medreview.references.verdict import VERDICTS, Verdict, pages_of_other_works
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate, estimate_named
from medreview.stats.formulas.hypothesis_tests import Side, StatisticDifference, difference, with_holm
from medreview.stats.formulas.shared_draws import CountedBlock, DrawnBlock, ResponseSample, draw_together
from medreview.stats.reports.study_differences import MOST_MODELS
from medreview.stats.reports.study_reader import JudgedResponse
from medreview.stats.reports.study_support import largest_strata
from medreview.text import in_words

Works = Literal["listed", "partly_listed", "unknown"]
"""Sorts of works by what it means that nobody has one: articles, preprints and trials, nearly all of which some
authority has; what authorities have only in part, so that "not found" proves little; and what nothing tells the sort
of."""
WORKS: Final[dict[Works, str]] = {
    "listed": "articles, preprints, trials",
    "partly_listed": "guidelines, books, reports, pages",
    "unknown": "sort of work unknown",
}

# A notice beside the record of another work, or of a candidate, says nothing of the work that is named.
_FOUND: Final = """
SELECT f.response_id, r.model, r.origin, f.standing, coalesce(json_extract(f.reading, '$.kind'), 'unknown') AS kind,
       coalesce(json_array_length(f.reading, '$.identifiers'), 0) AS identifiers, f.bare_url,
       iif(f.bare_url, NULL, c.verdict) AS verdict, c.checked_at,
       iif(c.verdict IN ('match', 'mismatch'), json_extract(c.result, '$.record.notices'), NULL) AS notices,
       json_extract(c.result, '$.asked') AS asked
FROM reference_current AS f JOIN response AS r USING (response_id) LEFT JOIN reference_checked AS c USING (reference_id)
ORDER BY r.ordinal, f.ordinal"""


_CHECKED: Final = "SELECT EXISTS (SELECT 1 FROM reference_check)"


class AuthorityQuestion(NamedTuple):
    """What an authority was asked for one reference, and what came of it (``references.model.Asked``)."""

    authority: str
    by: str
    outcome: str


class FoundReference(NamedTuple):
    """A reference of a response; ``verdict`` is ``None`` and ``checked_at`` ``""`` where it was not checked.

    ``unanswered``: it was, and whoever was asked gave no answer, so that it has no verdict either.
    ``identified``: it carries an identifier. ``bare_url``: it is an address alone, with nothing to check.
    ``notices``: those beside the record of the work that it is.
    """

    response_id: str
    model: str
    origin: str
    standing: Standing
    works: Works
    identified: bool
    bare_url: bool
    verdict: Verdict | None
    unanswered: bool
    checked_at: str
    notices: tuple[NoticeKind, ...]
    asked: tuple[AuthorityQuestion, ...]


def found_references(reader: sqlite3.Connection) -> Iterator[FoundReference]:
    """Every reference of a study, by response and place."""
    for row in reader.execute(_FOUND):
        notices = json.loads(row["notices"] or "[]")
        asked = json.loads(row["asked"] or "[]")
        unanswered = is_unanswered(row["verdict"], (one["outcome"] for one in asked))
        yield FoundReference(
            response_id=row["response_id"],
            model=row["model"],
            origin=row["origin"],
            standing=row["standing"],
            works=works_of(row["kind"]),
            identified=row["identifiers"] > 0,
            bare_url=bool(row["bare_url"]),
            verdict=None if unanswered else row["verdict"],
            unanswered=unanswered,
            checked_at=row["checked_at"] or "",
            notices=tuple(dict.fromkeys(cast(NoticeKind, one["kind"]) for one in notices)),
            asked=tuple(AuthorityQuestion(one["authority"], one["by"], one["outcome"]) for one in asked),
        )


def any_checked(reader: sqlite3.Connection) -> bool:
    """Whether the rules have said anything of a reference: figures then tell what they say."""
    return bool(reader.execute(_CHECKED).fetchone()[0])


def works_of(kind: WorkKind) -> Works:
    """To which of the :data:`WORKS` a sort of work belongs."""
    return "unknown" if kind == "unknown" else "partly_listed" if kind in PARTLY_LISTED else "listed"


COMPARED: Final[tuple[Verdict, ...]] = ("match", "mismatch", "other_work", "not_found")
"""The shares in which models are compared."""

_LEVELS: Final = tuple(VERDICTS)
_WHOLE: Final = ("", "")
_ARE: Final[Mapping[Verdict, str]] = {
    "match": "as described",
    "mismatch": "described wrongly",
    "other_work": "under another work's identifier",
    "not_found": "not found",
    "ambiguous": "ambiguous",
    "not_checkable": "not checkable",
}
"""What references of a verdict are, in a sentence on all or none of them."""
_NONE_CHECKED: Final = "No reference was checked yet."
_NONE_OF_THEM: Final = "None of these references was checked."
_NOTHING: Final = "One of the two has no reference that was checked."


@dataclass(frozen=True)
class ReferenceShares:
    """What one group of references turned out to be.

    ``found`` of them are in ``responses``; ``checked`` have a verdict, ``bare_urls`` are addresses alone that describe
    nothing to check, the others are ``not_checked`` yet; of the ``unanswered`` among these services gave no answer.
    ``verdicts``: how many have each. ``shares``: those of each verdict among the checked ones, named like it.
    """

    responses: int
    found: int
    checked: int
    not_checked: int
    unanswered: int
    bare_urls: int
    verdicts: Mapping[Verdict, int]
    shares: tuple[Estimate, ...]

    def share(self, verdict: Verdict) -> Estimate:
        """The share of one verdict."""
        return estimate_named(self.shares, in_words(verdict))


@dataclass(frozen=True)
class ReferenceStratum:
    """One group of responses: the whole study (``split`` is ``""``), a model or an origin."""

    split: str
    stratum: str
    references: ReferenceShares


@dataclass(frozen=True)
class ReferencesOfWorks:
    """The references to some sorts of ``works``: ``listed`` (articles, preprints, trials), ``partly_listed``
    (guidelines, labels, books, reports, pages, data: "not found" proves little) or ``unknown``."""

    works: Works
    references: ReferenceShares


@dataclass(frozen=True)
class AskedAuthority:
    """How often an ``authority`` was asked ``by`` identifier or by citation, and what came of it; a question that
    ``failed`` proves nothing."""

    authority: str
    by: str
    asked: int
    found: int
    nothing: int
    failed: int


@dataclass(frozen=True)
class ReferenceChecking:
    """Who was asked about the references, and between which times the newest check of each was made."""

    first_at: str
    last_at: str
    asked: tuple[AskedAuthority, ...]


@dataclass(frozen=True)
class ReferenceReport:
    """Everything that figures say of references.

    The first of ``strata`` is the whole study; models and origins follow where there are several, the largest first,
    ``omitted`` counts those beyond. ``works``: by sort of work, where there are several. ``standing``: where references
    stand. ``notices``: how many references are of a work that was retracted, and so on. ``differences``: one model
    minus another in the share of a verdict, adjusted together (Holm 1979); ``models_omitted`` are not compared.
    """

    strata: tuple[ReferenceStratum, ...]
    omitted: Mapping[str, int]
    works: tuple[ReferencesOfWorks, ...]
    standing: Mapping[Standing, int]
    notices: Mapping[NoticeKind, int]
    checking: ReferenceChecking
    differences: tuple[StatisticDifference, ...]
    models_omitted: int

    @property
    def whole(self) -> ReferenceShares:
        """All references."""
        return self.strata[0].references


def reference_report(
    reader: sqlite3.Connection,
    resampling: Resampling = DEFAULT,
    *,
    split: bool = True,
    responses: Collection[str] | None = None,
    identified: bool = False,
    clusters: Clusters | None = None,
) -> ReferenceReport | None:
    """The references of a study, or of ``responses`` of it; ``None`` where none was found.

    ``split``: by model, origin and sort of work, too. ``identified``: those that carry an identifier alone.
    ``clusters``: those of the study, where they are known already.
    """
    chosen = None if responses is None else frozenset(responses)
    clusters = clusters or study_clusters(reader)
    resampling = replace(resampling, cluster=clusters.name)
    every = [
        one
        for one in found_references(reader)
        if (chosen is None or one.response_id in chosen) and (one.identified or not identified)
    ]
    if not every:
        return None
    strata, omitted = _strata(every) if split else ({_WHOLE: every}, {})
    works = _works(every) if split else {}
    models = [name for kind, name in strata if kind == "model"]
    groups = [*strata.values(), *works.values()]
    # The whole alone, so that its interval is the same however the study is divided.
    whole, *parts = (_block(group, clusters) for group in groups)
    drawn = [*draw_together([whole], resampling), *draw_together(parts, resampling)]
    figures = [_shares(group, each, resampling) for group, each in zip(groups, drawn, strict=True)]
    by_model = {name: each for (kind, name), each in zip(strata, drawn[: len(strata)], strict=True) if kind == "model"}
    compared = [name for name in models if by_model[name].units.any()]
    return ReferenceReport(
        strata=tuple(ReferenceStratum(*at, found) for at, found in zip(strata, figures, strict=False)),
        omitted=omitted,
        works=tuple(ReferencesOfWorks(at, found) for at, found in zip(works, figures[len(strata) :], strict=True)),
        standing=dict(Counter(one.standing for one in every).most_common()),
        notices=dict(Counter(notice for one in every for notice in one.notices).most_common()),
        checking=_checking(every),
        differences=_differences({name: by_model[name] for name in compared[:MOST_MODELS]}, resampling),
        models_omitted=max(0, len(compared) - MOST_MODELS) + omitted.get("model", 0),
    )


def _strata(every: Sequence[FoundReference]) -> tuple[dict[tuple[str, str], list[FoundReference]], dict[str, int]]:
    """The whole study, and its models and origins where there are several."""
    members: dict[tuple[str, str], list[FoundReference]] = {_WHOLE: list(every)}
    for one in every:
        for at in (("model", one.model), ("origin", one.origin)):
            members.setdefault(at, []).append(one)
    chosen, omitted = largest_strata(members)
    return {at: members[at] for at in chosen}, omitted


def _works(every: Sequence[FoundReference]) -> dict[Works, list[FoundReference]]:
    """By sort of work, where there is more than one."""
    found: dict[Works, list[FoundReference]] = {
        works: held for works in WORKS if (held := [one for one in every if one.works == works])
    }
    return found if len(found) > 1 else {}


def _block(references: Iterable[FoundReference], clusters: Clusters) -> CountedBlock:
    """A cell for each verdict."""
    checked = [
        (clusters.of[one.response_id], _LEVELS.index(one.verdict)) for one in references if one.verdict is not None
    ]
    cells = np.array([cell for _, cell in checked], dtype=np.int64)
    return CountedBlock([cluster for cluster, _ in checked], cells, len(_LEVELS))


def _shares(references: Sequence[FoundReference], drawn: DrawnBlock, resampling: Resampling) -> ReferenceShares:
    verdicts = Counter(one.verdict for one in references if one.verdict is not None)
    bare = sum(one.bare_url for one in references)
    missing = len(references) - bare - verdicts.total()
    units, sums = (np.column_stack((held, held.sum(axis=1))) for held in (drawn.units, drawn.sums))
    sample = ResponseSample((*_LEVELS, "checked"), units, resampling, sums=sums)
    nothing = _NONE_OF_THEM if drawn.units.size else _NONE_CHECKED
    return ReferenceShares(
        responses=len({one.response_id for one in references}),
        found=len(references),
        checked=verdicts.total(),
        not_checked=missing,
        unanswered=sum(one.unanswered for one in references),
        bare_urls=bare,
        verdicts={verdict: verdicts[verdict] for verdict in _LEVELS},
        shares=tuple(
            sample.share(in_words(verdict), verdict, "checked", undefined=nothing, whole=_ARE[verdict], dropped=missing)
            for verdict in _LEVELS
        ),
    )


def _checking(every: Sequence[FoundReference]) -> ReferenceChecking:
    at = sorted(one.checked_at for one in every if one.checked_at)
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    for one in every:
        for question in one.asked:
            outcomes.setdefault((question.authority, question.by), Counter())[question.outcome] += 1
    asked = (
        AskedAuthority(*whom, count.total(), count["found"], count["nothing"], count["failed"])
        for whom, count in outcomes.items()
    )
    return ReferenceChecking(at[0] if at else "", at[-1] if at else "", tuple(asked))


def _differences(models: Mapping[str, DrawnBlock], resampling: Resampling) -> tuple[StatisticDifference, ...]:
    """One model minus another, verdict by verdict: the responses are other ones, the resamples the same."""
    found = []
    for verdict in COMPARED:
        for first, second in combinations(models, 2):
            mine, theirs = models[first], models[second]
            here, there = np.repeat(np.eye(2), len(_LEVELS), axis=1)
            place, column = _LEVELS.index(verdict), np.eye(2 * len(_LEVELS))
            found.append(
                difference(
                    Side.share(first, column[place], here),
                    Side.share(second, column[len(_LEVELS) + place], there),
                    in_words(verdict),
                    np.hstack((mine.units, theirs.units)),
                    np.hstack((mine.sums, theirs.sums)),
                    scale="share_difference",
                    undefined=_NOTHING,
                    resampling=resampling,
                )
            )
    return with_holm(found)


_NO_REFERENCE_TO_SUPPORT: Final = (
    "No source that supports a statement has a reference of which it is known what work it is."
)


@dataclass(frozen=True)
class OtherWorkSupport:
    """Pairs of a statement and a source that supports it, by the judges' majority.

    ``share``: of the pairs whose source a checked reference names by an identifier, those in which that is another
    work's; the other supported pairs are left out, and counted. ``pairs`` of them, on ``statements``;
    ``statements_alone`` have no other source that supports them.
    """

    share: Estimate
    pairs: int
    statements: int
    statements_alone: int


class OtherWorkCounter:
    """Fed response by response; ``tie`` is the rule for even votes."""

    def __init__(self, reader: sqlite3.Connection, tie: TieRule) -> None:
        self._other = pages_of_other_works(reader)
        self._tie: TieRule = tie
        self._rows: list[tuple[int, int]] = []
        self._clusters: list[str] = []
        self._left = self._statements = self._alone = 0

    def add(self, case: JudgedResponse) -> None:
        """Take up what supports the statements of one response."""
        if not self._other:
            return
        named = other = 0
        for statement in case.statements:
            supporting = [source for source, word in statement.by_source(self._tie).items() if word]
            told = [self._other.get((case.response_id, source)) for source in supporting]
            named += len(told) - told.count(None)
            other += told.count(True)
            self._left += told.count(None)
            self._statements += True in told
            self._alone += bool(told) and told.count(True) == len(told)
        self._rows.append((other, named))
        self._clusters.append(case.cluster)

    def figures(self, resampling: Resampling) -> OtherWorkSupport | None:
        """The share, over clusters; ``None`` where no page has a reference that tells what work it is."""
        if not self._other:
            return None
        sample = ResponseSample(("other", "named"), self._rows, resampling, clusters=self._clusters)
        share = sample.share(
            "support from another work", "other", "named", undefined=_NO_REFERENCE_TO_SUPPORT,
            whole="from another work", dropped=self._left,
        )  # fmt: skip
        return OtherWorkSupport(share, sample.total("other"), self._statements, self._alone)
