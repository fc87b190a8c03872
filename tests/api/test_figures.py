"""Figures from Python are those of the commands."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

import medreview
from medreview.review.audit import draw
from tests.support.commands import Program
from tests.support.unit_study import decide

FEW = medreview.Resampling(replicates=99)


@pytest.fixture
def reviewed(demo):
    """The sample study with two reviewers on one response."""
    for statement in demo.statements(filter="id=A02-sepsis-fluid"):
        demo.decide(statement, "contradicted" if "50 mL/kg" in statement.text else "supported", reviewer="anna")
        demo.decide(statement, "supported", reviewer="ben")
    return demo


def plain(value):
    """As JSON has it."""
    return json.loads(json.dumps(dataclasses.asdict(value)))


def without_time(report):
    """But for the moment at which it was made."""
    assert report["provenance"].pop("made_at")
    return report


def test_all_figures_are_those_of_the_command(reviewed, tmp_path):
    figures = reviewed.figures()  # first, since it notes looks, which the command cannot: the study is open here
    told = json.loads(Program(tmp_path)("stats", reviewed.path, "--json").stdout)

    assert told.pop("schema") == "medreview.stats/2"
    assert without_time(plain(figures)) == without_time(told)
    assert (
        plain(reviewed.figures("anna", resampling=medreview.Resampling(seed=7, replicates=99)))["resampling"]["seed"]
        == 7
    )


def test_other_units_are_those_of_the_command(reviewed, tmp_path):
    pairs = reviewed._study.reader.execute("SELECT 'pair:' || statement_id || ':' || source_id FROM reviewed_pair")
    pair = pairs.fetchall()[0][0]
    for who, label in (("anna", "supported"), ("ben", "partial")):
        decide(reviewed._study, who, pair, "evidence", label)
    found = reviewed.unit_figures("pair", resampling=FEW)
    run = ("stats", reviewed.path, "--unit", "pair", "--replicates", 99, "--json")

    assert plain(found) == json.loads(Program(tmp_path)(*run).stdout)["unit"]
    assert found.axes[0].scales[1].between[0].estimate("percent agreement").value == 0
    assert [each.reviewer for each in reviewed.unit_figures("pair", "ben").axes[0].labels] == ["ben", "ben"]
    with pytest.raises(medreview.UserError, match="no kind of unit 'statement'"):
        reviewed.unit_figures("statement")


def test_the_audit_is_that_of_the_command(reviewed, tmp_path):
    draw(reviewed._study, "anna", rate=1.0)
    told = json.loads(Program(tmp_path)("plan", "audit", reviewed.path, "--json").stdout)
    report, of_anna = plain(reviewed.audit()), reviewed.audit("anna", points=0.1)

    assert report == {name: told[name] for name in report}
    assert [each.reviewer for each in of_anna.figures] == ["anna"]
    assert of_anna.figures[0].plan.points == 0.1


def test_addresses_and_citations_are_those_of_the_commands(sample, demo_file, tmp_path):
    program, copy = Program(tmp_path), shutil.copy(demo_file, tmp_path / "copy.medreview")

    def without_look(told):
        """Without the time, and without the event that says that totals of the rules were read: each has its own."""
        told["provenance"]["event_head"] = ""
        return without_time(told)

    urls = json.loads(program("sources", "addresses", copy, "--top", 3, "--json").stdout)
    assert without_look(plain(sample.url_report(top=3))) == without_look(urls)
    copy = shutil.copy(demo_file, tmp_path / "another.medreview")
    told = json.loads(program("citations", copy, "--json").stdout)
    report = sample.citation_report()
    provenance = without_look({"provenance": plain(report.provenance)})["provenance"]
    assert {**provenance, "events": 1} == without_look(told)["provenance"]
    assert plain(report.all) == told["figures"]
    assert [plain(criterion) for criterion in report.criteria] == told["criteria"]
    own = Path("own.toml")
    own.write_text('[allowed]\ndomains = ["renal-dosing.example"]\n')
    assert sample.citation_report(allow=own).all.figures.pooled_allowed_urls.value > 0


def test_agreement_is_picked_from_the_figures(reviewed):
    figures = reviewed.figures(resampling=FEW)

    both = reviewed.agreement("reviewers", resampling=FEW)
    assert [(c.first, c.second, c.scale, c.mode, c.labels_of) for c in both] == [
        ("anna", "ben", "levels", "assisted", "assisted"),
        ("anna", "ben", "binary", "assisted", "assisted"),
        ("anna", "ben", "levels", None, "final"),
        ("anna", "ben", "binary", None, "final"),
    ]
    assert both == figures.between_reviewers
    assert reviewed.agreement("reviewers", mode="assisted", resampling=FEW) == both[:2]
    assert reviewed.agreement("judges", scale="binary", resampling=FEW) == figures.between_judges.pairs[1:]
    with_judges = reviewed.agreement(reviewer="anna", scale="levels", resampling=FEW)
    assert [c.second for c in with_judges] == ["the judges together", "juror-one", "juror-two", "offline"]
    assert {(c.first, c.mode, c.drawn) for c in with_judges} == {("anna", "assisted", False)}
    assert {c.first for c in reviewed.agreement(resampling=FEW)} == {"anna", "ben"}


def test_what_holds_for_a_group_of_labels_is_said_with_each_comparison(reviewed):
    for comparison in reviewed.agreement(resampling=FEW):
        assert comparison.cautions[0].startswith("These statements were chosen, not drawn at random")


def test_blind_labels_and_the_audit_stand_apart(reviewed):
    from medreview.review.queue import open_queue
    from medreview.review.session import ReviewSession

    session = ReviewSession(reviewed._study, "anna", open_queue(reviewed._study, "audit", "anna"))
    fresh = next(unit for unit in session.queue.units if session.state_of(unit) == "open")
    session.go(session.queue.units.index(fresh))
    session.decide("supported")

    blind = reviewed.agreement(reviewer="anna", mode="blind", scale="levels", resampling=FEW)

    assert {(c.mode, c.drawn, c.n + sum(c.dropped.values())) for c in blind} == {("blind", True, 1)}
    assisted = reviewed.agreement(reviewer="anna", mode="assisted", scale="levels", resampling=FEW)
    assert {c.n + sum(c.dropped.values()) for c in assisted} == {7}


def test_support_is_by_the_judges_or_by_a_reviewer(reviewed):
    (judged,) = reviewed.support(resampling=FEW)
    (mine,) = reviewed.support("anna", resampling=FEW)

    assert judged.strata[0].estimate("source URL validity").n == 38
    assert mine.by == "anna, assisted"
    whole = mine.strata[0].estimate("statement-level support")
    assert (whole.value, whole.n) == (6 / 7, 7)
    with pytest.raises(KeyError, match="there are statement-level support, response-level support"):
        mine.strata[0].estimate("support")


def test_an_estimate_can_be_printed_and_found_by_name(sample):
    comparison = sample.agreement("judges", resampling=FEW)[0]
    kappa = comparison.estimate("Cohen's kappa")

    assert str(kappa).startswith(f"Cohen's kappa: {kappa.value:.3f} (95% CI ")
    assert comparison.estimate("percent agreement").clusters == 16  # the clustered one leads
    with pytest.raises(KeyError, match="no estimate 'kappa'; there are percent agreement, Cohen's kappa"):
        comparison.estimate("kappa")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"between": "models"}, "no agreement between 'models'"),
        ({"scale": "five"}, "no scale 'five'"),
        ({"mode": "open"}, "no mode 'open'"),
        ({"between": "judges", "mode": "blind"}, "no mode 'blind' here"),
        ({"reviewer": "zoe"}, "zoe"),
    ],
)
def test_words_that_mean_nothing_are_refused(sample, wrong, sentence):
    with pytest.raises(medreview.UserError, match=sentence):
        sample.agreement(**wrong)
