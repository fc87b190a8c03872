"""A study of cases with key facts, texts of several systems, and votes of judges and people on them."""

import json
from itertools import count
from typing import Final

from medreview.judges.tasks.key_facts import Fact, add_facts
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.ids import unit_id
from medreview.study.rows import insert
from medreview.units.cases import NewCase, NewNote, add_cases
from tests.support.study_builder import NOW, StudyBuilder, build

_SAID: Final = {"Y": ("yes", 1, "exact"), "N": ("no", 0, "none"), "-": ("yes", None, "absent"), "!": ("", None, "none")}


class FactStudy:
    """Grows by hand: each call is one transaction."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._questions: dict[str, str] = {}
        self._numbers = count()
        self._recorders: dict[str, Recorder] = {}

    def case(self, name: str, *facts: tuple[str, str], reference: str = "The reference text.") -> None:
        """A case of this name and its key facts, each (text, category)."""
        question = f"Write the hospital course of {name}."
        case = NewCase(name, f"Case {name}", question, reference, (NewNote("hp", "2031-01-01", "ward", "A note."),))
        self.study.write(lambda connection: add_cases(connection, [case], "cases.jsonl"))
        add_facts(self.study, question, [Fact(*fact) for fact in facts], "kb")
        self._questions[name] = question

    def text(self, system: str, case: str, text: str = "The text of the system.", **columns: str) -> str:
        """What a system wrote on a case; its id."""
        name = f"{system}-{case}"
        columns |= {"question": self._questions[case], "model": system}
        build(self.study, lambda rows: rows.response(name, text, **columns))
        return name

    def made(
        self, response: str, model: str, strategy: str, *calls: tuple[float | None, int], rung: str = "plain"
    ) -> None:
        """A text was generated here, by calls of (cost, milliseconds); ``rung`` is empty for those of a batch."""

        def add(rows: StudyBuilder) -> None:
            run, number = f"n{model}{strategy}", next(self._numbers)
            run_row = {
                "run_id": run,
                "generator": "brief",
                "model_name": model,
                "model": model,
                "host": "",
                "judge": "",
            }
            run_row |= {"prompts": "{}", "params": "{}", "options": json.dumps({"strategy": strategy})}
            insert(rows.connection, "generation_run", [{**run_row, "ordinal": number + 1, "started_at": NOW}])
            rows.add("generation_product", run_id=run, item_id=response, kind="response", made=response)
            for place, (cost, latency) in enumerate(calls):
                key = f"{response} {place}"
                call = {"cache_key": key, "judge": model, "model": model, "host": "", "task": "t", "cost": cost}
                call |= {"prompt_sha256": "", "at_utc": NOW, "status": "ok", "rung": rung, "tries": 1}
                call |= {
                    "prompt_tokens": 1,
                    "completion_tokens": 1,
                    "latency_ms": latency,
                    "error": "",
                    "raw_output": "",
                }
                rows.add("llm_call", **call)
                attempt = {"run_id": run, "item_id": response, "stage": f"s{place}", "number": 1, "cache_key": key}
                rows.add("generation_attempt", **attempt, status="ok", codes="[]", at_utc=NOW)

        build(self.study, add)

    def fact(self, response: str, number: int) -> str:
        """The id of a fact of the case that a text is on, by its number."""
        found = self.study.reader.execute(
            """SELECT key_fact_id FROM key_fact JOIN response ON sha256_of(question) = question_sha256
               WHERE response_id = ? AND key_fact.ordinal = ?""",
            (response, number),
        ).fetchone()
        return str(found[0])

    def votes(
        self, judge: str, response: str, said: str, task: str = "presence", *, quote: str = "", reason: str = ""
    ) -> None:
        """One answer for each fact of the case: ``Y``, ``N``, ``-`` (a yes with a false quote), ``!`` (no answer),
        or a blank where it was not asked."""

        def add(rows: StudyBuilder) -> None:
            run = rows.judge_run(judge, "llm", model=f"{judge}-model", prompt_id=f"key_fact_{task}/1")
            text = rows.connection.execute("SELECT text FROM response WHERE response_id = ?", (response,)).fetchone()[0]
            for number, letter in enumerate(said, 1):
                if letter == " ":
                    continue
                raw, answer, status = _SAID[letter]
                words = quote or (text if letter == "Y" else "")
                at = text.find(words) if words and letter != "-" else -1
                vote = {"judge_run_id": run, "key_fact_id": self.fact(response, number), "response_id": response}
                vote |= {"task": f"key_fact_{task}", "raw_answer": raw, "answer": answer, "quote": words}
                vote |= {"quote_status": "exact" if at >= 0 else status, "raw_output": ""}
                vote |= {"quote_start": at if at >= 0 else None, "quote_end": at + len(words) if at >= 0 else None}
                vote |= {"reason": reason or f"{judge} says {letter}.", "error": "" if raw else "timeout: 30 s"}
                rows.add("key_fact_vote", key_fact_vote_id=f"v{next(self._numbers)}", **vote)

        build(self.study, add)

    def labels(self, person: str, response: str, *levels: str, mode: str = "blind") -> None:
        """One level of the presence axis for each fact of the case; ``""`` where the person gave none."""
        recorder = self._recorders.setdefault(person, Recorder(person))
        exposure = {"judge_verdict": "no" if mode == "blind" else "before"}
        for number, level in enumerate(levels, 1):
            if not level:
                continue
            payload = {"axis": "presence", "label": level, "via": "digit", "exposure": exposure}
            event = NewEvent("decide", unit_id("fact", response, self.fact(response, number)), payload)
            self.study.write(
                lambda connection, event=event: recorder.append(connection, event, block="facts", mode=mode)
            )
