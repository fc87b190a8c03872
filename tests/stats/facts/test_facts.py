"""Key facts: scores, ties, themes, small juries, one person beside a jury, cost by system; worked out by hand."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from medreview.errors import UserError
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE, answer_of, level_of
from medreview.judges.rollup import set_tie_rule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.human_baseline import MARGIN
from medreview.stats.reports.small_jury import NOT_ASKED, TIED, UNLABELLED, fact_jury_labels, small_jury
from medreview.stats.units.fact_report import TradeOff, fact_report, single_person
from medreview.study import Study
from medreview.units.held_facts import held_facts
from tests.support.fact_study import FactStudy
from tests.support.study_builder import NOW, build

FEW = Resampling(replicates=199, seed=3)
FACTS = (
    ("Warfarin was begun at 5 mg.", "management"), ("An X-ray is due in 6 weeks.", "follow_up"),
    ("It was pneumonia.", "diagnosis"),
)  # fmt: skip


@pytest.fixture
def facts(study: Study) -> FactStudy:
    """Two cases, two systems; three judges on one of them."""
    made = FactStudy(study)
    for case in ("one", "two"):
        made.case(case, *FACTS)
        for system in ("atlas", "boreal"):
            made.text(system, case)
    return made


def test_scores_are_shares_of_the_facts_that_the_majority_decided_and_the_rest_is_counted(facts):
    for judge, first, second in (("a", "YYN", "YN-"), ("b", "YNN", "YN-"), ("c", "YY!", "N  "), ("d", "YN ", "   ")):
        facts.votes(judge, "atlas-one", first)
        facts.votes(judge, "atlas-two", second)
    facts.votes("a", "atlas-one", "NNY", "contradiction")
    report = fact_report(facts.study.reader, resampling=FEW)
    atlas, boreal = report.scores
    presence, against = atlas.by_jury[PRESENCE], atlas.by_jury[CONTRADICTION]
    # One: yes 4-0, tied 2-2, no 0-2. Two: yes 2-1, no 0-2, all abstained.
    assert (presence.figure.value, presence.figure.n) == (0.5, 4)
    assert (presence.tied, presence.undecided, presence.silent, presence.not_asked) == (1, 1, 1, 0)
    assert presence.figure.dropped == 2
    assert (against.figure.value, against.not_asked) == (pytest.approx(1 / 3), 3)
    assert (atlas.cases, atlas.texts, atlas.facts, atlas.invalid) == (2, 2, 6, 0)
    assert boreal.by_jury[PRESENCE].figure.value is None
    assert boreal.by_jury[PRESENCE].not_asked == 6
    assert report.tied == {PRESENCE: 1, CONTRADICTION: 0}
    assert report.judges == ("a", "b", "c", "d")
    assert presence.figure.method == "jackknife over cases"


@pytest.mark.parametrize(
    ("rule", "value", "undecided"), [("supported", 1.0, 0), ("not_supported", 0.5, 0), ("undecided", 1.0, 1)]
)
def test_a_tie_is_counted_whatever_the_rule_makes_of_it(facts, rule, value, undecided):
    set_tie_rule(facts.study, rule)
    facts.votes("a", "atlas-one", "YY ")
    facts.votes("b", "atlas-one", "YN ")
    report = fact_report(facts.study.reader, resampling=FEW)
    score = report.scores[0].by_jury[PRESENCE]
    assert (score.figure.value, score.undecided, score.tied) == (value, undecided, 1)
    assert report.provenance.tie_rule == report.tie == rule
    assert fact_report(facts.study.reader, tie="not_supported", resampling=FEW).tie == "not_supported"


def test_a_text_that_is_not_there_says_no_fact_and_stays_in_the_share(facts):
    facts.case("three", ("A fact.", "other"))
    facts.text("atlas", "three", "  ", invalid="empty")
    for case in ("one", "two"):
        facts.votes("a", f"atlas-{case}", "YYY")
    score = fact_report(facts.study.reader, resampling=FEW).scores[0]
    assert (score.invalid, score.facts) == (1, 7)
    assert score.by_jury[PRESENCE].figure.value == pytest.approx(6 / 7)
    assert score.by_jury[CONTRADICTION].figure.value == 0


def test_the_panel_has_its_own_majority_and_blind_labels_are_never_pooled_with_assisted_ones(facts):
    facts.votes("a", "atlas-one", "YYY")
    facts.votes("b", "atlas-one", "YNY")
    facts.votes("a", "atlas-one", "NNY", "contradiction")
    facts.labels("ann", "atlas-one", "present", "present", "contradicted")
    facts.labels("bob", "atlas-one", "present", "absent", "both")
    facts.labels("cyd", "atlas-one", "present", "cannot_judge", "absent")
    facts.labels("dee", "atlas-one", "absent", "absent", "absent", mode="open")
    report = fact_report(facts.study.reader, resampling=FEW)
    assert (report.panel, report.panel_mode, report.other_labels) == (("ann", "bob", "cyd"), "blind", 3)
    words = [(report.people(one, PRESENCE), report.people(one, CONTRADICTION)) for one in report.facts.held[:3]]
    assert [(p.yes, p.no, p.abstained, p.answer, p.tied) for p, _ in words] == [
        (3, 0, 0, True, False), (1, 1, 1, None, True), (1, 2, 0, False, False),
    ]  # fmt: skip
    assert [c.answer for _, c in words] == [False, False, True]
    assert report.panel_tied == {PRESENCE: 1, CONTRADICTION: 0}
    assert report.scores[0].by_panel[PRESENCE].figure.value == 0.5
    assert report.provenance.labels == {name: {"blind": 3} for name in report.panel}
    jury, first, second, *_ = report.against_panel
    # Of the facts that both decided: present and present, absent and present.
    assert (jury.rater, jury.agreement.table, jury.agreement.dropped) == ("the jury", ((1, 0), (1, 0)), 10)
    assert (first.rater, second.rater) == ("a", "b")
    assert {one.task for one in report.against_panel} == {PRESENCE, CONTRADICTION}
    assert "All items come from one case" in jury.agreement.figures["percent_agreement"].reason


def test_assisted_labels_make_a_panel_only_where_there_are_no_others(facts):
    facts.labels("dee", "atlas-one", "absent", mode="open")
    held = held_facts(facts.study.reader)
    assert (held.panel_mode, held.people("assisted"), held.judges) == ("assisted", ("dee",), ())
    report = fact_report(facts.study.reader, resampling=FEW)
    assert (report.against_panel, report.scores[0].by_jury, report.panel) == ((), {}, ("dee",))


def test_a_level_and_its_two_answers_are_each_others_inverse():
    for level in ("present", "absent", "contradicted", "both"):
        assert level_of(answer_of(level, PRESENCE), answer_of(level, CONTRADICTION)) == level
    assert answer_of("cannot_judge", PRESENCE) is answer_of("cannot_judge", CONTRADICTION) is None


def test_themes_by_rule_have_two_facts_or_more_and_go_by_category_and_by_what_differs(facts):
    for case in ("one", "two"):
        name = f"atlas-{case}"
        facts.votes("a", name, "N  ", quote="Warfarin was begun at 3 mg.", reason="Another dose.")
        facts.votes("a", name, " N ", reason="No X-ray is named.")
    facts.votes("a", "atlas-one", "  N")
    facts.votes("a", "atlas-two", "  Y", "contradiction", quote="The text")
    report = fact_report(facts.study.reader, resampling=FEW)
    (themes, nothing), (themed, _) = report.themes, report.themed
    assert (themes.by, themes.dropped, themes.alone) == ("", 2, 2)
    assert [theme.facts for theme in themes.themes] == [2, 2]
    titles = [theme.title for theme in themes.themes]
    assert dict(zip(titles, [[one.held.text.response_id for one in failed] for failed in themed], strict=True)) == {
        "Omitted: management; numbers differ": ["atlas-one", "atlas-two"],
        "Omitted: follow-up; nothing near it is said": ["atlas-one", "atlas-two"],
    }
    assert themed[0][0].votes[0].reason == "Another dose."
    assert (nothing.themes, nothing.alone) == ((), 0)


def test_a_study_without_key_facts_has_nothing_to_report_and_facts_need_no_case(study):
    report = fact_report(study.reader, resampling=FEW)
    assert (report.facts.held, report.scores, report.panel_mode) == ((), (), "blind")
    made = FactStudy(study)
    made.case("one", *FACTS)
    made.text("atlas", "one")
    study.write(lambda connection: connection.execute("DELETE FROM case_note"))
    study.write(lambda connection: connection.execute("DELETE FROM clinical_case"))
    (case,) = held_facts(study.reader).cases
    assert (case.name, case.title, case.reference) == ("Q1", "", "")
    assert [replace(fact, key_fact_id="") for fact in case.facts] == [
        replace(fact, key_fact_id="") for fact in held_facts(study.reader).held[0].case.facts
    ]


CASES = ("c1", "c2", "c3", "c4", "c5", "c6")
LEVELS = {"Y": "present", "N": "absent", "-": "cannot_judge"}


@pytest.fixture
def panel(study: Study) -> FactStudy:
    """Six cases with two facts each, a good and a bad judge, three people."""
    made = FactStudy(study)
    for number, case in enumerate(CASES):
        made.case(case, ("First.", "other"), ("Second.", "other"))
        text, truth = made.text("atlas", case), "YN" if number % 2 else "NY"
        made.votes("good", text, truth)
        made.votes("bad", text, truth[::-1])
        made.votes("slack", text, "YY")
        for person in ("ann", "bob", "cyd"):
            made.labels(person, text, *(LEVELS[letter] for letter in truth))
    return made


def test_judges_are_chosen_by_the_majority_of_the_panel_over_cases(panel):
    labels = fact_jury_labels(panel.study.reader, PRESENCE)
    assert (labels.reviewer, labels.unit, labels.cluster) == ("the majority of 3 people", "key fact", "case")
    assert (labels.judges, len(labels.mine), len(set(labels.clusters))) == (("good", "bad", "slack"), 12, 6)
    found = small_jury(labels, [1], resampling=Resampling(replicates=199))
    (choice,) = found.choices
    assert (choice.judges, choice.held_out.value, found.group) == (("good",), 1.0, "blind")
    assert (found.unit, found.units, found.held_out_clusters) == ("key fact", 12, 3)
    assert "Only 3 cases are held out" in found.cautions[0]
    assert choice.held_out.method == "jackknife over cases"


def test_a_person_who_is_a_candidate_is_no_part_of_the_reference(panel):
    labels = fact_jury_labels(panel.study.reader, PRESENCE, judges=["bad"], members=["ann"])
    assert (labels.judges, labels.reviewer) == (("bad", "ann"), "the majority of 2 people")
    alone = fact_jury_labels(panel.study.reader, PRESENCE, members=["ann", "bob"])
    assert (alone.judges, alone.reviewer) == (("ann", "bob"), "cyd")
    assert (alone.votes[:, 0] == alone.mine).all()
    named = fact_jury_labels(panel.study.reader, PRESENCE, judges=["good", "bad"], reviewers=["bob"])
    assert (named.reviewer, named.costs) == ("bob", (None, None))


def test_what_is_left_out_is_counted(panel):
    panel.case("c7", ("One.", "other"), ("Two.", "other"), ("Three.", "other"))
    text = panel.text("atlas", "c7")
    panel.votes("good", text, "YYY")
    panel.votes("bad", text, "YY ")
    panel.votes("slack", text, "!YY")
    panel.labels("ann", text, "present", "cannot_judge", "present")
    panel.labels("bob", text, "absent", "cannot_judge", "present")
    labels = fact_jury_labels(panel.study.reader, PRESENCE)
    assert labels.dropped == {TIED: 1, UNLABELLED: 1, NOT_ASKED: 1}
    taken = fact_jury_labels(panel.study.reader, PRESENCE, tie="supported")
    assert (taken.dropped, len(taken.mine), list(taken.votes[-1])) == ({UNLABELLED: 1, NOT_ASKED: 1}, 13, [0, 0, -1])


def test_the_cost_of_a_judge_is_that_of_one_fact_in_its_newest_run_of_this_question(panel):
    def paid(rows):
        for number, cost in enumerate((0.5, 0.7)):
            call = {"cache_key": f"k{number}", "judge": "good", "model": "good-model", "host": "", "status": "ok"}
            call |= {"task": PRESENCE, "prompt_sha256": "", "at_utc": NOW, "rung": "plain", "tries": 1, "cost": cost}
            call |= {"prompt_tokens": 1, "completion_tokens": 1, "latency_ms": 5, "error": "", "raw_output": "{}"}
            rows.add("llm_call", **call)

    build(panel.study, paid)
    labels = fact_jury_labels(panel.study.reader, PRESENCE)
    assert labels.costs == (pytest.approx(0.1), None, None)
    work = {
        one.rater: one for one in fact_report(panel.study.reader, resampling=FEW, juries=[("good", "bad")]).judge_work
    }
    # 1.2 and 10 ms for twelve facts; what one of a jury costs is not known, so that of all is not.
    assert (work["good"].cost, work["good"].seconds) == (pytest.approx(0.1), pytest.approx(0.01 / 12))
    assert {name: (one.cost, one.seconds) for name, one in work.items() if name != "good"} == dict.fromkeys(
        ("the jury", "jury of good, bad", "bad", "slack"), (None, None)
    )


@pytest.mark.parametrize(
    ("task", "options", "why"),
    [
        (CONTRADICTION, {}, "two candidates or more"),
        (PRESENCE, {"judges": ["basalt"]}, "No judge 'basalt' was asked this of key facts; good, bad, slack did"),
        (PRESENCE, {"members": ["zoe"]}, "No reviewer 'zoe' labelled key facts .blind.; ann, bob, cyd did"),
        (PRESENCE, {"judges": ["good"]}, "two candidates or more"),
        (PRESENCE, {"members": ["ann", "bob", "cyd"]}, "Nobody has blind labels on key facts .* need --assisted"),
        (PRESENCE, {"mode": "assisted"}, "Nobody has assisted labels on key facts to compare the candidates with.$"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(panel, task, options, why):
    with pytest.raises(UserError, match=why):
        fact_jury_labels(panel.study.reader, task, **options)


MANY = Resampling(replicates=999, seed=5)
PEOPLE = ("ann", "bob", "cyd")
LEVEL = {"Y": "present", "N": "absent", "-": "cannot_judge"}


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's, by its definition."""
    n = len(pairs)
    agree = sum(a == b for a, b in pairs) / n
    first, second = (sum(pair[place] == "Y" for pair in pairs) / n for place in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return (agree - chance) / (1 - chance)


def majority(words: Sequence[str]) -> str:
    """Of Y and N; - for a tie."""
    return "-" if words.count("Y") == words.count("N") else max("YN", key=words.count)


@pytest.fixture
def votes(study: Study) -> tuple[FactStudy, dict[str, list[str]]]:
    """Twelve cases of three facts; people err in one of six, one judge hardly ever, one half of the time."""
    rng = random.Random(7)
    errs = dict.fromkeys(PEOPLE, 1 / 6) | {"good": 0.03, "bad": 0.5}
    said: dict[str, list[str]] = {name: [] for name in errs}
    facts = FactStudy(study)
    for number in range(12):
        case = f"c{number}"
        facts.case(case, *((f"Fact {place}.", "other") for place in range(3)))
        text, truth = facts.text("atlas", case), [rng.choice("YN") for _ in range(3)]
        for name, rate in errs.items():
            words = [("N" if one == "Y" else "Y") if rng.random() < rate else one for one in truth]
            said[name] += words
            if name in PEOPLE:
                facts.labels(name, text, *(LEVEL[word] for word in words))
            else:
                facts.votes(name, text, "".join(words))
    return facts, said


def test_a_person_is_held_against_the_others_and_a_judge_against_all(votes):
    facts, said = votes
    found = single_person(held_facts(facts.study.reader), "undecided", MANY)
    alone = []
    for name in PEOPLE:
        others = [majority([said[other][place] for other in PEOPLE if other != name]) for place in range(36)]
        alone.append(kappa([pair for pair in zip(others, said[name], strict=True) if pair[0] != "-"]))
    whole = [majority([said[name][place] for name in PEOPLE]) for place in range(36)]
    mean = sum(alone) / 3
    assert found.people == 3
    assert found.person.value == pytest.approx(mean)
    by_name = {one.rater: one for one in found.beside}
    assert list(by_name) == ["the jury", "good", "bad"]
    for judge in ("good", "bad"):
        own = kappa(list(zip(whole, said[judge], strict=True)))
        assert by_name[judge].difference.value == pytest.approx(own - mean)
    assert by_name["good"].difference.level == 0.9
    assert by_name["good"].non_inferior is (by_name["good"].difference.low > -MARGIN) is True
    assert by_name["bad"].non_inferior is False
    assert by_name["good"].p < 0.05 < by_name["bad"].p
    assert single_person(held_facts(facts.study.reader), "undecided", MANY) == found


def test_the_tie_rule_is_one_on_both_sides(votes):
    facts, _ = votes
    held = held_facts(facts.study.reader)
    n = {rule: single_person(held, rule, MANY).person.n for rule in ("undecided", "supported", "not_supported")}
    # With three people the others of one are two, who tie where they differ.
    assert n["undecided"] < n["supported"] == n["not_supported"] == 3 * 36


def test_it_takes_judges_and_three_people_and_labels_that_vary(study):
    facts = FactStudy(study)
    for case in ("one", "two"):
        facts.case(case, ("A fact.", "other"))
        text = facts.text("atlas", case)
        facts.labels("ann", text, "present")
        facts.labels("bob", text, "present")
        assert single_person(held_facts(study.reader), "undecided", MANY) is None
        facts.labels("cyd", text, "present")
    assert single_person(held_facts(study.reader), "undecided", MANY) is None
    facts.votes("judge", "atlas-one", "Y")
    found = single_person(held_facts(study.reader), "undecided", MANY)
    assert (found.person.value, found.beside[0].p, found.beside[0].non_inferior) == (None, None, None)
    assert "0/0" in found.person.reason


BRIEF, SINGLE = "m (brief)", "m (single prompt)"


@pytest.fixture
def systems(study: Study) -> FactStudy:
    """Two cases; two strategies of one model and a system that came in a file."""
    made = FactStudy(study)
    for case in ("one", "two"):
        made.case(case, ("A fact.", "other"))
        for system in (BRIEF, SINGLE, "foreign"):
            made.votes("judge", made.text(system, case), "Y")
    return made


def found(systems: FactStudy) -> dict[str, TradeOff]:
    report = fact_report(systems.study.reader, resampling=Resampling(replicates=199))
    return {one.system: one for one in report.trade_offs}


def test_cost_and_time_are_those_of_all_calls_of_a_text_and_means_over_cases(systems):
    systems.made(f"{BRIEF}-one", "m", "brief", (0.02, 4000), (0.01, 2000), (0.03, 6000))
    systems.made(f"{BRIEF}-two", "m", "brief", (0.04, 8000))
    systems.made(f"{SINGLE}-one", "m", "single prompt", (0.01, 1000))
    systems.made(f"{SINGLE}-two", "m", "single prompt", (0.03, 2000))
    told = found(systems)
    brief, single, foreign = told[BRIEF], told[SINGLE], told["foreign"]
    assert (brief.cost, brief.seconds, brief.model, brief.strategy) == (pytest.approx(0.05), 10.0, "m", "brief")
    assert (single.cost, single.seconds, single.model, single.strategy) == (0.02, 1.5, "m", "single prompt")
    assert (foreign.cost, foreign.seconds) == (None, None)
    assert foreign.no_cost == "2 texts of 2 not written here, and without a cost"
    assert foreign.no_time == "2 texts of 2 not written here, and without a latency"
    assert brief.presence.value == 1.0


def test_what_is_not_known_of_one_call_is_not_known_of_the_system(systems):
    systems.made(f"{BRIEF}-one", "m", "brief", (0.02, 4000), (None, 2000))
    systems.made(f"{BRIEF}-two", "m", "brief", (0.02, 4000))
    systems.made(f"{SINGLE}-one", "m", "single prompt", (0.5, 0), rung="")
    told = found(systems)
    assert (told[BRIEF].cost, told[BRIEF].seconds) == (None, 5.0)
    assert told[BRIEF].no_cost == "the cost of 1 call is not known"
    assert told[SINGLE].no_cost == "1 text of 2 not written here, and without a cost"
    systems.made(f"{SINGLE}-two", "m", "single prompt", (0.5, 0), rung="")
    told = found(systems)
    assert (told[SINGLE].cost, told[SINGLE].seconds, told[SINGLE].no_time) == (0.5, None, "2 calls came in a batch")


def test_of_texts_that_came_in_a_file_cost_and_time_are_what_their_records_say(study):
    systems = FactStudy(study)
    told = (
        ({"cost": 0.02, "latency_ms": 1000}, {"cost": "0.04", "latency": 3}),
        ({"cost": 0}, {"cost": "free", "latency": 1}),
    )
    for place, case in enumerate(("one", "two")):
        systems.case(case, ("A fact.", "other"))
        for system, records in zip(("priced", "partly"), told, strict=True):
            systems.votes("judge", systems.text(system, case, extra=json.dumps(records[place])), "Y")
    priced, partly = (found(systems)[system] for system in ("priced", "partly"))
    assert (priced.cost, priced.seconds, priced.no_cost, priced.no_time) == (pytest.approx(0.03), 2.0, "", "")
    assert (partly.cost, partly.no_cost) == (None, "1 text of 2 not written here, and without a cost")
    assert (partly.seconds, partly.no_time) == (None, "1 text of 2 not written here, and without a latency")
    systems.made("partly-two", "m", "brief", (0.02, 4000))
    assert found(systems)["partly"].cost == pytest.approx(0.01)
