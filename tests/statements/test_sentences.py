"""Sentence boundaries: a wide table of medical prose, and properties on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.statements.sentences import sentence_spans, sentences

# Each row is one text; "|" stands where a boundary belongs (it is replaced by a space).
SPLITS = [
    "Give 0.5 mg/kg.|Then wait.",
    "Give 2.5-5 mg.|Then wait.",
    "Take 5 mg.|2 tablets are too many.",
    "Use an NSAID, e.g. ibuprofen.|Avoid aspirin, i.e. acetylsalicylic acid, in children.",
    "Use e.g. Ibuprofen or i.e. Aspirin.",
    "Dr. Maier and Prof. Lund agree.|So do we.",
    "Warfarin vs. Apixaban was studied.|No. 3 on the list is approx. 2.5 mg.",
    "Take 500 mg p.o. b.i.d. for 5 days.|Stop then.",
    "Take 500 mg b.i.d.|Metformin is next.",
    "Take 500 mg p.o. BID with food.",
    "Care in the U.S. Food and Drug Administration files differs.|It is free in the U.K.|The rest is not.",
    "Smith et al. (2020) found it.|Smith et al. Lancet 2020.",
    "It was shown by Smith et al.|The trial was small.",
    "See Fig. 2.|It shows a fall.",
    "J. K. Brown wrote it.|R. Maier did not.",
    "Give vitamin K.|Warfarin is then stopped.",
    "Vaccinate against hepatitis B.|Test for it first.",
    "Do not take more than 4 g.|Paracetamol is toxic.",
    "Repeat after 24 h.|Check potassium.",
    "Rest for 5 min.|Breathe.",
    "Use NSAIDs, opioids, etc.|Avoid steroids.",
    "Go to the ED.|Aspirin helps.",
    "Install the app.|The nurse calls.",
    "Keep that in mind.|Aspirin helps.",
    "Is it safe?|Yes.|No!|Perhaps.",
    "“Why?” he asked.|She left.",
    "Wait... and see.|Then act.",
    "He said “stop.”|Then he left.",
    "**Stop at once.**|Call a doctor.",
    "Mortality fell.12|In patients it rose.[1]|The rest.[2][3]|Again.¹²|Then.",
    "Mortality fell (1).|Then it rose (2, 3).|The end.",
    "Steps: (1). Stop.|Rest.",
    "Mortality fell.[1](https://a.org/x_(y))|Then it rose. [[2]](https://b.org)[[3]](https://c.org)|The end.",
    "Mortality fell.([a.org](https://a.org))|Then it rose. ([b.org](https://b.org), [c.org](https://c.org))|The end.",
    "Mortality fell.<sup>[1](https://a.org)</sup>|Then it rose.<sup>2</sup>|The end.",
    "Mortality fell. :contentReference[oaicite:0]{index=0}|Then it rose. citeturn0search1turn2view0|The end.",
    "Mortality fell.|[NICE](https://a.org) says so.",
    "Mortality fell. [1]|Then it rose. [2, 3]|The end.",
    "The drug is unsafe in pregnancy.|another is preferred.",
    "It targets IL-6.|mRNA vaccines do not.|eGFR falls.",
    "The rate is 5.|Then 6.",
    "Grade 3.|Patients died at 65.",
    "See https://example.org/a.b?c=1.|Then act.",
    "Am 3. Januar gab man z. B. 2,5 mg bzw. Warfarin.|Im 2. Trimenon nicht.",
    "Das ist im 1. Trimenon, d. h. früh, z.B. Aspirin, mind. 2 mg, ggf. Heparin.|Danach nicht.",
    "Prenez p. ex. l'aspirine 2,5 mg/kg, env. 3 fois.|Mme. Roux est d'accord.",
    "Tome p. ej. 2,5 mg/kg, aprox. tres veces.|La Dra. Ruiz está de acuerdo.|¿Es seguro?|Sí.",
    "P was < .05 and r = 0.3.|Nothing else.",
]


@pytest.mark.parametrize("row", SPLITS)
def test_boundaries(row: str) -> None:
    text = row.replace("|", " ")
    assert [text[s.start : s.end] for s in sentences(text)] == row.split("|")


def test_wide_stops_need_no_space() -> None:
    text = "薬を飲む。毎日！はい"
    assert [text[s.start : s.end] for s in sentence_spans(text)] == ["薬を飲む。", "毎日！", "はい"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one\n\ntwo", ["one", "two"]),
        ("one\n \t\ntwo", ["one", "two"]),
        ("wrapped\nline here.\nNext.", ["wrapped\nline here.", "Next."]),
        ("Options:\n- one\n- two\n1. Three\n2) Four", ["Options:", "- one", "- two", "1. Three", "2) Four"]),
        ("", []),
        (" \n\n ", []),
        ("...", ["..."]),
    ],
)
def test_lines(text: str, parts: list[str]) -> None:
    assert [text[s.start : s.end] for s in sentence_spans(text)] == parts


def test_a_range_of_the_text() -> None:
    text = "One. Two two. Three. Four."
    spans = sentence_spans(text, 5, 20)
    assert [text[s.start : s.end] for s in spans] == ["Two two.", "Three."]


@given(st.text(alphabet=st.sampled_from("aB3 .!?\n-*[]()1e.g,;|\"'”¹°…。\ud800"), max_size=200), st.data())
def test_spans_cover_the_range_once(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    spans = sentence_spans(text, start, end)
    last = start
    for span in spans:
        assert last <= span.start < span.end <= end
        assert not text[last : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        last = span.end
    assert not text[last:end].strip()


@given(st.text(max_size=100))
def test_any_text(text: str) -> None:
    assert sum(len(text[s.start : s.end].split()) for s in sentence_spans(text)) >= len(text.split())


PIECES = """
word|The|BMI|Dr|e.g|vs|No|no|Fig|p|C|I|vitamin|U.S|etc|al|et|am|Januar|3|12|0.05|(5)|10)|[1]|word[12]|e.g[4]|x²|5%|word)
|"Yes"|(see|a-b|Straße|É|Élan|µg|www.a.org|-|–
"""


@given(st.lists(st.sampled_from(PIECES.strip().replace("\n", "").split("|")), min_size=1, max_size=9))
def test_white_space_after_a_full_stop_changes_no_boundary(words: list[str]) -> None:
    """One blank and a capital letter behind a full stop are read in a short way; two blanks never are."""
    texts = [gap.join(f"It was {word}." for word in words) + f"{gap}The end" for gap in (" ", "  ")]
    found = [[" ".join(text[s.start : s.end].split()) for s in sentence_spans(text)] for text in texts]
    assert found[0] == found[1]
