"""What is no passage whatever it says: too short, boilerplate, tables, captions, LaTeX."""

import pytest

from medreview.evidence.alignment import tokens
from medreview.generators.passage_candidates import noise
from medreview.statements.sentences import sentence_spans

GOOD = (
    "Lactulose is fermented by bacteria in the colon to acids. Ammonia is held there as ammonium, so that less of it "
    "reaches the brain."
)


def codes(text: str) -> list[str]:
    return list(noise(text, len(tokens(text)), [text[slice(*span)] for span in sentence_spans(text)]))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Table 3 shows that furosemide lowers the potassium. Figure 2 of the same review shows how fast it does so.",
        "A month of treatment costs $5 in one country and $40 in another. Few people with gout can afford either.",
        "The next section of the bowel is the colon. Its wall takes up water, and its bacteria ferment fibre to acids.",
        "Ask your doctor before you take ibuprofen with lithium. Ibuprofen raises the level of lithium by a quarter.",
        "Copyright law is no matter for clinicians. The effect of warfarin is measured by the INR.",
    ],
)
def test_a_paragraph_of_prose_is_left_alone(text):
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Lactulose is a sugar. It is not absorbed.", "few_tokens"),
        ("Lactulose is fermented by bacteria in the colon to acids so that ammonia is held there as ammonium.",
         "few_sentences"),
        (f"{GOOD} " * 60, "too_long"),
        (f"{GOOD} ISBN 978-0-00-000000-2.", "boilerplate"),
        ("© 2026 The Sample Press. Printed in the United Kingdom by somebody who is very well known for it by many.",
         "boilerplate"),
        ("All rights reserved. No part of this chapter may be copied by whatever means without leave of the publisher.",
         "boilerplate"),
        ("This page is for information only and is not a substitute for professional medical advice. Always ask your "
         "doctor or pharmacist.", "boilerplate"),
        ("The publisher accepts no liability for any harm. Readers are asked to check all of the doses for themselves.",
         "boilerplate"),
        ("Skip to main content. Table of contents. Previous chapter. Next chapter. Share this page. Follow us. Log in.",
         "boilerplate"),
        ("[Previous chapter](09.html) | [Contents](index.html) | [Next chapter](11.html)", "boilerplate"),
        ("Drug | Dose\nWarfarin | 5 mg\nDoses are for adults without disease of liver or kidney. Ask when in doubt.",
         "table"),
        ("Figure 10.2. Pathway of coagulation. The places where warfarin and heparin act are shaded in grey and black.",
         "caption"),
        ("**Table IV:** Doses of adrenaline in anaphylaxis. The doses are those of the guideline of 2026.",
         "caption"),
        ("The clearance is $CL = \\frac{Dose}{AUC}$ when all of the dose is absorbed. It falls with the kidney.",
         "latex"),
        ("The half life is given by $t_{1/2}$ in hours. It is longer in those whose kidneys or liver fail.",
         "latex"),
        ("The slope is \\beta in the model of the trial. It was fitted to the levels of lithium in forty people.",
         "latex"),
    ],
)  # fmt: skip
def test_each_rule_names_what_it_leaves_out(text, code):
    assert code in codes(text)


def test_of_a_text_that_is_too_long_nothing_else_is_asked():
    assert codes(f"{GOOD} ISBN 978-0-00-000000-2. " * 60) == ["too_long"]


@pytest.mark.parametrize("rows", [2, 3])
def test_three_of_ten_lines_in_columns_are_a_table(rows):
    lines = ["| a | b |"] * rows + [GOOD] * (10 - rows)
    assert ("table" in codes("\n".join(lines))) is (rows == 3)
