"""What fills an item of a checklist: each reads what the study holds, and says nothing where it holds nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.study_page.material import Material, short_hash
from medreview.cli.reports.study_page.methods import limitations
from medreview.cli.reports.study_page.methods_paragraph import AGREEMENT, paragraphs, statistic_words
from medreview.cli.reports.study_page.table_one import days, value_words
from medreview.labels import OWN, label_words
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.stats.formulas.estimate import Estimate, FigureRow, figure_rows, half_up, number, show
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS
from medreview.stats.units.kind_labels import FINAL
from medreview.stats.units.own_axis_figures import OwnAxisFigures
from medreview.study.ids import STATEMENT
from medreview.study.study_acts import DECLARED
from medreview.text import counted, in_words
from medreview.units.registry import KINDS


@dataclass(frozen=True, slots=True)
class Filled:
    """What the study says, and the section of the report that has it (``""``: none)."""

    text: str
    anchor: str = ""


Filler = Callable[[Material], Filled | None]
_MOST: Final = 6
"""Parts that are named where there are many; the text says how many more there are."""


def filled(parts: Iterable[str], anchor: str) -> Filled | None:
    """The parts as one text, of many the first; ``None`` where there are no parts."""
    told = list(parts)
    if len(told) > _MOST + 1:
        told[_MOST:] = [f"{len(told) - _MOST:,} more"]
    return Filled("; ".join(told), anchor) if told else None


def _models(material: Material) -> Filled | None:
    if material.asked is not None and material.asked.whole.answers:
        models = material.asked.models
        return filled((f"{given(one.model)} ({counted(one.answers, 'answer')})" for one in models), "table-1")
    made = dict.fromkeys(f"{one_line(one.generator)} by {given(one.model)}" for one in material.figures.generated)
    return filled(made, "figures")


def _detail(detail: str, material: Material) -> Filled | None:
    """What the records of the answers say of one thing, by model where these differ."""
    if material.asked is None:
        return None
    told = {given(one.model): value_words(dict(one.details.get(detail, {})), one.answers) for one in
            material.asked.models}  # fmt: skip
    told = {model: words for model, words in told.items() if words}
    if detail == "parameters":
        for run in material.asked.made_here:
            words = ", ".join(f"{name} {value}" for name, value in run.params.items())
            told |= {given(run.model): one_line(words)} if words else {}
    if len(told) == len(material.asked.models) and len(set(told.values())) == 1:
        return Filled(next(iter(told.values())), "table-1")
    return filled((f"{model}: {words}" for model, words in told.items()), "table-1")


def _query_dates(material: Material) -> Filled | None:
    told = days(material.asked.whole) if material.asked is not None else ""
    return Filled(told, "table-1") if told else None


def _runs(material: Material) -> Filled | None:
    if material.asked is None or not material.asked.whole.answers:
        return None
    fewest, most = material.asked.whole.fewest_runs, material.asked.whole.most_runs
    many = counted(fewest, "answer") if fewest == most else f"{fewest:,} to {most:,} answers"
    return Filled(f"{many} of a model to each question that it was asked", "table-1")


def _prompts(material: Material) -> Filled | None:
    record = material.asked
    if record is None or not record.whole.answers:
        return None
    told = [f"the {counted(record.whole.questions, 'question')} as put, in the study and its export"]
    named = dict.fromkeys(prompt for run in record.made_here for prompt in run.prompts)
    told += [f"written from here by the prompts {', '.join(map(one_line, named))}"] if named else []
    return filled(told, "table-1")


def _sessions(material: Material) -> Filled | None:
    earlier = material.asked.whole.earlier_turns if material.asked is not None else 0
    if earlier and material.asked is not None:
        of = counted(material.asked.whole.answers, "answer")
        return Filled(f"{earlier:,} of {of} have earlier turns on record", "table-1")
    return _detail("session", material)


def _outputs(material: Material) -> Filled | None:
    if material.asked is None or not material.asked.whole.answers:
        return None
    return Filled(f"all {counted(material.asked.whole.answers, 'answer')}, in the study and its export", "table-1")


def _origins(material: Material) -> Filled | None:
    if material.asked is None:
        return None
    return filled((f"{one_line(name)} ({count:,})" for name, count in material.asked.origins.items()), "table-1")


def _composition(material: Material) -> Filled | None:
    told = []
    if material.asked is not None and material.asked.whole.answers:
        whole = material.asked.whole
        told.append(f"{counted(whole.answers, 'answer')} to {counted(whole.questions, 'question')}")
    told += [counted(material.figures.statements, "statement")] if material.figures.statements else []
    told += [counted(one.units, one.noun, one.title) for one in material.figures.headlines]
    return filled(told, "table-1" if material.asked is not None and material.asked.whole.answers else "provenance")


def _splitting(material: Material) -> Filled | None:
    found = material.figures.flow
    if not found.statements.made:
        return None
    left = f", {found.responses.parts_left_out:,} parts left out as no claims" if found.responses.parts_left_out else ""
    made = f"answers cut into {counted(found.statements.made, 'statement')}{left}"
    return Filled(f"{made}; {found.statements.edited or 'none'} edited by reviewers", "reviewed")


def _missing(material: Material) -> Filled | None:
    kinds, pages = material.figures.kinds.all, material.record.pages
    unread = sum(count for state, count in pages.items() if state not in HOLDS_SOURCE)
    told = [f"{_none_or(kinds.empty + kinds.incomplete, 'answer')} empty or cut off"] if kinds.responses else []
    if pages and material.figures.statements:
        told.append(f"{unread or 'none'} of {counted(sum(pages.values()), 'cited source')} not read as a full page")
    return filled(told, "reviewed")


def _none_or(count: int, noun: str) -> str:
    return counted(count, noun) if count else f"no {noun}"


def _flow(material: Material) -> Filled | None:
    if not material.figures.statements:
        return None
    found = material.figures.flow
    told = f"{counted(found.responses.in_study, 'answer')}, {counted(found.statements.in_study, 'statement')}"
    return Filled(f"{told}, and the labels of {counted(len(found.labels), 'reviewer')}, as a diagram", "reviewed")


def _asked(material: Material) -> Filled | None:
    told = []
    if material.figures.statements:
        told.append("whether the text of a cited source supports each statement of an answer")
    told += [f"of each {kind.noun}: “{KINDS[kind.kind].about}”" for kind in material.figures.headlines if kind.raters]
    return filled(told, "methods")


def _guidelines(material: Material) -> Filled | None:
    return Filled(f"guidelines: {material.guidelines}", "reviewed") if _reviewers(material) else None


def _people(material: Material) -> dict[str, int]:
    """Labels of each person, of all kinds."""
    found: Counter[str] = Counter()
    for who, count in material.figures.given:
        found[who] += count
    return dict(found)


def _reviewers(material: Material) -> Filled | None:
    people = _people(material)
    named = ", ".join(f"{one_line(who)} ({counted(count, 'label')})" for who, count in people.items())
    return Filled(f"{len(people):,}: {named}", "reviewed") if people else None


def _backgrounds(material: Material) -> Filled | None:
    people = _people(material)
    told = [f"{one_line(who)}: {one_line(line)}" for who, line in material.backgrounds if line and who in people]
    return filled(told, "reviewed")


def _labelled(material: Material) -> Filled | None:
    told = []
    for one in material.figures.reviewers:
        groups = [f"{group.labels:,} {group.title}" for group in one.agreement]
        told += [f"{one_line(one.reviewer)}: {', '.join(groups)}"] if groups else []
    for kind in material.figures.headlines:
        told += [
            f"{one_line(who.rater)}: {counted(who.labels, 'label')} on {kind.title}, {who.blind or 'none'} blind"
            for who in kind.people
            if who.labels
        ]
    return filled(told, "methods")


def _judges(material: Material) -> Filled | None:
    told: dict[str, None] = {}
    for run in material.record.runs:
        if run.kind != "offline":
            model = [one_line(run.model)] if run.model not in ("", run.judge) else []
            prompt = [f"prompt {one_line(run.prompt_id)} {short_hash(run.prompt_sha256)}"] if run.prompt_sha256 else []
            words = ", ".join([*model, *prompt])
            told[one_line(run.judge) + (f" ({words})" if words else "")] = None
    return filled(told, "reviewed")


def _seen(part: str, words: str, material: Material) -> Filled | None:
    """How often something had been seen before the first decision on a statement."""
    told = [
        f"{one_line(one.reviewer)}: {words} before {one.before or 'none'} of {counted(one.known, 'first decision')}"
        for one in material.record.exposure
        if one.part == part and one.known
    ]
    return filled(told, "reviewed")


def _blind_to_judges(material: Material) -> Filled | None:
    """Of statements what is on record of each label, of other units in which mode labels were given; of those that came
    with a file nothing is known."""
    of_statements = _seen("judge_verdict", "the judges' verdict was seen", material)
    modes: dict[tuple[str, str], Counter[str]] = {}
    for one in material.record.labels:
        if one.kind != STATEMENT and one.queue != "imported":
            modes.setdefault((one.reviewer, KINDS[one.kind].title), Counter())[one.mode] += one.labels
    told = [] if of_statements is None else [of_statements.text]
    told += [
        f"{one_line(who)}: {counts['blind'] or 'none'} of {counted(counts.total(), 'label')} on {title} blind to judges"
        for (who, title), counts in modes.items()
    ]
    return filled(told, "reviewed")


def _size(material: Material) -> Filled | None:
    people = _people(material)
    found = _composition(material)
    if found is None or not people:
        return found
    return Filled(f"{found.text}; {counted(len(people), 'reviewer')}", found.anchor)


def _sampling(material: Material) -> Filled | None:
    strata = material.figures.audit.strata
    drawn = sum(one.members for one in strata)
    if not drawn:
        return None
    of = counted(material.figures.statements, "statement")
    by = f", in {counted(len(strata), 'stratum', 'strata')}" if len(strata) > 1 else ""
    return Filled(f"{drawn:,} of {of} drawn at random by permanent random numbers{by}", "reviewed")


def _second_pass(material: Material) -> Filled | None:
    told = [
        f"{one_line(one.reviewer)} labelled {sum(map(sum, pair.table)):,} twice, {pair.same:,} alike"
        for one in material.figures.conduct
        for pair in one.intra_rater
        if pair.table
    ]
    return filled(told, "pace")


def _cost(material: Material) -> Filled | None:
    if not material.spent:
        return None
    calls, cost = sum(one.calls for one in material.spent), sum(one.cost or 0.0 for one in material.spent)
    unpriced = sum(one.unpriced for one in material.spent)
    priced = f"cost {half_up(cost, 4)}" + (f", of {unpriced:,} answers not known" if unpriced else "")
    return Filled(f"{counted(calls, 'call')} of models from here, {priced}; time of each", "cost")


def _limitations(material: Material) -> Filled | None:
    told = sum(1 for _ in limitations(material))
    return Filled(f"{counted(told, 'limitation')} found in the data", "limitations") if told else None


def _details(material: Material) -> Filled | None:
    if not _people(material) and not material.record.runs:
        return None
    return Filled("every figure with its table of counts; the labels in the export", "figures")


def _declared(field: str, material: Material) -> Filled | None:
    return next((Filled(one_line(one.text), "declared") for one in material.declared if one.field == field), None)


_HARM: Final = f"{OWN}harm"
"""The axis on harm that comes with medreview."""
_KAPPAS: Final = ("Cohen's kappa", "Cohen's kappa (quadratic weights)")


def _rows(material: Material) -> list[FigureRow]:
    return [one for one in figure_rows(material.figures) if one.value is not None]


def _statistics(material: Material) -> Filled | None:
    rows = _rows(material)
    # A difference has the names of its sides behind a comma: the statistic itself is named by its own rows.
    names = [one.statistic for one in rows if one.statistic.startswith(AGREEMENT) and ", " not in one.statistic]
    methods = dict.fromkeys(one.method for one in rows if one.low is not None)
    if not methods or not any(True for _ in paragraphs(material)):
        return None
    told = [f"agreement by {statistic_words(names)}"] if names else []
    return filled([*told, f"95% intervals by {'; '.join(methods)}"], "methods")


def _performance(material: Material) -> Filled | None:
    """What leads: shares by people, then by judges where no person labelled the same."""
    told = []
    for one in material.figures.reviewers:
        figures = () if one.own is None else (one.own.cited, one.own.any_source, one.own.responses)
        told += [f"{figure.name}, by {one_line(one.reviewer)}: {show(figure)}" for figure in figures if _known(figure)]
    for audit in material.figures.audit.figures[-1:]:
        if _known(audit.leading):
            words = f"supported in the whole study, by the audit: {show(audit.leading)}"
            told.append(f"{words}, interim" if audit.standing.state == "interim" else words)
    if not told and material.figures.statements and not material.figures.support.by_rules:
        by_judges = [figure for one in material.figures.support.strata[:1] for figure in one.clustered]
        told += [f"{figure.name}, by the judges: {show(figure)}" for figure in by_judges if _known(figure)]
    for kind in material.figures.headlines:
        raters = kind.people or tuple(one for one in kind.raters if not one.rules)
        told += [
            f"{kind.title}, {kind.words}, by {one_line(one.rater)}: {show(one.share)}"
            for one in raters
            if _known(one.share)
        ]
    return filled(told, "plots")


def _known(figure: Estimate) -> bool:
    return figure.value is not None


def _measures(material: Material) -> Filled | None:
    told = dict.fromkeys(
        figure.name for one in material.figures.support.strata[:1] for figure in one.clustered if figure.n
    )
    told |= dict.fromkeys(f"{kind.title}: share {kind.words}" for kind in material.figures.headlines if kind.raters)
    return filled(told if material.figures.statements or material.figures.headlines else (), "plots")


def _deviations(material: Material) -> Filled | None:
    told = []
    for one in material.figures.reviewers:
        counts: Counter[str] = Counter()
        for group in one.agreement:
            levels = [each for each in group.comparisons if each.scale == LEVELS.name]
            most = max(levels, key=lambda each: each.n, default=None)
            counts.update({} if most is None else {k: n for k, n in most.first_counts.items() if k != "supported"})
        words = ", ".join(f"{label_words('evidence', label)} {n:,}" for label, n in counts.items() if n)
        told += [f"{one_line(one.reviewer)}: {words}"] if words else []
    if material.answers:
        spans = sum(len(one.spans) for one in material.answers)
        told.append(f"{counted(spans, 'span')} marked in {counted(len(material.answers), 'answer')}, with their types")
    if material.facts is not None and any(one.themes for one in material.facts.themes):
        told.append("themes in omitted and contradicted facts")
    anchor = "answers" if material.answers else "fact-themes" if material.facts is not None else "figures"
    return filled(told, anchor)


def _between_reviewers(material: Material) -> Filled | None:
    return _kappas(material, ("between_reviewers", ".between["))


def _agreement(material: Material) -> Filled | None:
    wanted = ("between_reviewers", ".between[", ".against_panel[", ".agreement[", ".machines[", "between_judges.pairs")
    return _kappas(material, wanted)


def _kappas(material: Material, wanted: tuple[str, ...]) -> Filled | None:
    """Cohen's kappa of each two with its interval, in the order of the places ``wanted``; of four labels on two, of
    steps with quadratic weights."""
    titles = {one.axis: one.title for one in material.figures.own_axes} | {BINARY.name: BINARY.title}
    told: dict[str, None] = {}
    rows = [one for one in _rows(material) if one.statistic in _KAPPAS and one.method != "Wilson"]
    for row in (row for part in wanted for row in rows if part in row.path):
        context = dict(word.split("=", 1) for word in row.context.split("; ") if "=" in word)
        scale = context.get("scale", context.get("task", ""))
        if scale == LEVELS.name:
            continue
        first = context.get("first", context.get("reviewer", "the panel"))
        second = context.get("second", context.get("rater", ""))
        ends = "" if row.low is None or row.high is None else f" ({half_up(row.low, 2)} to {half_up(row.high, 2)})"
        kappa = number(row.value or 0.0, "coefficient", 2)
        what = one_line(titles.get(scale, in_words(scale)))
        told[f"{one_line(first)} and {one_line(second)}, {what}: kappa {kappa}{ends}"] = None
    return filled(told, "figures")


def _comparisons(material: Material) -> Filled | None:
    told = [
        f"{one_line(one.first)} minus {one_line(one.second)}, {one.statistic}: {show(one.estimate)}"
        for family in material.figures.differences
        for one in family.differences
        if _known(one.estimate)
    ]
    return filled(told, "plots")


def _twice(material: Material) -> Filled | None:
    told = [f"{one.n:,} statements by {one_line(one.first)} and {one_line(one.second)}" for one in
            material.figures.between_reviewers[:1] if one.n]  # fmt: skip
    told += [
        f"{axis.adjudication.twice:,} of {counted(unit.units, unit.noun, unit.title)}"
        for unit in material.figures.units
        for axis in unit.axes[:1]
        if axis.adjudication.twice
    ]
    return filled(told, "figures")


def _own_axes(material: Material) -> Filled | None:
    told = [
        f"{one_line(one.title)} ({', '.join(map(in_words, one.levels))}), labelled on {counted(one.labelled, one.noun)}"
        for one in material.figures.own_axes
        if one.labelled
    ]
    return filled(told, "own-labels")


def _harm(material: Material) -> Filled | None:
    every = [one for one in material.figures.own_axes if one.axis == _HARM]
    return filled((words for one in every for words in _levels_given(one)), "own-labels")


def _levels_given(axis: OwnAxisFigures) -> Iterator[str]:
    for each in axis.labels:
        if each.which == FINAL and each.units:
            levels = ", ".join(
                f"{in_words(level)} {each.levels[level]:,}" for level in axis.levels if each.levels.get(level)
            )
            on = counted(each.units, axis.noun)
            yield f"{one_line(axis.title)}, by {one_line(each.reviewer)} on {on}: {levels}"


def _uncertainty(material: Material) -> Filled | None:
    """What intervals take as what varies: where answers share questions, the questions."""
    figures = material.figures
    if not figures.statements or not any(one.low is not None for one in figure_rows(figures.support)):
        return None
    cluster = figures.resampling.cluster
    alike = "answers to one question" if cluster == "question" else "statements of one answer"
    return Filled(f"intervals take the {cluster} as what was sampled, since {alike} vary together", "methods")


def _plan(material: Material) -> Filled | None:
    """The plan of the audit, each that was in force before, and how far it is."""
    plans = material.figures.audit.plans
    told = [f"the audit was to end at {plan_words(one)}" for one in plans[-1:]]
    told += [one.standing.short for one in material.figures.audit.figures[-1:] if plans]
    told += [f"before that: {plan_words(one)}" for one in reversed(plans[:-1])]
    return filled(map(one_line, told), "methods")


def _looks(material: Material) -> Filled | None:
    """What intervals of the audit are worth when they were looked at."""
    told = [one.standing.short for one in material.figures.audit.figures[-1:] if _known(one.leading)]
    return Filled(f"intervals of the audit: {one_line(told[0])}", "methods") if told else None


def _repeats(material: Material) -> Filled | None:
    trust = material.figures.trust
    told = [
        f"{one_line(one.judge)}, asked {one.runs:,} times by the same prompt: alike in {show(one.same)}"
        for one in ([] if trust is None else trust.repeats)
        if _known(one.same)
    ]
    return filled(told, "figures")


def _calibration(material: Material) -> Filled | None:
    trust = material.figures.trust
    told = [
        f"confidence of {one_line(one.judge)}: {show(one.calibration.error)} from the share that is right"
        for one in ([] if trust is None else trust.errors)
        if one.calibration is not None and _known(one.calibration.error)
    ]
    return filled(told, "figures")


FILLERS: Final[Mapping[str, tuple[str, Filler]]] = {
    "models": ("names of models", _models),
    "version": ("versions", partial(_detail, "version")),
    "maker": ("makers", partial(_detail, "maker")),
    "cutoff": ("end of the training data", partial(_detail, "training cut-off")),
    "parameters": ("parameters", partial(_detail, "parameters")),
    "interface": ("way of access", partial(_detail, "interface")),
    "web_access": ("access to the web", partial(_detail, "web access")),
    "system_prompt": ("system prompt", partial(_detail, "system prompt")),
    "languages": ("language of the prompts", partial(_detail, "language")),
    "location": ("places", partial(_detail, "location")),
    "query_dates": ("days of the queries", _query_dates),
    "runs": ("repeated queries", _runs),
    "prompts": ("prompts", _prompts),
    "sessions": ("sessions", _sessions),
    "outputs": ("answers", _outputs),
    "origins": ("origin of the questions", _origins),
    "composition": ("numbers", _composition),
    "splitting": ("how texts were cut", _splitting),
    "missing": ("what was missing", _missing),
    "flow": ("flow", _flow),
    "asked": ("what was asked of those who assess", _asked),
    "guidelines": ("guidelines", _guidelines),
    "reviewers": ("number of people", _reviewers),
    "backgrounds": ("who they are", _backgrounds),
    "labelled": ("labels", _labelled),
    "judges": ("models that judged", _judges),
    "blind_to_model": ("whether the model was known", partial(_seen, "model_name", "the model's name was seen")),
    "blind_to_judges": ("blinding", _blind_to_judges),
    "independence": ("independence", partial(_seen, "other_reviewer", "another reviewer's label was seen")),
    "size": ("numbers", _size),
    "sampling": ("sampling", _sampling),
    "second_pass": ("repeated ratings", _second_pass),
    "statistics": ("statistical methods", _statistics),
    "uncertainty": ("what varies", _uncertainty),
    "measures": ("measures", _measures),
    "own_axes": ("further axes", _own_axes),
    "performance": ("performance", _performance),
    "deviations": ("kinds of error", _deviations),
    "harm": ("harm", _harm),
    "agreement": ("agreement", _agreement),
    "between_reviewers": ("agreement of reviewers", _between_reviewers),
    "comparisons": ("comparisons", _comparisons),
    "twice": ("how much was labelled by two", _twice),
    "plan": ("when the sample was to end", _plan),
    "looks": ("looks before the end", _looks),
    "repeats": ("how alike repeated verdicts are", _repeats),
    "calibration": ("calibration", _calibration),
    "cost": ("computing", _cost),
    "limitations": ("limitations", _limitations),
    "details": ("detailed results", _details),
    **{field.name: (field.title.lower(), partial(_declared, field.name)) for field in DECLARED},
}
"""By the name that files of checklists use: what it is in words, where it is missing; and what fills it."""
