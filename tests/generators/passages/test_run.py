"""Passages chosen from texts and stored, by words and by the embeddings of a server."""

import json
from math import log

import pytest

from medreview.errors import UserError
from medreview.generators import passage_run
from medreview.generators.passage_run import ALIKE_EMBEDDED, Measures, choose, paragraphs_of, store, summary_of
from medreview.generators.source_texts import SourceText, text_of_file, texts_of_passages, texts_of_snapshots
from medreview.llm.settings import model_at_host
from medreview.study import Study
from medreview.study.check import check
from tests.support.embeddings_endpoint import Embeddings, embeds
from tests.support.http_server import answer_json
from tests.support.judge_endpoint import refuses
from tests.support.qa_samples import SAMPLE, chapter
from tests.support.study_builder import rows_of


@pytest.fixture(scope="module")
def every():
    return paragraphs_of([text_of_file(SAMPLE / "chapter.md")])


def test_of_the_sample_chapter_eleven_passages_are_kept_and_every_rule_but_two_has_something_to_leave_out(every):
    chosen, limits = choose(every, Measures())
    done = summary_of(1, chosen, Measures(), limits, 0)
    assert (done.paragraphs, done.kept, list(chapter())[-1]) == (29, 11, "P11")
    assert {code for code, count in done.rules.items() if not count.fail} == {"too_long", "twice"}
    assert sum(count.first for count in done.rules.values()) == 18
    assert all(count.first <= count.fail for count in done.rules.values())
    assert (done.entities, done.vectors, done.alike) == ("medreview term lists", "TF-IDF", 0.1)


def test_every_paragraph_is_stored_with_place_and_measures_and_the_kept_ones_are_passages(study, every):
    chosen, limits = choose(every, Measures())
    assert (store(study, chosen, Measures(), limits), store(study, chosen, Measures(), limits)) == (11, 0)
    text = every[0].source.text
    rows = rows_of(study, "SELECT * FROM passage_feature ORDER BY start_cp")
    assert len(rows) == 29
    assert all(" ".join(text[row["start_cp"] : row["end_cp"]].split()).startswith(row["beginning"]) for row in rows)
    assert all(None not in (row["density"], row["variance"], row["entropy"]) for row in rows)
    kept = [row["passage_id"] for row in rows if not row["codes"]]
    passages = rows_of(study, "SELECT * FROM passage ORDER BY rowid")
    assert [row["passage_id"] for row in passages] == kept
    assert [row["text"] for row in passages] == list(chapter().values())
    assert {(row["title"], row["imported_from"]) for row in passages} == {("chapter", "chapter.md")}
    (run,) = rows_of(study, "SELECT * FROM passage_run")
    assert (run["density"], run["variance"], run["entropy"], run["keep"]) == (0.05, 0.05, 1.0, None)
    assert check(study.sealed()) == []


def test_a_share_is_kept_by_thresholds_that_are_stored(study, every):
    measures = Measures(keep=0.5)
    chosen, limits = choose(every, measures)
    sound = [one for one in chosen if not one.candidate.noise]
    assert (len(sound), sum(not one.codes for one in chosen)) == (14, 8), "the eighth is as good as the seventh"
    store(study, chosen, measures, limits)
    (run,) = rows_of(study, "SELECT * FROM passage_run")
    assert (run["keep"], run["density"]) == (0.5, limits.density)
    assert limits.density > 0.05


def test_the_same_paragraph_again_counts_once_and_a_text_without_paragraphs_is_not_measured():
    text = chapter()["P5"]
    endless = " ".join(["Digoxin is cleared by the kidneys and no sentence of this ends"] * 200)
    chosen, _ = choose(paragraphs_of([SourceText("a", f"{text}\n\n{text}"), SourceText("b", endless)]), Measures())
    assert [one.codes for one in chosen] == [(), ("twice",), ("few_sentences", "too_long")]
    assert chosen[2].features is None


def test_pages_and_passages_of_a_study_are_texts_too(demo_file):
    with Study.open(demo_file, read_only=True) as study:
        pages = list(texts_of_snapshots(study.reader))
        assert not list(texts_of_passages(study.reader))
    assert {page.url for page in pages if "warfarin" in page.title.casefold()}
    kept = [one for one in choose(paragraphs_of(pages), Measures())[0] if not one.codes]
    assert kept
    assert all(one.candidate.passage.url.startswith("https://") for one in kept)


@pytest.mark.parametrize(
    ("name", "body", "why"),
    [
        ("a.txt", b"caf\xe9", "not UTF-8 from byte 3"),
        ("a.md", b"a\0b", "not a text file"),
        ("a.txt", b" \n", "has no text"),
        ("a.html", b"\x89PNG\r\n\x1a\n", "has no text. The body is a PNG image"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path, name, body, why):
    path = tmp_path / name
    path.write_bytes(body)
    with pytest.raises(UserError, match=why):
        text_of_file(path)


def test_html_and_pdf_are_read_as_pages():
    page = text_of_file(SAMPLE / "pages" / "warfarin-monograph.html")
    assert "Warfarin" in page.title
    assert "<p>" not in page.text
    assert "Enoxaparin is cleared mainly by the kidney" in text_of_file(SAMPLE / "pages" / "enoxaparin-doses.pdf").text


TEXT = SourceText(
    "book",
    "The kidney clears lithium and digoxin. The kidney clears metformin unchanged. The kidney fails in sepsis.\n\n"
    "The kidney clears lithium and sodium. The liver clears ammonia and warfarin. The heart beats by itself.\n\n"
    "Figure 3. The kidney and its vessels are shown. The liver lies to the right of all of them in the drawing.",
)


def test_embeddings_are_asked_for_passages_of_sound_form_only_paid_once_and_in_the_ledger(study):
    every = paragraphs_of([TEXT])
    with Embeddings() as server:
        settings = server.settings(price_input=2.0)
        found = passage_run.by_embeddings(study, every, settings, ALIKE_EMBEDDED)
        again = passage_run.by_embeddings(study, every, settings, ALIKE_EMBEDDED)
        assert len(server.received) == 2, "the caption is not paid for, and nothing is paid twice"
        assert json.loads(server.received[0].body)["input"][0] == "The kidney clears lithium and digoxin."
    assert found == again
    one, other = (found[candidate.passage.passage_id] for candidate in every[:2])
    assert (one.variance, one.entropy) == (pytest.approx(0), 0)
    assert other.entropy == pytest.approx(log(3))
    measures = Measures(vectors=model_at_host(settings), alike=ALIKE_EMBEDDED)
    chosen, _ = choose(every, measures, found)
    assert [one.codes for one in chosen] == [(), ("unfocused",), ("caption",)]
    assert chosen[2].features is None
    calls = rows_of(study, "SELECT task, status, prompt_tokens, cost FROM llm_call")
    assert [tuple(row.values()) for row in calls] == [("embeddings", "ok", 30, 30 * 2 / 1e6)] * 2
    assert check(study.sealed()) == []


def test_a_server_that_fails_ends_it_and_the_next_time_goes_on_where_it_was(study):
    every = paragraphs_of([TEXT])
    with Embeddings() as server:
        asked = iter((embeds, refuses(401, "bad key")))
        server.otherwise = lambda exchange: next(asked)(exchange)
        with pytest.raises(UserError, match=r"gives no embeddings: The server answered 401.*measured is kept"):
            passage_run.by_embeddings(study, every, server.settings(), ALIKE_EMBEDDED)
        server.otherwise = embeds
        assert len(passage_run.by_embeddings(study, every, server.settings(), ALIKE_EMBEDDED)) == 2
        assert len(server.received) == 3


@pytest.mark.parametrize(
    "body",
    [
        {"data": []},
        {"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}, {"embedding": [1.0]}]},
        {"data": [{"embedding": ["1"]}] * 3},
        {"data": [{"embedding": None}] * 3},
        {"choices": [{"message": {"content": "vectors"}}]},
        [1, 2],
    ],
)
def test_what_are_no_vectors_is_said_and_nothing_is_measured(study, body):
    with Embeddings(answer_json(body)) as server, pytest.raises(UserError, match="no list of as many vectors as texts"):
        passage_run.by_embeddings(study, paragraphs_of([TEXT])[:1], server.settings(), ALIKE_EMBEDDED)
    assert rows_of(study, "SELECT * FROM passage_measure") == []


def test_a_passing_failure_is_tried_again(study):
    with Embeddings() as server:
        asked = iter((refuses(503, "busy"), embeds))
        server.otherwise = lambda exchange: next(asked)(exchange)
        assert len(passage_run.by_embeddings(study, paragraphs_of([TEXT])[:1], server.settings(), ALIKE_EMBEDDED)) == 1
    assert rows_of(study, "SELECT tries FROM llm_call")[0]["tries"] == 2
