"""The review without a screen."""

import csv
import json
import re
from importlib.resources import files

from medreview.review.actions import REVIEW
from medreview.study import Study
from tests.support.saved_pages import save_pages
from tests.support.study_builder import new_version


def test_decide_override_mark_note_undo(medreview, demo, tmp_path):
    script = "2\nq\nj\n3\ns\nh 1\nn the dose is wrong\nu\ns\n?\nq\n"
    done = medreview("review", demo, "--plain", "--queue", "responses", input=script)

    assert "saved #" in done.stdout
    assert "undone: note" in done.stdout
    assert "quote on page: “" in done.stdout
    assert "()" not in done.stdout
    with Study.open(demo, read_only=True) as study:
        rows = study.reader.execute(
            "SELECT kind FROM event WHERE kind NOT IN ('shown', 'audit_rate') ORDER BY event_id"
        )
        kinds = [row[0] for row in rows]
    acts = ["decide", "reason", "decide", "reason", "decide", "span_add", "note", "retract", "defer"]
    assert kinds == acts
    medreview("export", demo, "labels")
    with (tmp_path / "labels" / "spans.csv").open(newline="") as lines:
        assert len(list(csv.DictReader(lines))) == 1


def test_a_blind_queue_hides_the_judges_until_the_decision(medreview, demo):
    shown = medreview("review", demo, "--plain", "--queue", "audit", input="q\n").stdout
    size = min(20, int(shown.partition("audit: random, 1 of ")[2].split()[0]))
    decide = "5\n" * size
    done = medreview("review", demo, "--plain", "--queue", "audit", input=f"?\nr\n{decide}r\nq\n")
    before, _, after = done.stdout.partition("The judges can be shown now")

    assert f"The judges are hidden until the block ends, {size} of {size} to go." in before
    assert f"End of the block. {size} decided." in before
    assert "juror" not in before
    assert "judges together" not in before
    assert "atlas-2" not in before
    assert "juror-one by juror-one-demo" in " ".join(after.split())
    assert "Enter keeps your verdict" in after


def test_the_end_of_input_leaves_in_order(medreview, demo):
    medreview("review", demo, "--plain", input="1\n")

    assert "whole" in medreview("check", demo).stdout


def test_hostile_text_is_marked_in_receipts_too(medreview, tmp_path):
    hostile = "Take \x1b]52;c;SGVsbG8=\x07 500 mg of it daily with food."
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "Q?", "response": hostile}))
    medreview("run", "h.medreview", "a.jsonl")
    done = medreview("review", "h.medreview", "--plain", input="h 1\nresponse\nq\n")

    assert "marked “Take ␛" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


def test_the_end_of_input_within_a_question_keeps_decision_and_place(medreview, demo):
    done = medreview("review", demo, "--plain", "--queue", "flagged", input="j\n3\n")

    assert "No judge says so. Why?" in done.stdout
    assert "Aborted" not in done.stderr
    with Study.open(demo, read_only=True) as study:
        place = study.reader.execute("SELECT unit FROM bookmark WHERE block = 'flagged'").fetchone()["unit"]
        decided = study.reader.execute("SELECT unit FROM event WHERE kind = 'decide'").fetchone()["unit"]
    assert place == decided


def test_a_reason_is_asked_of_a_named_statement_the_likely_one_first_and_leads_to_a_type(medreview, demo):
    """The third of the queue has a quote that is not on its page."""
    done = medreview("review", demo, "--plain", "--queue", "flagged", input="j\nj\n3\nh 9\nh 1\nq\n")

    asked = " ".join(done.stdout.split())
    assert re.search(r"R\d+ S\d: contradicted. Why not “supported”\? c citation\? q quantity", asked)
    assert "Say h and a number" in done.stdout + done.stderr
    with Study.open(demo, read_only=True) as study:
        labels = study.reader.execute("SELECT label FROM event WHERE kind = 'decide' ORDER BY seq").fetchall()
    assert [row["label"] for row in labels] == ["contradicted", "fact"]


def test_n_alone_reads_the_note_and_removes_nothing(medreview, demo):
    done = medreview("review", demo, "--plain", input="n\nn wrong dose\nn\nq\n")

    assert "There is no note yet" in done.stdout
    assert "note: wrong dose" in done.stdout
    assert "note removed" not in done.stdout


def test_an_output_without_unicode_does_not_end_the_review(medreview, demo, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    shown = medreview.process("review", demo, "--plain", "--queue", "flagged", input="q\n").stdout
    assert "quote NOT ON PAGE: ?" in " ".join(shown.split())


def test_judges_quotes_and_numbers_that_differ_are_told_apart(medreview, demo):
    shown = medreview("review", demo, "--plain", "--queue", "flagged", "--filter", "badge=numbers", input="q\n").stdout

    assert "rules (words only): contradicted [1]" in shown
    told = " ".join(shown.split())
    assert "quote CHANGED: give [50] mL/kg" in told
    assert "page: give [30] mL/kg" in told
    assert "DIFFERS: “" in shown
    assert "in the statement" in shown


def test_an_absent_quote_and_sources_in_conflict_are_said_above_the_page(medreview, demo):
    absent = medreview("review", demo, "--plain", "--queue", "flagged", "--filter", "badge=absent", input="q\n").stdout
    assert "quote is NOT on this page: “" in absent
    assert "0 hits" in absent
    conflict = medreview("review", demo, "--plain", "--queue", "flagged", "--filter", "badge=conflict", input="q\n")
    assert "SOURCES CONFLICT: [1] " in conflict.stdout
    assert " contradicts: “" in conflict.stdout
    blind = medreview("review", demo, "--plain", "--queue", "responses", "--blind", input="j\n" * 20 + "q\n").stdout
    assert "NOT on this page" not in blind
    assert "SOURCES CONFLICT" not in blind


def test_putting_off_the_last_statement_says_that_it_was_the_last(medreview, demo):
    done = medreview("review", demo, "--plain", "--filter", "badge=paywall", "--queue", "flagged", input="s\nq\n")
    assert "(end of the queue)" in done.stdout


def test_where_in_a_source_one_is_is_said_in_words(medreview, demo):
    of_a_pdf = medreview(
        "review", demo, "--plain", "--queue", "responses", "--filter", "response=R07", input="]\nj\n]\nq\n"
    )
    assert "title: Enoxaparin: doses in renal impairment" in of_a_pdf.stdout
    assert "page 1 of 2" in of_a_pdf.stdout
    assert "page 2 of 2" in of_a_pdf.stdout
    of_a_page = medreview("review", demo, "--plain", "--queue", "responses", "--filter", "response=R01", input="q\n")
    assert "under: Metformin hydrochloride > Dose by kidney function" in of_a_page.stdout


def test_what_i_said_is_read_out_and_a_stale_label_is_named_as_such(medreview, demo):
    first = ("review", demo, "--plain", "--queue", "responses", "--filter", "response=R01")
    said = medreview(*first, input="h 1\nd\nn why\n3\nq\nk\nq\n").stdout
    assert "you: contradicted; quantity; hallucination fact; dispute; a note (n reads it)" in said
    with Study.open(demo) as study:
        unit = study.reader.execute("SELECT snapshot FROM event WHERE kind = 'decide' AND snapshot <> ''").fetchone()
        (source,) = study.reader.execute("SELECT source_id FROM snapshot WHERE snapshot_id = ?", tuple(unit)).fetchone()
        new_version(study, source, "Another text.")
    again = medreview("review", demo, "--plain", "--queue", "stale", input="q\n").stdout
    assert "you: STALE, the page has changed since, decide again; contradicted; quantity" in again


def test_a_study_that_is_taken_away_is_said_with_every_receipt(medreview, demo):
    with medreview.start("review", demo, "--plain", "--queue", "responses") as review:

        def give(line, until):
            review.stdin.write(f"{line}\n")
            review.stdin.flush()
            said = ""
            while until not in said:
                piece = review.stdout.readline()
                assert piece, said
                said += piece
            return said

        assert "saved #" in give("5", "saved #")
        demo.unlink()
        review.stdin.write("\n4\n\nq\n")
        review.stdin.flush()
        out, error = review.communicate()
    assert "NOT SAVED HERE  S" in out
    assert "saved #" not in out
    assert "NOT SAVED HERE: demo.medreview was deleted, moved or renamed. Everything you" in out
    assert review.returncode == 2
    assert "brings it into the study" in error
    (rescue,) = demo.parent.glob("demo.rescue-*.medreview")
    assert "whole" in medreview("check", rescue).stdout


def test_what_does_not_stand_open_on_a_page_is_told_in_brackets(medreview, tmp_path):
    page = """<main><h1>Metformin</h1><p>Adults start with 500 mg of metformin twice daily, with a meal, and go on so
    for weeks.</p><details><summary>Kidneys</summary><p>Measure the eGFR before the treatment.</p></details>
    <p style="font-size:0">Everyone may take 3 g.</p></main>"""
    save_pages(tmp_path / "pages", {"https://kidney.example/m": page})
    answer = {"question": "Q?", "response": "Adults start with 500 mg of metformin. https://kidney.example/m"}
    (tmp_path / "a.jsonl").write_text(json.dumps(answer))
    medreview("run", "m.medreview", "a.jsonl", "--pages", "pages")
    done = medreview("review", "m.medreview", "--plain", "--queue", "responses", input="source\nq\n")

    told = " ".join(done.stdout.split())
    assert "Kidneys [collapsed: Measure the eGFR before the treatment.] [hidden: Everyone may take 3 g.]" in told


def test_the_same_letter_leads_to_the_pairs_of_a_statement_and_back(medreview, demo):
    done = medreview("review", demo, "--plain", "--queue", "flagged", input="P\nP\nq\n").stdout
    before, _, there = done.partition("\npairs, ")
    _, _, back = there.partition("triage: flagged, 1 of")

    assert "triage: flagged, 1 of" in before
    assert "Does this source say the statement?" in there
    assert "STATEMENT: " in back


def test_rankings_and_suggested_facts_are_decided_in_lines(medreview, tmp_path):
    for name in ("rankings", "cases"):
        medreview("import", "s.medreview", files("medreview.sample_data") / f"{name}.jsonl")
    script = "?\nrank 1\nrank 2>1=3 gxb\nrank 9\nq\n"
    wrong = medreview("review", "s.medreview", "--plain", "--queue", "rankings", input=script)
    assert "rank 2>1=3 gob  outputs from best to worst" in wrong.stdout
    assert "There is no rank yet: output 2 3" in wrong.stdout
    assert "'9' does not fit here" in wrong.stdout
    with Study.open(tmp_path / "s.medreview", read_only=True) as study:
        assert not study.reader.execute("SELECT 1 FROM event WHERE kind = 'decide'").fetchone()
        first = study.reader.execute("SELECT count(*) FROM unit WHERE kind = 'ranking'").fetchone()[0]
    script = "rank 2>1=3 gfob\nrank 2>1=3=4 gfobb\nk\n" * first
    done = medreview("review", "s.medreview", "--plain", "--queue", "rankings", input=f"{script}q\n")
    assert re.search(r"you: 2>1=3(=4)?; 1 Good; 2 Okay; 2 hallucinated; 3 Bad", done.stdout)
    script = "1\n3 Shorter words.\nk\nc o\nk\n+ m She smokes.\n+ z No.\nu\nq\n"
    done = medreview("review", "s.medreview", "--plain", "--queue", "suggestions", input=script)
    assert "you: edit; “Shorter words.”" in done.stdout
    assert "category other" in done.stdout
    assert "fact added: “She smokes.”" in done.stdout
    assert "Name a category by its letter" in done.stdout


def test_filters_decisions_and_notes_are_found_and_gone_to(medreview, demo, monkeypatch):
    monkeypatch.setenv("EDITOR", "sh -c 'echo written outside > \"$1\"' -")
    script = (
        ": response=R02\n4\n\n: \ngo R01 S1\ne\nH not\nH nothing-like-this\nnotes outside\ngo R99 S1\n: colour=red\nq\n"
    )
    done = medreview("review", demo, "--plain", "--queue", "responses", "--goal", "1", input=script)

    assert ", filter response=R02" in done.stdout
    assert "S1 · note" in done.stdout
    assert "not addressed: " in done.stdout
    assert "Nothing was found." in done.stdout
    assert "written outside" in done.stdout
    assert "there is no" in done.stdout
    assert "cannot use 'colour'" in done.stdout
    assert done.stdout.count("The goal of this sitting is reached: 1 decided") == 1
    assert "is not a goal" in medreview("review", demo, "--plain", "--goal", "soon", check=2).stderr


def test_a_queue_is_opened_by_the_words_that_the_screen_has_for_it(medreview, demo):
    for own, shown in (("flagged", "triage"), ("audit", "random")):
        first, second = (
            medreview("review", demo, "--plain", "--queue", name, input="q\n").stdout for name in (own, shown)
        )
        assert first.split("\n")[0] == second.split("\n")[0]
        assert shown in second
    assert "There is no queue 'triages'" in medreview("review", demo, "--plain", "--queue", "triages", check=2).stderr


def test_every_place_that_the_screen_lights_is_read(medreview, demo):
    done = medreview("review", demo, "--plain", "--queue", "flagged", input="m\nq\n").stdout
    assert "2 places of this page are lit on the screen; m reads each" in done
    *_, said = done.split("> ", 1)
    assert re.search(r"1 of 2: .*\n2 of 2: A dose in late pregnancy lowers the risk", said)
    blind = medreview("review", demo, "--plain", "--queue", "audit", input="m\nq\n").stdout
    assert "lit on the screen" not in blind


SAID_ANYWAY = ["judge_next", "judge_previous", "judges_in_full", "view", "whole_page"]
LAYOUT = [
    "page_down", "page_up", "top", "end", "pane", "queue_narrower", "queue_wider", "redraw", "palette", "hit_next",
    "hit_previous",
]  # fmt: skip
ON_THE_SCREEN = {"search": "/ search", "copy": "y copy", "figures": "i figures", "about": "o origin",
                 "attach": "F8 attach", "glossary": "F1 what words mean"}  # fmt: skip
IN_WORDS = {"mark_next": "m  every", "mark_previous": "m  every", "filter": ": FILTER", "learned_order": "order ",
            "history": "H WORDS", "guidelines": "guidelines", "accept": "a  ", "tag": "#TAG", "resize_span": "R WORDS",
            "source_next": "[ ]", "source_previous": "[ ]", "next": "j, k", "previous": "j, k"}  # fmt: skip


def test_every_action_of_the_screen_is_a_word_here_or_named_as_missing(medreview, demo):
    responses, facts = (
        medreview("review", demo, "--plain", "--queue", queue, input="?\nq\n").stdout
        for queue in ("responses", "pairs")
    )
    shown = f"{responses}{facts}"
    for action in REVIEW:
        if action.id.startswith("decide_") or action.id in (*SAID_ANYWAY, *LAYOUT, "category", "add"):
            continue
        key = IN_WORDS.get(action.id, ON_THE_SCREEN.get(action.id, f"{action.keys[0]} "))
        assert key.replace("question_mark", "?") in shown, action.id
