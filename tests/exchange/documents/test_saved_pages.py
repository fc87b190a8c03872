"""Saved pages of answer engines, and any other page: question, answer, references; links in their place."""

from collections.abc import Callable
from pathlib import Path

from medreview.exchange.imports.open_rows import notes_on
from tests.support.office_files import saved_page
from tests.support.read_answers import rows_in

Write = Callable[[str, str | bytes], Path]

CHIP = (
    '<span class="css-1 markdown-article-citation-chip">Crit Care Med<span aria-hidden="true">{}</span></span>'.format
)
CONVERSATION = f"""<!DOCTYPE html><html><head><title>Shock | Engine</title></head><body><nav><a href="/">Home</a></nav>
<div data-testid="ask--query-bar"><p>When are antibiotics given in septic shock?</p><button>Edit</button></div>
<article><div class="MuiStepper-root">Analyzed query</div><h3>Timing</h3>
<p>They are given <strong>within one hour</strong> of septic shock.{CHIP("[1]")}
Delay raises mortality.{CHIP("[1-2]")}</p>
<ul><li>Give 30 mL/kg of crystalloid.</li></ul>
<table><tr><th>Drug</th><th>Dose</th></tr><tr><td>Ceftriaxone</td><td>2 g</td></tr></table>
<div data-answer-end="true"></div><div class="ArticleReferences_references_container__a"><h3>References</h3>
<div class="ArticleReferences_reference__x"><a href="https://doi.org/10.5555/one">First Work.</a>
<div>Crit Care Med. 2021.</div></div>
<div class="ArticleReferences_reference__x"><a href="https://doi.org/10.5555/two">Second Work.</a></div></div>
<p>Follow-Up Questions</p></article>
<div data-testid="ask--query-bar">And in children?</div>
<article><p>Within one hour as well.{CHIP("[1]")}</p><div data-answer-end="true"></div>
<div class="x_references_container"><ol><li><a href="https://doi.org/10.5555/three">Third Work</a></li></ol></div>
</article>
<div data-testid="ask--query-bar"><textarea></textarea></div></body></html>"""


def test_each_turn_of_a_conversation_is_an_answer_with_its_numbered_references(write: Write):
    for path in (
        write("a.txt", CONVERSATION),
        write("a.mhtml", saved_page(CONVERSATION, "https://engine.example/ask/1")),
        write("b.htm", CONVERSATION.encode("utf-16")),
    ):
        first, second = rows_in(path)
        assert notes_on(path) == ["read as OpenEvidence page"]
        assert first.values == {
            "question": "When are antibiotics given in septic shock?",
            "model": "OpenEvidence",
            "response": "### Timing\n\n"
            "They are given within one hour of septic shock.[1] Delay raises mortality.[1-2]\n\n"
            "- Give 30 mL/kg of crystalloid.\n\n| Drug | Dose |\n| --- | --- |\n| Ceftriaxone | 2 g |\n\n"
            "## References\n\n[1] [First Work.](https://doi.org/10.5555/one) Crit Care Med. 2021.\n"
            "[2] [Second Work.](https://doi.org/10.5555/two)",
        }
        assert second.values["question"] == "And in children?"
        assert second.values["response"].endswith("[1] [Third Work](https://doi.org/10.5555/three)")


def test_messages_of_a_chat_are_questions_and_answers(write: Write):
    chat = """<html><body><main><div data-message-author-role="user">Dose of apixaban?</div>
    <div data-message-author-role="assistant" data-message-model-slug="atlas-2"><p>It is 5 mg twice daily
    <a href="https://nice.example/ng196">NICE</a>.</p><ol><li><p>Halve it in the frail.</p></li></ol>
    <button>Copy</button></div>
    <div data-message-author-role="user">And in dialysis?</div>
    <div data-message-author-role="assistant" data-message-model-slug="atlas-2"><p>It is not studied well.</p></div>
    </main></body></html>"""

    assert [row.values for row in rows_in(write("chat.html", chat))] == [
        {
            "question": "Dose of apixaban?",
            "response": "It is 5 mg twice daily [NICE](https://nice.example/ng196).\n\n1. Halve it in the frail.",
            "model": "atlas-2",
        },
        {"question": "And in dialysis?", "response": "It is not studied well.", "model": "atlas-2"},
    ]


def test_an_answer_with_a_numbered_id_follows_its_heading(write: Write):
    page = """<html><body><h1 class="group/query">Dose of apixaban?</h1><div id="markdown-content-0"><p>It is 5 mg twice
    daily<span class="citation inline"><a href="https://nice.example/ng196">1</a></span>.</p></div></body></html>"""

    [row] = rows_in(write("page.html", page))

    assert row.values["question"] == "Dose of apixaban?"
    assert row.values["response"] == "It is 5 mg twice daily[1](https://nice.example/ng196)."


def test_of_any_other_page_the_main_text_is_read_with_its_links(write: Write):
    prose = "It halves recurrence in acute pericarditis, as a trial of 240 patients showed over eighteen months. " * 3
    page = f"""<!-- saved from url=(0031)https://answers.example.org/q/5 --><!DOCTYPE html><html><body>
    <nav><ul><li><a href="/a">Home</a></li></ul></nav><main><h1>Is colchicine given in pericarditis?</h1>
    <p>{prose}See <a href="/works/corp">CORP</a>.</p><h2>References</h2><ol><li>Imazio M. 2013. <a href="https://doi.org/10.5555/i">DOI</a>
    </li></ol></main><footer><a href="https://imprint.example">Imprint</a></footer></body></html>"""

    [row] = rows_in(write("page.html", page))

    assert row.values["question"] == "Is colchicine given in pericarditis?"
    assert row.values["response"] == (
        f"{prose}See [CORP](https://answers.example.org/works/corp).\n\n## References\n\n"
        "1. Imazio M. 2013. [DOI](https://doi.org/10.5555/i)"
    )
