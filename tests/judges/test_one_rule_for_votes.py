"""Everybody who says what the judges said says the same: on one awkward study, under each rule for ties.

What is right was worked out by hand from what the judges answered (``tests/support/awkward_votes.py``), and every
reader is held against it.
"""

import csv
import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.exchange.exports.pair_rows import PAIRS, pair_rows
from medreview.labels import TIE_RULES, TieRule
from medreview.review.judge_words import jurors
from medreview.review.live_agreement import LiveFigures
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.judge_rows import judge_bar
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import LEVELS
from medreview.stats.reports.small_jury import NOT_ASKED, jury_labels
from medreview.stats.reports.study_reader import judged_responses
from medreview.stats.study_figures import study_figures
from medreview.study import Study
from tests.support.awkward_study import REVIEWER, STATEMENTS, make_awkward_study
from tests.support.awkward_votes import GLYPHS, MODELS, OF_VOTES, RIGHT, two_way
from tests.support.commands import Program
from tests.support.shared import made_once

ties = pytest.mark.parametrize("tie", TIE_RULES)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made_once(tmp_path_factory, "awkward", lambda part: make_awkward_study(part / "a.medreview"))
    return folder / "a.medreview"


@pytest.fixture
def study(made: Path, tmp_path: Path, tie: TieRule) -> Iterator[Study]:
    with Study.open(Path(shutil.copy(made, tmp_path / "a.medreview"))) as opened:
        pipeline.set_tie_rule(opened, tie)
    with Study.open(tmp_path / "a.medreview", read_only=True) as opened:
        yield opened


@pytest.fixture
def told(study: Study, tmp_path: Path) -> dict[str, Any]:
    """What ``medreview stats --json`` says."""
    done = Program(tmp_path)("stats", study.path, "--json", "--replicates", "99")
    assert done.stderr == ""
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def test_the_study_is_as_awkward_as_it_says(made: Path) -> None:
    with Study.open(made, read_only=True) as study:
        rows = study.reader.execute(
            """SELECT r.record_id, run.judge, run.prompt_id, j.raw_label, j.supported, j.error
               FROM judgement AS j JOIN judge_run AS run USING (judge_run_id) JOIN statement USING (statement_id)
               JOIN response AS r USING (response_id) ORDER BY run.ordinal, j.rowid"""
        ).fetchall()
        tasks = {row[0] for row in study.reader.execute("SELECT prompt_id FROM judge_run WHERE judge = 'onyx'")}
        amber = {row[0] for row in study.reader.execute("SELECT prompt_id FROM judge_run WHERE judge = 'amber'")}
        states = study.reader.execute("SELECT count(DISTINCT text_sha256), count(*) FROM snapshot").fetchone()
    said = {name: [row["raw_label"] for row in rows if row[:2] == (name, "amber")] for name in STATEMENTS}

    assert said["asked_again"] == ["supported", "partial", "contradicted"]
    assert said["unanswered"] == ["partial", "supported", ""]
    assert said["unproven"][-1] == "supported"
    assert ("beside_offline", "offline", "supported") in {(row[0], row[1], row["raw_label"]) for row in rows}
    assert tuple(states) == (5, 6)  # one page has another text now, one the same text in another state
    assert tasks == {"key_fact_presence/1", "hallucination_detection/1", "hallucination_assisted/1"}
    assert amber > {"merged_verification/2", "key_fact_presence/1"}


def test_votes_are_counted_alike_with_their_quotes_and_without(made: Path) -> None:
    with Study.open(made, read_only=True) as study:
        bare = [one for case in judged_responses(study.reader) for one in case.statements]
        whole = [one for case in judged_responses(study.reader, votes=True) for one in case.statements]
    for ballots, votes in zip(bare, whole, strict=True):
        told = [(vote.judge, vote.source_id, vote.verdict, vote.supported) for vote in votes.votes]
        assert (ballots.statement_id, list(ballots.ballots)) == (votes.statement_id, told)
        assert asdict(ballots.opinion) == asdict(votes.opinion)
        assert ballots.votes == ()
    assert sum(len(one.ballots) for one in bare) > len(STATEMENTS)


@ties
def test_the_table_of_verdicts(study: Study, tie: TieRule) -> None:
    rows = study.reader.execute(
        """SELECT r.record_id, v.verdict, v.supported, v.votes_for, v.votes_other, v.abstained, v.tied, v.badges
           FROM verdict AS v JOIN statement USING (statement_id) JOIN response AS r USING (response_id)"""
    )
    for name, verdict, supported, votes_for, votes_other, abstained, tied, badges in rows:
        right = RIGHT[name]
        assert (verdict, supported) == (right.by(tie), two_way(right.by(tie))), name
        assert (votes_for, votes_other, abstained, tied) == (*right.votes, right.abstained, right.tied), name
        assert {badge for badge in badges.split(" · ") if badge.startswith(OF_VOTES)} == right.badges, name


@ties
def test_the_workbench(study: Study, tie: TieRule) -> None:
    session = ReviewSession(study, REVIEWER, open_queue(study, "responses", REVIEWER))
    for place, (name, right) in enumerate(RIGHT.items()):
        session.go(place)
        assert session.item is not None
        assert session.item.text == STATEMENTS[name]
        models = {judge: word for judge, word in right.words.items() if judge != "offline"}
        said = {judge: word.verdict for judge, word in jurors(session.item).items()}
        assert list(said.items()) == list(models.items()), name

        card = session.card
        silent = f", {right.abstained} abstained" if right.abstained else ""
        drawn = f"{right.votes[0]}-{right.votes[1]}{silent}" if len(models) > 1 else ""
        assert card.together.tally == drawn, name
        assert sum(votes for _, votes in card.together.counts) == len(models), name
        lines = Counter(line.judge for group in (card.here, *card.others) for line in group.lines)
        assert lines == Counter(dict.fromkeys(models, len(right.sources))), name  # none for what was said before
        assert card.rules.count("[") == len(right.sources), name

        bar = "".join(text for text, _ in judge_bar(session, 160, "")[0])
        assert all(f"{GLYPHS[word]}" in bar for word in models.values() if len(set(models.values())) > 1), (name, bar)


@ties
def test_the_line_prompts(study: Study, tie: TieRule, tmp_path: Path) -> None:
    study.close()
    moves = "j\n" * (len(RIGHT) - 1) + "q\n"
    shown = Program(tmp_path)("review", study.path, "--plain", "--queue", "responses", input=moves).stdout
    parts = shown.split("\nby response, ")[1:]

    assert len(parts) == len(RIGHT)
    for part, (name, right) in zip(parts, RIGHT.items(), strict=True):
        line = r"source \[\d\](?: \([a-z ]+\))?, (\w+)(?: by \S+, \S+)?: ([a-z ]+?(?: \([a-z ]+\))?)[,.]"
        said = re.findall(line, " ".join(part.split()))
        by_judge = {judge: {word for who, word in said if who == judge} for judge, _ in said}
        models = {judge: word for judge, word in right.words.items() if judge != "offline"}
        assert set(by_judge) == set(models), name
        for judge, word in models.items():
            if word is None:
                assert by_judge[judge] <= {"no vote (supported)", "no vote (unsure)"}, name
            else:
                assert word.replace("_", " ") in by_judge[judge], name
        assert Counter(who for who, *_ in said) == Counter(dict.fromkeys(by_judge, len(right.sources))), name
        together = re.search(r"^judges together: (.*); (?:a accepts it|no a, say 1-5)$", part, re.MULTILINE)
        assert (together is not None) == (len(models) > 1), name
        if together is not None:
            words = (right.by(tie) or "no verdict").replace("_", " ")
            tied = "TIE" if right.by(tie) is None else f"{words}, TIE"
            silent = f", {right.abstained} abstained" if right.abstained else ""
            assert together[1] == f"{tied if right.tied else words} {right.votes[0]}-{right.votes[1]}{silent}", name


@ties
def test_the_judges_beside_each_other(told: dict[str, Any], tie: TieRule) -> None:
    between = told["between_judges"]
    tallies = {tally["judge"]: tally for tally in between["tallies"]}

    assert [tally["judge"] for tally in between["tallies"]] == ["offline", *MODELS]
    for judge in MODELS:
        words = [right.words[judge] for right in RIGHT.values() if judge in right.words]
        counts = {level: words.count(level) for level in LEVELS.labels}
        assert (tallies[judge]["asked"], tallies[judge]["abstained"]) == (len(words), words.count(None)), judge
        assert tallies[judge]["labels"]["levels"] == counts, judge
    assert tallies["offline"]["asked"] == len(RIGHT)
    assert {tuple(jury["judges"]) for jury in between["juries"]} == {MODELS}
    assert (between["tie_rule"], between["tied"]) == (tie, 1)
    assert between["decided"] == sum(right.by(tie) is not None for right in RIGHT.values())
    pairs = {(pair["first"], pair["second"]): pair for pair in between["pairs"] if pair["scale"] == "levels"}
    assert list(pairs) == [("amber", "basalt"), ("amber", "chalk"), ("basalt", "chalk")]
    # Both have a word on six statements: on asked_again they differ; each abstains on one more.
    amber_basalt = pairs["amber", "basalt"]
    assert (amber_basalt["n"], amber_basalt["dropped"]) == (6, {"judge cannot judge": 2})
    assert sum(amber_basalt["table"][place][place] for place in range(4)) == 5


@ties
def test_agreement_with_the_reviewer(told: dict[str, Any], tie: TieRule) -> None:
    (group,) = told["reviewers"][0]["agreement"]
    compared = {found["second"]: found for found in group["comparisons"] if found["scale"] == "levels"}

    assert list(compared) == ["the judges together", "offline", *MODELS]
    together = [right.by(tie) for right in RIGHT.values()]
    _agrees(compared["the judges together"], together)
    for judge in MODELS:
        _agrees(compared[judge], [right.words.get(judge) for right in RIGHT.values()])
    told_apart = {"jury tied": 1} if tie == "undecided" else {}
    assert compared["the judges together"]["dropped"] == told_apart


def _agrees(found: dict[str, Any], words: Sequence[str | None]) -> None:
    """Anna says supported of every statement, so that the first row of the table holds all."""
    assert found["n"] == len(words) - words.count(None)
    assert found["table"][0] == [words.count(level) for level in LEVELS.labels]


@ties
def test_support_and_unused_sources(told: dict[str, Any], tie: TieRule) -> None:
    whole = {figure["name"]: figure for figure in told["support"]["strata"][0]["clustered"]}
    statements = [two_way(right.by(tie)) for right in RIGHT.values()]
    sources = [source for right in RIGHT.values() for source in right.sources_by(tie)]

    _share(whole["source URL validity"], [True] * len(sources))
    _share(whole["statement-level support"], statements)
    _share(whole["response-level support"], statements)
    _share(whole["unused sources"], [None if source is None else not source for source in sources])
    assert told["support"]["cautions"][0].startswith("On 1 of 10 judged statements only the offline judge spoke")


def _share(figure: dict[str, Any], states: Sequence[bool | None]) -> None:
    known = [state for state in states if state is not None]
    assert (figure["n"], figure["dropped"]) == (len(known), states.count(None)), figure["name"]
    assert figure["value"] == pytest.approx(known.count(True) / len(known)), figure["name"]


@ties
def test_the_offline_judge_supports_no_source_that_a_model_spoke_on(study: Study, tie: TieRule) -> None:
    statements = [statement for case in judged_responses(study.reader) for statement in case.statements]

    for statement, (name, right) in zip(statements, RIGHT.items(), strict=True):
        # In which order the sources come depends on the hashes of their texts.
        assert sorted(statement.by_source(tie).values(), key=str) == sorted(right.sources_by(tie), key=str), name


@ties
def test_the_printed_figures(study: Study, tie: TieRule, tmp_path: Path) -> None:
    text = Program(tmp_path)("stats", study.path, "--full", "--replicates", "99").stdout

    assert f"1 statement with even votes; tie rule: {tie.replace('_', ' ')}." in text
    assert "3 judges together, four labels" in text
    text, facts = re.subn(r"(?s)\nKey facts: said by the text.*?\n(?=\n)", "", text)  # of which onyx spoke

    assert facts == 1
    assert "onyx" not in text
    for name in ("offline", *MODELS):
        assert re.findall(rf"^ *{REVIEWER} and {name}, four labels$", text, re.MULTILINE) == [
            f"  {REVIEWER} and {name}, four labels"
        ]
    for judge in MODELS:
        words = [right.words[judge] for right in RIGHT.values() if judge in right.words]
        row = [str(count) for count in (len(words), words.count(None), *map(words.count, LEVELS.labels))]
        assert re.findall(rf"^ *{judge} +(\d.*?) *$", text, re.MULTILINE)[0].split() == row, judge


@ties
def test_the_panel_of_figures(study: Study, tie: TieRule) -> None:
    figures = LiveFigures(study.reader, REVIEWER)
    together = figures.view(figures.groups[0], LEVELS)
    words = [right.by(tie) for right in RIGHT.values()]
    same, known = words.count("supported"), len(words) - words.count(None)

    assert len(figures.groups) == 1
    assert (together.agreement.value, together.agreement.n) == (same / known, known)
    assert together.left_out == ((("jury tied", 1),) if tie == "undecided" else ())
    for judge in figures.judges:
        heard = [right.words.get(judge.name) for right in RIGHT.values()]
        alone = figures.view(figures.groups[0], LEVELS, judge)
        assert judge.offline or alone.table[0] == tuple(heard.count(level) for level in LEVELS.labels)


@ties
def test_the_search_for_a_small_jury(study: Study, tie: TieRule) -> None:
    both = [right.words for right in RIGHT.values() if {"amber", "basalt"} <= right.words.keys()]
    found = jury_labels(study.reader, REVIEWER, judges=["amber", "basalt"], scale=LEVELS, mode="assisted")
    everyone = jury_labels(study.reader, REVIEWER, mode="assisted")

    place = {level: number for number, level in enumerate(LEVELS.labels)} | {None: -1}
    assert found.votes.tolist() == [[place[words["amber"]], place[words["basalt"]]] for words in both]
    assert found.dropped == {NOT_ASKED: len(RIGHT) - len(both)}
    assert everyone.judges == MODELS


@ties
def test_the_exported_labels(study: Study, tie: TieRule, tmp_path: Path) -> None:
    export(study, tmp_path / "out")
    rows = {row["statement_text"]: row for row in _table(tmp_path / "out" / "labels.csv")}

    assert len(rows) == len(RIGHT)
    for name, right in RIGHT.items():
        row = rows[STATEMENTS[name]]
        supported = two_way(right.by(tie))
        assert row["judge_verdict"] == (right.by(tie) or ""), name
        assert row["judge_supported"] == ("" if supported is None else str(int(supported))), name
        counts = [int(row[column]) for column in ("jury_n", "jury_for", "jury_against", "jury_abstained", "jury_tie")]
        assert counts == [sum(right.votes), *right.votes, right.abstained, right.tied], name
        assert row["jury_rule"] == f"plurality, tie {tie}", name


@ties
def test_an_analyst_gets_the_same_from_the_exported_judgements(study: Study, tie: TieRule, tmp_path: Path) -> None:
    export(study, tmp_path / "out")
    names = {row["response_id"]: row["record_id"] for row in _table(tmp_path / "out" / "responses.csv")}
    rows = list(_table(tmp_path / "out" / "judgements.csv"))

    for name, right in RIGHT.items():
        counting = [row for row in rows if names[row["response_id"]] == name and "1" in (row["vote"], row["abstained"])]
        words = {judge: _over_sources([row for row in counting if row["judge"] == judge]) for judge in right.words}
        assert {row["judge"] for row in counting} == set(right.words), name
        assert words == right.words, name
        assert len(counting) == len(right.words) * len(right.sources), name
        ballots = [word for word in words.values() if word]
        most = max(Counter(ballots).values())
        assert (most, len(ballots) - most, len(words) - len(ballots)) == (*right.votes, right.abstained), name
        by_source = {source: [row["supported"] for row in counting if row["source_id"] == source and row["vote"] == "1"]
                     for source in dict.fromkeys(row["source_id"] for row in counting)}  # fmt: skip
        if not right.tied:
            support = sorted(said.count("1") > said.count("0") for said in by_source.values())
            assert support == sorted(bool(source) for source in right.sources_by(tie)), name


def _over_sources(rows: Sequence[Mapping[str, str]]) -> str | None:
    """One judge's word by the rule that the README states, from the columns alone."""
    levels = {row["verdict"] if row["vote"] == "1" else "" for row in rows}
    if "" in levels and not levels & {"supported", "contradicted"}:
        return None
    return next(level for level in ("supported", "contradicted", "partial", "not_addressed") if level in levels)


@ties
def test_the_exported_database_and_the_pairs(study: Study, tie: TieRule, tmp_path: Path) -> None:
    export(study, tmp_path / "out", database="labels.db")
    with closing(sqlite3.connect(tmp_path / "out" / "labels.db")) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute("SELECT * FROM pairs_wide")]
    supported = [column["supported"] for column in map(_pair, pair_rows(study.reader))]

    assert [name for name in rows[0] if name.startswith("verdict_")] == [f"verdict_{it}" for it in (*MODELS, "offline")]
    for name, right in RIGHT.items():
        of_statement = [row for row in rows if row["statement_text"] == STATEMENTS[name]]
        assert len(of_statement) == len(right.sources), name
        for judge in MODELS:
            words = [right.words.get(judge)] * len(right.sources)
            if name == "two_sources" and judge in right.words:
                words = ["supported", "not_addressed"]
            assert [row[f"verdict_{judge}"] for row in of_statement] == words, (name, judge)
    assert supported == [source for right in RIGHT.values() for source in right.sources_by(tie)]


def _pair(cells: Sequence[Any]) -> dict[str, Any]:
    return dict(zip([column.name for column in PAIRS.columns], cells, strict=True))


@pytest.mark.parametrize("tie", ["undecided"])
def test_what_counts_of_everything_that_was_said(study: Study, tmp_path: Path) -> None:
    export(study, tmp_path / "out")
    names = {row["response_id"]: row["record_id"] for row in _table(tmp_path / "out" / "responses.csv")}
    prompts = {"": "", "first": 1, "second": 2} | {f"source_verification/{number}": number for number in (1, 2, 3)}
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for row in _table(tmp_path / "out" / "judgements.csv"):
        key = names[row["response_id"]], row["judge"]
        found.setdefault(key, []).append((prompts[row["prompt_id"]], int(row["vote"]), int(row["abstained"])))
    counting = {key: sorted(rows) for key, rows in found.items()}

    assert counting["asked_again", "amber"] == [(1, 0, 0), (2, 0, 0), (3, 1, 0)]
    assert counting["unproven", "amber"] == [(1, 0, 0), (2, 0, 0), (3, 0, 1)]
    assert counting["unanswered", "amber"] == [(1, 0, 0), (2, 1, 0), (3, 0, 0)]
    assert counting["imported", "chalk"] == [(1, 0, 0), (2, 1, 0)]
    assert counting["page_changed", "basalt"] == [(1, 0, 0)]
    assert counting["same_text", "basalt"] == [(1, 1, 0)]
    assert counting["beside_offline", "basalt"] == [(1, 0, 1)]
    assert counting["beside_offline", "offline"] == [("", 0, 0)]
    assert counting["offline_alone", "offline"] == [("", 1, 0)]


@pytest.mark.parametrize("tie", ["undecided"])
def test_judges_without_any_judgement_of_support_are_nowhere(study: Study) -> None:
    whole = study_figures(study.reader, resampling=Resampling(replicates=99))
    answers = tuple(one for one in whole.answers if one.kind != "fact")
    figures = repr(replace(whole, headlines=(), answers=answers))  # without other units: it voted on a key fact

    assert [one.kind for one in whole.headlines] == ["fact"]
    assert "basalt" in figures
    assert "onyx" not in figures


def _table(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)
