"""SourceCheckup at its size, and the notebook on citations at that of a service."""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from tests.bench.papers_at_size.paper import EXPECTED, FoundFigure, Paper, PaperRun, Records, chance, sentence
from tests.support.http_server import Exchange
from tests.support.judge_endpoint import as_asked
from tests.support.misbehaving import Asked


def sourcecheckup(part: float, seed: int) -> Paper:
    """5,600 responses of seven models, five statements and two sources each, three where the number of the question can
    be divided by 14: 58,030 pairs."""
    models = {f"model {number}": 0.6 + 0.05 * number for number in range(7)}
    texts: dict[str, bool] = {}
    responses: Records = []
    for model, rate in models.items():
        for number in range(max(3, round(800 * part))):
            key = (seed, model, number)
            statements = [sentence(*key, place) for place in range(5)]
            sources = range(3 if number % 14 == 0 else 2)
            held = [[sentence("page", *key, page, place) for place in range(8)] for page in sources]
            for statement in statements:
                texts[statement] = chance("supported", *key, statement) < rate
                if texts[statement]:
                    held[int(chance("where", statement) * len(held))].append(statement)
            place = f"https://host{number % 97}.example/{model[-1]}/{number}"
            pages = [{"url": f"{place}/{page}", "text": " ".join(lines)} for page, lines in enumerate(held)]
            responses.append({"id": f"{model} {number}", "question": f"What was measured in {number}?", "model": model,
                              "response": " ".join(statements), "origin": "texts", "pages": pages})  # fmt: skip

    def reply(judge: str, asked: Asked) -> Mapping[str, Any]:
        source, statement = asked.texts["source"], asked.texts["statement"]
        found = statement in source and chance("errs", judge, statement) >= 0.04
        label = "supported" if found else "not_addressed"
        told = {"quote": statement if found else "", "reason": "by the rule", "label": label, "confidence": 0.9}
        return cast(Mapping[str, Any], as_asked(told))

    def expected() -> EXPECTED:
        found = {statement: there and chance("errs", "judge", statement) >= 0.04 for statement, there in texts.items()}
        shares: dict[tuple[str, str], float] = {}
        for model in models:
            own = [[found[one + "."] for one in row["response"].removesuffix(".").split(". ")]
                   for row in responses if row["model"] == model]  # fmt: skip
            shares["statement-level support", model] = sum(map(sum, own)) / sum(map(len, own))
            shares["response-level support", model] = sum(map(all, own)) / len(own)
        return shares

    skip = ("texts", "questions", "question check", "answers", "answers with search", "pages", "merged", "clean-up")
    return Paper([("import", responses)], expected, {"judge": 0.04}, reply=reply, skip=skip)


_KINDS: Final = {"ok": 0.6, "gone": 0.75, "moved": 0.85, "paywall": 0.93, "pdf": 1.0}
"""What is at an address: the number below which its chance lies."""
_STATES: Final = {"ok": "ok", "gone": "http_error", "moved": "ok", "paywall": "paywall", "pdf": "ok"}
_PDF: Final = Path(__file__).parents[3] / "sample_data" / "pages" / "enoxaparin-doses.pdf"


def cds(part: float, seed: int) -> Paper:
    """The notebook has five prompts; here four systems answer 600, with up to five addresses each on 200 hosts, one in
    25 with a DOI, whose resolver is not there."""
    systems = {f"system {number}": 0.98 - 0.02 * number for number in range(4)}
    hosts = max(20, round(200 * part))
    answers: Records = []
    kpis: dict[str, list[tuple[int, int, int, int]]] = {system: [] for system in systems}
    asked: set[str] = set()
    resolved: set[str] = set()
    for system, cites in systems.items():
        for number in range(max(5, round(600 * part))):
            key = (seed, system, number)
            count = 1 + int(chance("count", *key) * 5) if chance("cites", *key) < cites else 0
            numbers = [int(chance("host", *key, place) * hosts) for place in range(count)]
            urls = [f"http://h{host}.{'evidence' if host % 5 else 'other'}.example/{system[-1]}-{number}-{place}"
                    for place, host in enumerate(numbers)]  # fmt: skip
            works = [f"DOI: 10.1056/NEJMoa{int(chance('doi', *key) * 1e6):06d}"] * (
                count and chance("work", *key) < 0.1
            )
            asked.update(urls)
            resolved.update(works)
            allowed = sum(host % 5 > 0 for host in numbers)
            kpis[system].append((count + len(works), allowed + len(works), count, allowed))
            text = " ".join((sentence(*key), *(f"See {one} for it." for one in urls), *works))
            answers.append({"id": f"{system} {number}", "question": f"What was measured in {number}?", "model": system,
                            "response": text, "reference": sentence(*key), "latency_ms": 200 + number})  # fmt: skip

    def page(exchange: Exchange) -> None:
        if exchange.command == "CONNECT":  # to what knows DOIs
            return exchange.answer(b"", 404)
        kind = _kind(seed, exchange.path)
        if kind == "gone":
            return exchange.answer(b"no such page", 404)
        if kind == "moved":
            return exchange.answer(b"", 301, {"Location": exchange.path + "/moved"})
        if kind == "pdf":
            return exchange.answer(_PDF.read_bytes(), 200, {"Content-Type": "application/pdf"})
        own = "<p>This is a preview of subscription content.</p>" if kind == "paywall" else ""
        lines = "".join(f"<p>{sentence(seed, exchange.path, line)}</p>" for line in range(4 if own else 30))
        html = f"<html><head><title>Measures</title></head><body><h1>Measures</h1>{lines}{own}</body></html>"
        return exchange.answer(html.encode(), 200, {"Content-Type": "text/html; charset=utf-8"})

    def work(bench: PaperRun) -> None:
        (bench.folder / "allow.toml").write_text(
            '[allowed]\nidentifiers = ["doi", "pmid"]\n[[groups]]\nname = "evidence"\ndomains = ["evidence.example"]\n'
        )
        bench.run("fetch", "s.medreview", "--proxy", bench.base, "--json")

    def found(bench: PaperRun) -> Iterator[FoundFigure]:
        told = json.loads(
            bench.run("citations", "s.medreview", "--allow", "allow.toml", "--json", "--csv", "audit.csv")
        )
        for system, own in told["by_model"].items():
            for name in _KPIS:
                yield FoundFigure(own["figures"][name], system, "(not given)")
        with (bench.folder / "audit.csv").open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        yield FoundFigure({"name": "rows of the audit file with prompt and output", "value": float(
            sum(bool(row["prompt"] and row["output"]) for row in rows))}, "", "(not given)")  # fmt: skip
        whole = json.loads(bench.run("sources", "addresses", "s.medreview", "--json"))["strata"][0]["states"]
        for state in sorted(set(_STATES.values())):
            yield FoundFigure({"name": "addresses in state", "value": float(whole.get(state, 0))}, state, "(not given)")

    def expected() -> EXPECTED:
        rule: dict[tuple[str, str], float] = {("rows of the audit file with prompt and output", ""): len(answers)}
        for system, rows in kpis.items():
            citing, linking = [row for row in rows if row[0]], [row for row in rows if row[2]]
            rule["responses with a citation", system] = len(citing) / len(rows)
            rule["citations per response", system] = sum(row[0] for row in rows) / len(rows)
            rule["allowed, mean of responses", system] = sum(row[1] / row[0] for row in citing) / len(citing)
            rule["allowed, pooled", system] = sum(row[1] for row in rows) / sum(row[0] for row in rows)
            rule["allowed URLs, mean of responses", system] = sum(row[3] / row[2] for row in linking) / len(linking)
            rule["allowed URLs, pooled", system] = sum(row[3] for row in rows) / sum(row[2] for row in rows)
        for state in set(_STATES.values()):
            rule["addresses in state", state] = sum(_STATES[_kind(seed, one)] == state for one in asked)
        rule["addresses in state", "http_error"] += len(resolved)
        return rule

    return Paper([("import", answers)], expected=expected, page=page, work=work, found=found)


_KPIS: Final = ("with_citation", "mean_citations", "mean_allowed", "pooled_allowed", "mean_allowed_urls",
                "pooled_allowed_urls")  # fmt: skip


def _kind(seed: int, address: str) -> str:
    """What is at an address; where one has moved to, there is a page."""
    if address.endswith("/moved"):
        return "ok"
    at = chance("page", seed, address)
    return next(kind for kind, most in _KINDS.items() if at < most)
