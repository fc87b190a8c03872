"""The figures of a study: agreement, support and citations, each estimate with interval, n and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from medreview.api.opened import OpenedFile, Place
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.labels import Mode
    from medreview.stats.citation_kpis import CitationReport
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.stats.reports.audit_report import AuditReport
    from medreview.stats.reports.comparison import Comparison
    from medreview.stats.reports.study_support import SupportReport
    from medreview.stats.study_figures import StudyFigures
    from medreview.stats.units.fact_report import Juries
    from medreview.stats.units.unit_division import UnitBy
    from medreview.stats.units.unit_figures import UnitFigures
    from medreview.stats.url_analysis import UrlReport


Between = Literal["reviewers_and_judges", "judges", "reviewers"]
ScaleName = Literal["levels", "binary"]


def comparisons(
    figures: StudyFigures, between: Between, mode: Mode | None = None, scale: ScaleName | None = None
) -> tuple[Comparison, ...]:
    """The comparisons of one kind, of one mode and on one scale, or of all of them; without those that compare nothing.

    Raises ``UserError`` for an unknown word, and for a mode between judges.
    """
    _check("agreement between", between, get_args(Between))
    _check("scale", scale, (None, *get_args(ScaleName)))
    _check("mode", mode, (None,) if between == "judges" else (None, "blind", "assisted"))
    return tuple(
        comparison
        for comparison in _all(figures, between)
        if mode in (None, comparison.mode)
        and scale in (None, comparison.scale)
        and (comparison.n or comparison.dropped)
    )


def _check(what: str, given: str | None, known: Sequence[str | None]) -> None:
    if given not in known:
        raise UserError(f"There is no {what} {given!r} here; there is {', '.join(map(repr, known))}.")


def _all(figures: StudyFigures, between: Between) -> Iterator[Comparison]:
    if between == "judges":
        yield from figures.between_judges.pairs
    elif between == "reviewers":
        yield from figures.between_reviewers
    else:
        for reviewer in figures.reviewers:
            for group in reviewer.agreement:
                for comparison in group.comparisons:
                    yield replace(comparison, cautions=(*group.cautions, *comparison.cautions))


class Figures(OpenedFile):
    """What can be counted and estimated."""

    def figures(
        self,
        reviewer: str | None = None,
        *,
        where: str = "",
        by: str | None = None,
        between: str = "model",
        pass_no: int = 1,
        resampling: Resampling | None = None,
        conduct: bool = False,
        margin: float | None = None,
        leave_out: Sequence[str] = (),
        passed: str = "",
    ) -> StudyFigures:
        """Everything that ``medreview stats`` says, for one reviewer or for all of them.

        ``where`` narrows it to a part of the study, in the words of the filters of queues (``"model=atlas-2"``);
        ``part`` then says what that means. ``by`` divides it (``"model"``, ``"domain"``, ``"run"``, ...): support and
        agreement in each part, and what sets it apart, are in ``by`` of the result. ``between``: what ``differences``
        compare besides judges, ``"run"``, ``"prompt"``, ``"version"`` or ``"extra.NAME"`` instead of models.
        ``conduct``: how everybody works, too; without it only the reviewer who is named, or whoever reviewed it here
        last. ``margin``: how much worse a judge may agree with all reviewers than one of them with the others, in kappa
        (0.1). ``leave_out``: reviewers whose labels do not count; ``passed``: the rule of checks that the others must
        pass, ``"attention"`` or a share (``"80%"``). ``provenance.left_out`` names them all. Intervals resample whole
        responses, or questions where answers share these, the same draws for all figures of a view. Raises
        ``UserError`` for a reviewer without entries in the study, for a filter that cannot be used, and for what no
        answer says.
        """
        from medreview.review.looks import shown_by
        from medreview.review.queue_filters import select_statements
        from medreview.stats.formulas.bootstrap import DEFAULT
        from medreview.stats.formulas.human_baseline import MARGIN
        from medreview.stats.study_figures import study_figures
        from medreview.units.left_out_reviewers import left_out, pass_rule

        only = select_statements(self._study.reader, where, reviewer, pass_no)
        self._looked("figures", shown_by(only))
        own = None if conduct else (reviewer,) if reviewer else self._reading()
        with left_out(self._study.reader, leave_out, pass_rule(passed) if passed else None):
            return study_figures(
                self._study.reader,
                reviewer,
                pass_no=pass_no,
                resampling=resampling or DEFAULT,
                progress=self._progress,
                only=only,
                conduct=own,
                by=by,
                between=between,
                margin=MARGIN if margin is None else margin,
            )

    def unit_figures(
        self,
        kind: str,
        reviewer: str | None = None,
        *,
        where: str = "",
        by: UnitBy | None = None,
        juries: Juries = (),
        leave_out: Sequence[str] = (),
        passed: str = "",
        resampling: Resampling | None = None,
    ) -> UnitFigures:
        """What ``medreview stats --unit`` says of one kind: ``"pair"``, ``"answer"``, ``"qa"``, ``"key_fact"``, ...

        Labels by reviewer, first blind, assisted and final ones apart. On each scale, reviewers beside each other,
        machines beside reviewers, their majority and right labels: percent agreement, Cohen's kappa (1960) and Gwet's
        AC1 (2008), of ordered labels with quadratic weights (Cohen 1968; AC2), ICC(2,1) (Shrout & Fleiss 1979) and
        Spearman's rho (1904); of several reviewers Fleiss' kappa (1971) and Krippendorff's alpha (2011); precision,
        recall and F1. ``family`` is what only this kind has: span distances and evaluators of answers as in MedHalu,
        rates of QA items and Kendall's tau (1945) of rankings as in ClinIQLink, scores of key facts as in MedFactEval.
        ``where`` narrows it to a part of the kind (``"model=atlas-2"``); ``by`` divides key facts, rankings and QA
        items by ``"model"``, ``"case"`` or ``"type"``. ``juries``: small ones by the names of their judges, set beside
        the panel of key facts. ``leave_out`` and ``passed`` as of ``figures``. Raises ``UserError`` for a kind, a
        reviewer or a judge that is not there, and for a kind that is not divided so.
        """
        from medreview.review.looks import shown_by_units, told_by_sums
        from medreview.review.queue_filters import select_units
        from medreview.stats.formulas.bootstrap import DEFAULT
        from medreview.stats.units.unit_figures import check_asked, kind_named, reviewers_named, unit_figures
        from medreview.units.left_out_reviewers import left_out, pass_rule

        named = kind_named(kind)
        who = reviewers_named(self._study.reader, reviewer)
        check_asked(named, by, where, juries)
        only = select_units(self._study.reader, named, where, reviewer)
        self._looked("figures", shown_by_units(only, by))
        with left_out(self._study.reader, leave_out, pass_rule(passed) if passed else None):
            found = unit_figures(
                self._study.reader, named, reviewers=who, resampling=resampling or DEFAULT, only=only, by=by,
                juries=juries,
            )  # fmt: skip
        if any(told_by_sums(found.given, one) for one in self._reading()):
            self._looked("figures", "labels")
        return found

    def agreement(
        self,
        between: Between = "reviewers_and_judges",
        *,
        reviewer: str | None = None,
        mode: Mode | None = None,
        scale: ScaleName | None = None,
        pass_no: int = 1,
        resampling: Resampling | None = None,
    ) -> tuple[Comparison, ...]:
        """Agreement of reviewers with judges, of ``"judges"``, or of ``"reviewers"``, each two compared on their own.

        Blind and assisted labels are never pooled, nor the random audit with what was chosen: ``mode`` and ``drawn`` of
        a comparison say which it is; between reviewers ``labels_of`` says which labels are compared. ``scale``:
        ``"levels"`` (four labels) or ``"binary"`` (supported or not). Empty where nobody has decided yet, or only one
        judge has spoken. Raises ``UserError`` as ``figures``, and for an unknown word.
        """

        return comparisons(self.figures(reviewer, pass_no=pass_no, resampling=resampling), between, mode, scale)

    def support(
        self, reviewer: str | None = None, *, pass_no: int = 1, resampling: Resampling | None = None
    ) -> tuple[SupportReport, ...]:
        """How well responses are supported by what they cite: by the judges' verdict, or by a reviewer's labels.

        URL validity, statement-level support by a source that the statement cites itself (own citations) and by any of
        its response, response-level support, unused sources, as in SourceCheckup, for the whole study and by model and
        origin: valid is status 200 with text, supported by one source or more. ``bounds`` say what missing verdicts
        could change. The judges' is one report, with all of these; a reviewer's are up to two, blind and assisted, with
        support alone.
        """
        figures = self.figures(reviewer, pass_no=pass_no, resampling=resampling)
        return (figures.support,) if reviewer is None else figures.reviewers[0].support

    def audit(
        self,
        reviewer: str | None = None,
        *,
        pass_no: int = 1,
        judge: str | None = None,
        assisted: bool = False,
        weight: float | None = None,
        points: float | None = None,
    ) -> AuditReport:
        """What the random audit says of the whole study, as ``medreview plan audit``: how much is supported, four ways.

        By the audit alone (Hajek 1971), post-stratified, prediction-powered with the verdicts of all judges together
        and of each (Angelopoulos et al. 2023: what the verdicts say of all statements, corrected by the audit), and by
        the verdicts alone, uncorrected; with what the verdicts gain in labels, and how many labels it takes for an
        interval of ``points`` (a fraction; by default those of the plan, else 0.05) to either side. ``plans`` of the
        result are those that were set; until the last one is reached, intervals say *interim* in their notes, and
        ``every_look`` holds however often it is read. Labels of one reviewer or, by default, of each and of all
        together. ``judge``: whose verdicts help first, instead of all together. ``assisted``: with the verdicts also
        where labels were given with these in sight. ``weight``: that of the verdicts (lambda), by default the best by
        the labels; 1 adds the mean difference to the mean verdict. Raises ``UserError`` for a judge that is not there.
        """
        from medreview.stats.reports.audit_report import audit_report
        from medreview.stats.reports.audit_verdicts import every_judge, led_by
        from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers

        self._looked("figures", "totals")
        reader = self._study.reader
        names = [reviewer] if reviewer else reviewers(reader)
        return audit_report(
            reader,
            {name: reviewer_labels(reader, name, pass_no) for name in names},
            led_by(every_judge(reader), judge),
            pass_no=pass_no,
            assisted=assisted,
            weight=weight,
            points=points,
        )

    def url_report(
        self, *, paywalled: Place | None = None, top: int = 5, resampling: Resampling | None = None
    ) -> UrlReport:
        """What ``medreview sources addresses`` says: validity, hosts, paywalls, country, domains, lost pages.

        ``paywalled`` is a list of your own of domains, ``top`` how many hosts to name. Raises ``UserError`` for a list
        that cannot be used.
        """
        from medreview.citations.hosts import paywalled_domains
        from medreview.stats.formulas.bootstrap import DEFAULT
        from medreview.stats.reference_verdicts import any_checked
        from medreview.stats.url_analysis import url_figures

        if any_checked(self._study.reader):
            self._looked("urls", "totals")

        return url_figures(
            self._study.reader,
            paywalled=paywalled_domains(None if paywalled is None else Path(paywalled)),
            top=top,
            resampling=resampling or DEFAULT,
            progress=self._progress,
        )

    def citation_report(
        self,
        *,
        allow: Place | None = None,
        min_with: float = 95.0,
        min_allowed: float = 90.0,
        resampling: Resampling | None = None,
    ) -> CitationReport:
        """What ``medreview citations`` says: how many responses cite, which kinds, how much is from evidence domains.

        ``allow`` is a list of domains of your own; ``min_with`` and ``min_allowed`` are the two pass criteria, in per
        cent. The pages fetched before show what became of each source. Raises ``UserError`` for a list that cannot be
        used.
        """
        from medreview.citations.allow_list import load_allow_list
        from medreview.exchange.imports.citation_answers import study_answers
        from medreview.sources.reach import stored
        from medreview.stats.citation_kpis import PassCriteria, citation_report, scored
        from medreview.stats.formulas.bootstrap import DEFAULT
        from medreview.stats.reference_verdicts import any_checked, reference_report
        from medreview.stats.reports.provenance import provenance

        if any_checked(self._study.reader):
            self._looked("citations", "totals")
        listed = load_allow_list(None if allow is None else Path(allow))
        answers = list(study_answers(self._study.reader))
        return citation_report(
            scored(answers, listed, len(answers), self._progress),
            listed,
            PassCriteria(min_with, min_allowed),
            reach=stored(self._study.reader),
            reach_from="snapshots",
            resampling=resampling or DEFAULT,
            provenance=provenance(self._study.reader, resampling or DEFAULT),
            references=reference_report(self._study.reader, resampling or DEFAULT, identified=True),
            progress=self._progress,
        )
