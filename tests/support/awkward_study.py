"""One study in which everything happens that makes it hard to say which judgements are votes.

Made by the program itself from files, saved pages and endpoints of models. Ten responses of one statement each, named
by what happens to them:

``asked_again``     amber answers otherwise under each of three prompts, and ends up against basalt: a tie
``beside_offline``  the offline judge finds support; amber does not, and basalt gives no usable answer
``page_changed``    both judges speak; then the text of the page changes, and only amber is asked again
``same_text``       both judges speak; then the page comes back with the same text in another state; only amber is asked
``unproven``        amber ends up with a "supported" whose quote is not in the page
``unanswered``      amber's last question has no usable answer, and the one before it stands
``two_sources``     both judges find support in the first of two sources, and nothing in the second
``imported``        the judgements of chalk come from a file, under two prompts
``together``        two sources that only together say it: the task merged_verification
``offline_alone``   came later: nobody but the offline judge has spoken

Beside them stand the runs of other tasks: merged_verification by amber, key facts by amber and onyx, hallucination
detection by onyx, alone and assisted. The reviewer anna says of every statement that it is supported, judges in sight.
"""

import json
from collections.abc import Callable
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Final

from medreview import pipeline
from medreview.llm.settings import JudgeSettings
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, by_prompt

REVIEWER: Final = "anna"
CITES: Final = {
    "asked_again": ("tablets",),
    "beside_offline": ("tablets",),
    "page_changed": ("changing",),
    "same_text": ("steady",),
    "unproven": ("stomach",),
    "unanswered": ("stomach",),
    "two_sources": ("tablets", "stomach"),
    "imported": ("stomach",),
    "together": ("tablets", "stomach"),
    "offline_alone": ("tablets",),
}
STATEMENTS: Final = {
    "asked_again": "Paracetamol can be taken with or without food.",
    "beside_offline": "Ibuprofen tablets are best taken with a meal or a glass of milk.",
    "page_changed": "An overdose of paracetamol can damage the liver.",
    "same_text": "Ibuprofen can raise the blood pressure.",
    "unproven": "Naproxen can irritate the lining of the stomach.",
    "unanswered": "Aspirin can make bleeding last longer.",
    "two_sources": "Tablets are swallowed whole with plenty of water.",
    "imported": "Codeine often causes constipation.",
    "together": "Ibuprofen and naproxen belong to the same group of medicines.",
    "offline_alone": "Ibuprofen tablets are best taken with a meal or a glass of milk at breakfast.",
}
_OPENINGS: Final = {name: f"This page is about {name}." for name in ("tablets", "stomach", "changing", "steady")}
_ON_PAGES: Final = ("beside_offline", "offline_alone")
"""Statements that their page holds in any case; the others are there as what judges quote."""
_FILLER: Final = (
    "Ask a pharmacist whenever anything about a medicine is unclear, and take the leaflet along. Keep every medicine "
    "in its own box, out of the reach of children, and hand back what is left over. Write down what was taken and when."
)
_ANSWERS: Final = {
    # (judge, prompt): what it says of the statements by all their sources, or by the one that is named
    ("amber", 1): {
        "asked_again": "supported", "beside_offline": "not_addressed", "page_changed": "supported",
        "same_text": "partial", "unproven": "partial", "unanswered": "partial", "imported": "supported",
        "two_sources/tablets": "supported", "two_sources/stomach": "not_addressed", "together": "not_addressed",
    },
    ("amber", 2): {
        "asked_again": "partial", "beside_offline": "not_addressed", "page_changed": "supported",
        "same_text": "partial", "unproven": "partial", "unanswered": "supported", "imported": "supported",
        "two_sources/tablets": "supported", "two_sources/stomach": "not_addressed", "together": "not_addressed",
    },
    ("amber", 3): {
        "asked_again": "contradicted", "beside_offline": "not_addressed", "page_changed": "partial",
        "same_text": "supported", "unproven": "false quote", "unanswered": "no answer", "imported": "supported",
        "two_sources/tablets": "supported", "two_sources/stomach": "not_addressed", "together": "not_addressed",
    },
    ("basalt", 1): {
        "asked_again": "supported", "beside_offline": "no answer", "page_changed": "supported",
        "same_text": "supported", "unproven": "partial", "unanswered": "supported", "imported": "supported",
        "two_sources/tablets": "supported", "two_sources/stomach": "not_addressed", "together": "not_addressed",
    },
}  # fmt: skip


def url_of(page: str) -> str:
    """The address of one of the pages."""
    return f"https://medicines.example/{page}"


def make_awkward_study(path: Path) -> None:
    """Make the study, and beside it the files that it is made from."""
    folder = path.parent
    _write_pages(folder, changed=False)
    later = "offline_alone"
    first = _write_answers(folder / "answers.jsonl", [name for name in STATEMENTS if name != later])
    pages = pipeline.PageProvider(folder / "pages")
    with Study.create(path, "awkward") as study, ExitStack() as running:

        def judge(name: str, prompt: int) -> tuple[JudgeSettings, Path]:
            endpoint = running.enter_context(JudgeEndpoint(by_prompt(_verifier(name, prompt))))
            return endpoint.settings(name, model=f"{name}-model"), _prompts(folder, prompt)

        pipeline.run(study, [first], {}, pages)
        for name, prompt in (("amber", 1), ("basalt", 1), ("amber", 2)):
            settings, prompts = judge(name, prompt)
            pipeline.judge_by(study, pipeline.Judges([settings], prompts=prompts))
        pipeline.bring_in(study, _write_imported(folder / "imported.jsonl"), {})
        _write_pages(folder, changed=True)
        pipeline.fetch(study, pages, scope="all")
        pipeline.judge(study)
        settings, prompts = judge("amber", 3)
        pipeline.judge_by(study, pipeline.Judges([settings], prompts=prompts))
        pipeline.run(study, [_write_answers(folder / "later.jsonl", [later])], {}, pages)
        _decide(study)
        _other_tasks(study, folder, running)


def _write_pages(folder: Path, *, changed: bool) -> None:
    sentences = {
        "tablets": f"{STATEMENTS['beside_offline']} {STATEMENTS['offline_alone']}",
        "stomach": "Medicines that calm pain can irritate the stomach.",
        "changing": "Doses were revised last year." if changed else "Doses are as they were.",
        "steady": "Blood pressure is measured now and then.",
    }
    for name in sentences:
        said = [STATEMENTS[about] for about, pages in CITES.items() if name in pages and about not in _ON_PAGES]
        sentences[name] = " ".join((sentences[name], *said))
    closed = '<script type="application/ld+json">{"@type": "Article", "isAccessibleForFree": false}</script>'
    (folder / "pages").mkdir(exist_ok=True)
    with (folder / "pages" / "manifest.jsonl").open("w") as manifest:
        for name, sentence in sentences.items():
            head = closed if changed and name == "steady" else ""
            body = f"<h1>{name.title()}</h1><p>{_OPENINGS[name]} {sentence}</p><p>{_FILLER}</p>"
            html = (
                f"<!doctype html><html><head><title>{name}</title>{head}</head><body><main>{body}</main></body></html>"
            )
            (folder / "pages" / f"{name}.html").write_text(html)
            manifest.write(json.dumps({"url": url_of(name), "file": f"{name}.html"}) + "\n")


def _write_answers(path: Path, names: list[str]) -> Path:
    with path.open("w") as file:
        for name in names:
            record = {"id": name, "question": _question(name), "response": STATEMENTS[name], "model": "atlas-2"}
            file.write(json.dumps(record | {"citations": [url_of(page) for page in CITES[name]]}) + "\n")
    return path


def _question(name: str) -> str:
    return f"What holds for {name}?"


def _write_imported(path: Path) -> Path:
    with path.open("w") as file:
        for prompt, label in (("first", "supported"), ("second", "contradicted")):
            record = {
                "judge": "chalk",
                "model": "chalk-model",
                "prompt": prompt,
                "response": "imported",
                "label": label,
            }
            record |= {
                "statement": STATEMENTS["imported"],
                "source": url_of("stomach"),
                "quote": STATEMENTS["imported"],
            }
            file.write(json.dumps(record) + "\n")
    return path


def _prompts(folder: Path, version: int) -> Path:
    """A folder of prompts in which source verification is asked for in words of this version's own."""
    place = folder / f"prompts-{version}"
    place.mkdir(exist_ok=True)
    text = files("medreview.prompts").joinpath("source_verification.md").read_text()
    own = text.replace("version = 2", f"version = {version}").replace(
        "You check whether", f"{'Now ' * version}check whether"
    )
    (place / "source_verification.md").write_text(own)
    return place


def _verifier(judge: str, prompt: int) -> Callable[[str], object]:
    """What a judge answers: its label, with the statement on the page for a quote where that is asked for."""
    answers = _ANSWERS[judge, prompt]

    def reply(asked: str) -> object:
        name = next(name for name in STATEMENTS if _question(name) in asked)
        page = next(page for page, opening in _OPENINGS.items() if opening in asked)
        label = answers.get(name) or answers[f"{name}/{page}"]
        if label == "no answer":
            return "I would rather not say."
        if label == "not_addressed":
            return NOT_ADDRESSED
        quote = "No page of this study says these words." if label == "false quote" else STATEMENTS[name]
        return {
            "quote": quote, "reason": "It says so.", "confidence": 0.9,
            "label": "supported" if label == "false quote" else label,
        }  # fmt: skip

    return reply


def _decide(study: Study) -> None:
    session = ReviewSession(study, REVIEWER, open_queue(study, "responses", REVIEWER))
    for place in range(len(session.queue.units)):
        session.go(place)
        session.decide("supported")
    session.note("Which of the two is meant?")
    session.leave()


def _other_tasks(study: Study, folder: Path, running: ExitStack) -> None:
    facts = folder / "facts.jsonl"
    facts.write_text(json.dumps({"fact": "It names the medicine.", "response": "asked_again"}))
    pipeline.bring_facts(study, facts, REVIEWER)
    amber = {
        "quotes": [STATEMENTS["together"]],
        "reason": "Together they say it.",
        "label": "supported",
        "confidence": 0.8,
    }
    fact = {"quote": STATEMENTS["asked_again"], "reason": "It is there.", "answer": "yes"}
    found = {"spans": [], "reason": "Nothing is wrong.", "found": "no", "type": "none"}
    for name, task, said in (
        ("amber", "merged_verification", amber),
        ("amber", "key_fact_presence", fact),
        ("onyx", "key_fact_presence", fact),
        ("onyx", "hallucination_detection", found),
        ("onyx", "hallucination_assisted", found),
    ):
        endpoint = running.enter_context(JudgeEndpoint(by_prompt(lambda _, said=said: said)))
        done = pipeline.judge_by(study, pipeline.Judges([endpoint.settings(name, model=f"{name}-model")], task))
        assert done.judges[0].units > done.judges[0].abstained, f"{task}: {done.judges[0].outcomes}"
