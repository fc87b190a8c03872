"""The command ``judges``: the models that are configured, whether they answer, and what they have cost."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.options import Json, study_path
from medreview.cli.output import counted, counted_each, one_line, result, say
from medreview.cli.trusting import with_settings
from medreview.visible import visible
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.config import Config
    from medreview.llm.ping import Pinged
    from medreview.llm.report import Spent
    from medreview.llm.settings import JudgeSettings

_WIDTH = 80
_PAIR = 3_000
_ANSWER = 250
_NONE = (
    'No judge and no model is configured. In medreview.toml:\n\n[judges.NAME]\nmodel = "..."\n'
    'base_url = "http://localhost:8000/v1"\n\nWithout one the offline judge works: medreview judge STUDY'
)


def judges(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Only these.")] = None,
    ping: Annotated[
        bool, typer.Option("--ping", help="Ask each one small question; exit code 1 if one fails, or there is none.")
    ] = False,
    study: Annotated[
        Path | None,
        typer.Option(
            "--study", metavar="STUDY", help="Also what they did and cost in this study.", callback=study_path
        ),
    ] = None,
    local_only: Annotated[bool, typer.Option("--local-only", help="Refuse judges outside this machine.")] = False,
    as_json: Json = False,
) -> None:
    """Show the configured judges, and the models that write: model, address, key, prices.

    Example: medreview judges --ping --study sepsis.medreview
    """
    from medreview.config import load_config
    from medreview.llm.settings import choose, keep_local, where_texts_go

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
    done = _spent(study) if study else []
    told = {
        "judges": [_configured(judge) for judge in chosen],
        "ping": [asdict(item) for item in pinged],
        "spent": [asdict(item) for item in done],
    }
    blocks = [_listed(chosen) if chosen else _NONE]
    if pinged:
        blocks.append("\n".join(map(_answered, pinged)))
    if study:
        blocks.append(_costs(done, study))
    result(told, *"\n\n".join(blocks).split("\n"), as_json=as_json)
    if ping and not chosen:
        say("Nobody was asked: no judge and no model is configured.")
    if ping and (not chosen or any(item.status != "ok" for item in pinged)):
        raise typer.Exit(1)


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

    from medreview.llm.ping import ping

    async def every() -> list["Pinged"]:
        return await asyncio.gather(*map(ping, chosen))

    return asyncio.run(every())


def _spent(study: Path) -> list["Spent"]:
    from medreview.llm.report import spent
    from medreview.study import Study

    with Study.open(study, read_only=True) as opened:
        return spent(opened.reader)


def _configured(judge: "JudgeSettings") -> dict[str, Any]:
    from medreview.llm.cost_estimate import cost_of

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
        "cost_of_1000_pairs": cost_of(judge, 1000 * _PAIR, 1000 * _ANSWER),
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


def _costs(done: Sequence["Spent"], study: Path) -> str:
    if not done:
        return f"No model was asked in {one_line(str(study))} yet."
    return "\n".join(map(_cost, done))


def _cost(item: "Spent") -> str:
    cost = "cost unknown" if item.cost is None else f"cost {item.cost:,.4f}"
    if item.cost is not None and item.unpriced:
        cost += f" without {counted(item.unpriced, 'question')} whose cost is unknown"
    median, most = item.latency_median_ms, item.latency_p95_ms
    pace = "no time measured"
    if median is not None and most is not None:
        pace = f"median {median / 1000:.1f} s, 95% within {most / 1000:.1f} s"
    lost = f", {item.requests_lost:,} of them lost" if item.requests_lost else ""
    lines = [
        f"{visible(item.judge)}: {visible(item.model)} at {visible(item.host)}, {in_words(item.task)}",
        f"{counted(item.calls, 'question')}: {counted_each(item.statuses)}",
        f"{counted(max(item.tries, item.requests_sent), 'request')} sent{lost}; "
        f"{counted(item.reused, 'answer')} taken from the study instead",
        f"{item.prompt_tokens:,} tokens in, {item.completion_tokens:,} out; {cost}",
        pace,
    ]
    return "\n".join(fill(line, _WIDTH, initial_indent="  " * (line is not lines[0]), subsequent_indent="    ",
                          break_long_words=False, break_on_hyphens=False) for line in lines)  # fmt: skip
