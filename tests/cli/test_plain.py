"""The review without a screen."""

import csv

from medreview.study import Study


def test_decide_override_mark_note_undo(medreview, demo, tmp_path):
    script = "2\n1\nj\n3\n1\nh 1\nn the dose is wrong\nu\ns\n9\nq\n"
    done = medreview("review", demo, "--plain", "--queue", "responses", input=script)

    assert "saved #" in done.stdout
    assert "undone: note" in done.stdout
    with Study.open(demo, read_only=True) as study:
        rows = study.reader.execute("SELECT kind FROM event WHERE kind <> 'shown' ORDER BY event_id")
        kinds = [row[0] for row in rows]
    acts = ["decide", "reason", "decide", "reason", "decide", "span_add", "note", "retract", "defer"]
    assert kinds == acts
    medreview("export", demo, "labels")
    with (tmp_path / "labels" / "spans.csv").open(newline="") as lines:
        assert len(list(csv.DictReader(lines))) == 1


def test_a_blind_queue_hides_the_judges_until_the_decision(medreview, demo):
    done = medreview("review", demo, "--plain", "--queue", "audit", input="?\n" + "5\n\n\n" * 4 + "q\n")
    before, _, after = done.stdout.partition("saved #")

    assert "judge juror" not in before
    assert "atlas-2" not in before
    assert "judge juror" in after


def test_the_end_of_input_leaves_in_order(medreview, demo):
    medreview("review", demo, "--plain", input="1\n")

    assert "whole" in medreview("check", demo).stdout
