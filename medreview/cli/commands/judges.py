"""Of the commands ``judges ...``: configured models, what they are asked, which few do best."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from medreview.cli.completion import judges as configured
from medreview.cli.completion import models, reviewers, studies, tasks
from medreview.cli.network import with_settings
from medreview.cli.options import Json, StudyFile, Ties, open_study, rule_named, study_path
from medreview.cli.output import counted, counted_each, one_line, pace_words, price_words, result, say
from medreview.cli.verdict_access import looked
from medreview.errors import UserError
from medreview.next_step import command
from medreview.text import in_words
from medreview.visible import visible

if TYPE_CHECKING:
    import sqlite3

    from medreview.config import Config
    from medreview.labels import Mode
    from medreview.llm.costs import Spent
    from medreview.llm.judge_client import Pinged
    from medreview.llm.settings import JudgeSettings
    from medreview.stats.formulas.estimate import Estimate
    from medreview.stats.reports.judged_labels import PromptReport
    from medreview.stats.reports.small_jury import JuryChoice, SmallJury
    from medreview.study import Study


_WIDTH = 80
_PAIR = 3_000
_ANSWER = 250
_NONE = (
    'No judge and no model is configured. In medreview.toml:\n\n[judges.NAME]\nmodel = "..."\n'
    'base_url = "http://localhost:8000/v1"\n\nWithout one the offline judge works: medreview judge STUDY'
)


def judges(
    names: Annotated[list[str] | None, Argument(metavar="[NAME...]", autocompletion=models, help="Only these.")] = None,
    ping: Annotated[
        bool, Option("--ping", help="Ask each one small question; exit code 1 if one fails, or no judge is configured.")
    ] = False,
    study: Annotated[
        Path | None,
        Option(
            "--study",
            metavar="STUDY",
            help="Also what they did and cost in this study.",
            callback=study_path,
            autocompletion=studies,
        ),
    ] = None,
    split: Annotated[
        bool,
        Option(
            "--split",
            help="With --study: compare the prompts of each judge, by agreement with the labels on half of the "
            "questions.",
        ),
    ] = False,
    test: Annotated[
        bool,
        Option(
            "--test",
            help="With --split: also show the test half, for the prompt that you chose. The study counts these looks.",
        ),
    ] = False,
    local_only: Annotated[bool, Option("--local-only", help="Refuse judges outside this machine.")] = False,
    as_json: Json = False,
) -> None:
    """List the models of your settings: address, key, prices.

    These are the judges, and the models that write. --ping asks each one small question.

    --split compares prompts on half of the questions. The study's seed fixes the halves, so that you can tune a prompt
    on one half and test it on the other.

    Example: medreview judges list --ping --study sepsis.medreview
    """
    from medreview.config import load_config
    from medreview.llm.costs import spent
    from medreview.llm.settings import choose, keep_local, where_texts_go

    if (split or test) and study is None:
        raise UserError("--split and --test need a study: add --study STUDY.")
    if test and not split:
        raise UserError("--test needs --split: give both.")
    config = load_config()
    models = [one for one in config.models.values() if not names or one.name in names]
    wanted = [name for name in names or () if name in config.judges or name not in config.models]
    chosen = choose(config.judges, wanted) if names else list(config.judges.values())
    chosen += models
    if local_only:
        keep_local(chosen)
    if ping and chosen:
        with_settings(lambda config: _usable(config, chosen))
        say(*where_texts_go(chosen, "The test question goes"))
    pinged = _ping(chosen) if ping else []
    done: list[Spent] = []
    halves: list[PromptReport] = []
    if study:
        with open_study(study, read_only=True) as opened:
            done = spent(opened.reader)
            halves = _halves(opened, test=test) if split else []
    told = {
        "judges": [_configured(judge) for judge in chosen],
        "ping": [asdict(item) for item in pinged],
        "spent": [asdict(item) for item in done],
        "prompts": [asdict(half) for half in halves],
    }
    blocks = [_listed(chosen) if chosen else _NONE]
    if pinged:
        blocks.append("\n".join(map(_answered, pinged)))
    if study:
        blocks.append("\n".join(map(_cost, done)) or f"No model was asked in {one_line(str(study))} yet.")
    if halves:
        blocks += map(_half, halves)
    result(told, *"\n\n".join(blocks).split("\n"), as_json=as_json)
    if ping and not chosen:
        say("Nobody was asked: no judge and no model is configured.")
    if ping and (not chosen or any(item.status != "ok" for item in pinged)):
        raise typer.Exit(1)


def _halves(study: "Study", *, test: bool) -> list["PromptReport"]:
    """The prompts on the tuning half and, where it is asked for and the look is recorded, on the test half."""
    from medreview.cli.verdict_access import current_verdicts, reading
    from medreview.judges.rollup import tie_rule
    from medreview.review.looks import note_test_look
    from medreview.stats.clusters import study_clusters
    from medreview.stats.formulas.bootstrap import DEFAULT
    from medreview.stats.reports.judged_labels import peoples_labels, prompt_report
    from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers

    current_verdicts(study)
    looked(study, "judges --split", "totals")
    reader = study.reader
    of = peoples_labels({name: reviewer_labels(reader, name) for name in reviewers(reader)})
    given = (reader, of, study_clusters(reader), tie_rule(reader), DEFAULT)
    found = [prompt_report(*given)]
    if test:
        found.append(prompt_report(*given, half="test"))
        for who in reading(study)[-1:]:
            note_test_look(study, who)
    return found


def _half(report: "PromptReport") -> str:
    from medreview.cli.reports.judge_trust import prompt_parts
    from medreview.cli.reports.terminal import printed

    return printed(prompt_parts(report)).rstrip("\n")


def _usable(config: "Config", chosen: Sequence["JudgeSettings"]) -> None:
    """Raise ``configured.Untrusted`` where settings say whom to ask that were not trusted yet."""
    from medreview.configured import judges_of, model_of

    for one in chosen:
        if one.role == "model":
            model_of(config, one.name)
        else:
            judges_of(config, [one.name])


def _ping(chosen: Sequence["JudgeSettings"]) -> list["Pinged"]:
    import asyncio

    from medreview.llm.judge_client import ping

    async def every() -> list["Pinged"]:
        return await asyncio.gather(*map(ping, chosen))

    return asyncio.run(every())


def _configured(judge: "JudgeSettings") -> dict[str, Any]:
    from medreview.llm.costs import cost_of

    return {
        "name": judge.name,
        "role": judge.role,
        "model": judge.model,
        "host": judge.host,
        "local": judge.is_local,
        "api_key_env": judge.api_key_env,
        "key_set": bool(judge.key),
        "params": dict(judge.params),
        "price_input": judge.price_input,
        "price_output": judge.price_output,
        "cost_of_1000_pairs": cost_of(judge, 1000 * judge.samples * _PAIR, 1000 * judge.samples * _ANSWER),
        "samples": judge.samples,
        "concurrency": judge.concurrency,
        "context_tokens": judge.context_tokens,
        "timeout": judge.timeout,
    }


def _listed(chosen: Sequence["JudgeSettings"]) -> str:
    from medreview.llm.settings import told_of

    lines = []
    for judge in chosen:
        told = _configured(judge)
        key = (
            f"key in {judge.api_key_env}{'' if judge.key else ', which is NOT SET'}" if judge.api_key_env else "no key"
        )
        cost = told["cost_of_1000_pairs"]
        price = "no prices" if cost is None else f"1,000 pairs cost about {cost:,.2f}"
        place = "on this machine" if judge.is_local else "OUTSIDE this machine"
        who = told_of(judge) if judge.role == "judge" else f"model {told_of(judge)}"
        lines.append(f"{who}, {place}\n  {key}; {judge.concurrency} at once; {price}")
    if any(judge.price_input is not None for judge in chosen):
        lines.append(f"A pair is taken to be {_PAIR:,} tokens of prompt and {_ANSWER} of answer.")
    return "\n".join(lines)


def _answered(pinged: "Pinged") -> str:
    if pinged.status == "ok":
        counts = (pinged.prompt_tokens, pinged.completion_tokens)
        tokens = "no count of tokens" if None in counts else f"{counts[0]} + {counts[1]} tokens"
        line = f"{visible(pinged.judge)}: ok in {pinged.latency_ms / 1000:.1f} s, {pinged.rung}, {tokens}"
    else:
        line = f"{visible(pinged.judge)}: {pinged.status}. {one_line(pinged.error)}"
    return "\n  ".join([line, *map(one_line, pinged.changes)])


def _cost(item: "Spent") -> str:
    lost = f", {item.requests_lost:,} of them lost" if item.requests_lost else ""
    lines = [
        f"{visible(item.judge)}: {visible(item.model)} at {visible(item.host)}, {in_words(item.task)}",
        f"{counted(item.calls, 'question')}: {counted_each(item.statuses)}",
        f"{counted(max(item.tries, item.requests_sent), 'request')} sent{lost}; "
        f"{counted(item.reused, 'answer')} taken from the study instead",
        f"{item.prompt_tokens:,} tokens in, {item.completion_tokens:,} out; {price_words(item.cost, item.unpriced)}",
        pace_words(item.latency_median_ms, item.latency_p95_ms),
    ]
    return "\n".join(fill(line, _WIDTH, initial_indent="  " * (line is not lines[0]), subsequent_indent="    ",
                          break_long_words=False, break_on_hyphens=False) for line in lines)  # fmt: skip


def prompts(
    name: Annotated[
        str | None, Argument(metavar="[NAME]", autocompletion=tasks, help="A task; without it, all are listed.")
    ] = None,
    whole: Annotated[
        bool, Option("--file", help="The whole file that comes with the program, to make your own of it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what judges are asked, word for word.

    With it you can put the same question to a model elsewhere, and import its answers.

    Example: medreview judges prompts source_verification
    """
    from medreview.configured import prompts_of
    from medreview.judges.prompts import load_prompt, prompt_file, prompt_names

    if whole:
        if name is None:
            raise UserError(f"--file is for one task: {command('judges', 'prompts', 'source_verification', '--file')}")
        print(prompt_file(name), end="")
        return
    folder = with_settings(prompts_of)
    if name is None:
        known = [load_prompt(task, folder) for task in prompt_names()]
        listed = {prompt.id: prompt.sha256 for prompt in known}
        result(listed, *(f"{key}  sha256 {value[:12]}" for key, value in listed.items()), as_json=as_json)
        return
    prompt = load_prompt(name, folder)
    result(prompt, *prompt.text.split("\n"), as_json=as_json)


def jury(
    study: StudyFile,
    size: Annotated[list[int] | None, Option(min=1, help="Jurors; may be repeated. Default: 1 and 3.")] = None,
    judges: Annotated[
        list[str] | None,
        Option(
            "--judge", metavar="NAME", autocompletion=configured, help="A candidate; default: all but the offline one."
        ),
    ] = None,
    facts: Annotated[
        Literal["presence", "contradiction"] | None,
        Option("--facts", help="On key facts: are they present, or contradicted?"),
    ] = None,
    members: Annotated[
        list[str] | None,
        Option("--member", metavar="NAME", autocompletion=reviewers, help="On key facts: a person as a candidate."),
    ] = None,
    reviewer: Annotated[
        str | None,
        Option(
            metavar="NAME",
            autocompletion=reviewers,
            help="Whose labels count; on key facts by default the majority of all others.",
        ),
    ] = None,
    scale: Annotated[Literal["binary", "levels"], Option(help="Supported or not, or the four labels.")] = "binary",
    measure: Annotated[Literal["kappa", "agreement"], Option(help="What the best jury is best in.")] = "kappa",
    ties: Ties = None,
    assisted: Annotated[
        bool, Option("--assisted", help="Use labels given with the judges in sight: inflated.")
    ] = False,
    splits: Annotated[int, Option(min=1, help="Random halves to choose on.")] = 200,
    seed: Annotated[int, Option(min=0, help="Seed of halves and resampling.")] = 1,
    as_json: Json = False,
) -> None:
    """Find the few judges that agree best with you.

    The small jury is chosen on half of your labels and measured on the other half. The best of many juries looks better
    where it was chosen than it is; the held-out figure is the one to report. With --facts, judges and people vote on
    key facts, and are compared with the majority of the people who are no candidates.

    Example: medreview judges choose sepsis.medreview --size 3
    """
    from medreview.judges.rollup import tie_rule
    from medreview.stats.formulas.bootstrap import Resampling
    from medreview.stats.reports.provenance import provenance
    from medreview.stats.reports.reviewer_labels import SCALES
    from medreview.stats.reports.small_jury import fact_jury_labels, jury_labels, small_jury

    mode: Mode = "assisted" if assisted else "blind"
    if members and facts is None:
        raise UserError("--member is for key facts: add --facts presence or --facts contradiction.")
    with open_study(study, read_only=True) as opened:
        reader = opened.reader
        rule = tie_rule(reader) if ties is None else rule_named(ties)
        if facts is None:
            labels = jury_labels(
                reader,
                _reviewer(reader, reviewer),
                judges=judges or (),
                scale=next(known for known in SCALES if known.name == scale),
                mode=mode,
            )
        else:
            labels = fact_jury_labels(
                reader, f"key_fact_{facts}", judges=judges or (), members=members or (),
                reviewers=[reviewer] if reviewer else (), mode=mode, tie=rule,
            )  # fmt: skip
        looked(opened, "jury", "totals")
        origin = provenance(
            reader, Resampling(seed=seed), labels={labels.reviewer: {labels.group.title: len(labels.mine)}}, tie=rule
        )
    found = small_jury(
        labels,
        sorted(set(size)) if size else [count for count in (1, 3) if count <= len(labels.judges)],
        tie=rule,
        measure="cohen_kappa" if measure == "kappa" else "percent_agreement",
        splits=splits,
        resampling=Resampling(seed=seed),
    )
    if as_json:
        result({**asdict(found), "provenance": asdict(origin)}, "", as_json=True)
    else:
        from medreview.cli.reports.estimates import provenance_lines

        result(None, *_lines(found), "", *provenance_lines(origin), as_json=False)


def _reviewer(reader: "sqlite3.Connection", wanted: str | None) -> str:
    from medreview.config import load_config
    from medreview.stats.reports.reviewer_labels import reviewers

    known = reviewers(reader)
    if wanted is None and len(known) == 1:
        return known[0]
    name = wanted or load_config().reviewer
    if name not in known:
        if not known:
            raise UserError("Nobody has reviewed anything in this study yet: there are no labels to agree with.")
        raise UserError(f"{name} has reviewed nothing here; {', '.join(known)} did. Name one with --reviewer.")
    return name


def _lines(found: "SmallJury") -> Iterator[str]:
    rule = in_words(found.tie_rule)
    candidates = ", ".join(visible(name) for name in found.candidates)
    yield f"{found.reviewer}, {found.group}: {counted(found.units, found.unit)} in {found.clusters:,} {found.cluster}s"
    yield f"candidates: {candidates}"
    yield (
        f"chosen on {found.clusters - found.held_out_clusters:,} {found.cluster}s, measured on the other "
        f"{found.held_out_clusters:,}; tie rule: {rule}; no verdict counts as disagreement; seed {found.seed}"
    )
    if found.dropped:
        yield "left out: " + ", ".join(f"{count:,} {reason}" for reason, count in found.dropped.items())
    yield from found.cautions
    yield ""
    yield f"all {len(found.candidates)} candidates, held out: {found.measure} {_shown(found.everyone)}"
    for choice in found.choices:
        yield ""
        yield from _choice(found, choice)


def _choice(found: "SmallJury", choice: "JuryChoice") -> Iterator[str]:
    from medreview.stats.formulas.estimate import number, quantity

    def named(judges: tuple[str, ...], cost: float | None) -> str:
        names = " + ".join(visible(name) for name in judges)
        return names + (f" ({cost:,.2f} for 1,000 {found.unit}s)" if cost is not None else " (cost not known)")

    again = choice.repeated
    same = dict(again.chosen).get(choice.on_all_labels, 0)
    yield f"{counted(choice.size, 'juror')}: {named(choice.on_all_labels, choice.cost_of_it)}"
    yield f"  chosen on all labels; {same:,} of {again.splits:,} random halves chose the same"
    yield f"  held out: {found.measure} {_shown(choice.held_out)}, of {named(choice.judges, choice.cost)}"
    yield f"  minus all candidates: {_shown(choice.difference)}; {choice.undecided:,} without a verdict"
    if again.mean is not None and again.low is not None and again.high is not None and again.optimism is not None:
        mean, low, high = (number(value, choice.held_out.scale) for value in (again.mean, again.low, again.high))
        more = quantity(again.optimism, choice.difference.scale)
        yield (
            f"  over the halves: mean {mean}, from {low} to {high} in nine of ten (a spread, no confidence interval); "
            f"where chosen it looked better by {more}"
        )


def _shown(figure: "Estimate") -> str:
    from medreview.stats.formulas.estimate import show

    words = show(figure)
    return f"{words}: {figure.reason}" if figure.value is not None and figure.low is None else words
