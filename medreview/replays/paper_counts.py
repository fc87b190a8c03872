"""What papers print beside their main figures: shares of counts, shares that no count gives, tests from intervals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from medreview.replays.printed import Outcome, Printed, Reproduced, counts_alone, of_whole_number, row, share
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.human_baseline import MARGIN

TWICE: Final = Printed("45", k=2_501, n=5_543)
VALIDITY_DIFFERS: Final = Printed("4.7", k=69, n=1_679)
RELEVANCE_DIFFERS: Final = Printed("2.9", k=72, n=2_501)
VALIDITY_PABAK: Final = Printed("0.920", share=False, k=69, n=1_679)
RELEVANCE_PABAK: Final = Printed("0.942", share=False, k=72, n=2_501)


def cliniqlink() -> Iterator[Reproduced]:
    """Table 1: how often two annotators differ, and what the printed coefficients are."""
    paper = "ClinIQLink"
    yield row(paper, "items annotated twice", TWICE, share("twice", TWICE), "The paper says about 45%.")
    yield row(paper, "validity: two annotators differ", VALIDITY_DIFFERS, share("differ", VALIDITY_DIFFERS),
              "69 of 1,679 are 4.1%: 4.7% is not what the printed counts give.")  # fmt: skip
    yield row(paper, "relevance: two annotators differ", RELEVANCE_DIFFERS, share("differ", RELEVANCE_DIFFERS))
    yield row(paper, "validity, printed as weighted kappa", VALIDITY_PABAK, pabak(VALIDITY_PABAK),
              "Ours is PABAK, 1 - 2 x 69 / 1,679. No kappa of these labels is so far from Fleiss', 0.231.")  # fmt: skip
    yield row(paper, "relevance, printed as weighted kappa", RELEVANCE_PABAK, pabak(RELEVANCE_PABAK),
              "Ours is PABAK of two labels, 1 - 2 x 72 / 2,501; printed beside a Fleiss' kappa of 0.015.")  # fmt: skip


def pabak(printed: Printed) -> Estimate:
    """PABAK (Byrt 1993) of two raters who differ on ``printed.k`` of ``printed.n`` items of two labels, with the ends
    of Wilson's interval of their agreement."""
    alike = share("agreement", Printed("", k=printed.n - printed.k, n=printed.n))
    value, low, high = (None if end is None else 2 * end - 1 for end in (alike.value, alike.low, alike.high))
    return Estimate("PABAK", value, low, high, "Wilson, of the agreement", printed.n, scale="coefficient")


HEALTH_SEARCH: Final = Printed("38.4", "26.7", "49.3", n=300)
ARCHIVED: Final = {
    "GPT-4o (API)": ("3.50", 7), "Claude v2.1": ("6.50", 13), "Mistral Medium": ("0.50", 1),
    "Gemini Pro (API)": ("3.50", 7),
}  # fmt: skip
"""Of models, the share of invalid addresses that an archive once held, and the count that it would be of 200."""
IN_US: Final = (91.51, 89.32, 93.17, 94.05, 91.11, 92.25, 92.56)


def sourcecheckup() -> Iterator[Reproduced]:
    """The checks by doctors, the judges beside their majority, and the tables of addresses."""
    paper = "SourceCheckup"
    yield counts_alone(paper, "questions answerable, by each of two doctors", 100, 100)
    yield counts_alone(paper, "statements contained in the answer, by the first doctor", 330, 330)
    yield counts_alone(paper, "the same, by the second", 329, 330)
    yield counts_alone(paper, "answers with a statement that was not parsed, by the first doctor", 6, 72)
    yield counts_alone(paper, "the same, by the second doctor", 5, 72)
    resampled = "The printed interval is of resamples; ours is Wilson's, on pairs."
    yield of_whole_number(paper, "GPT-4o and the doctors' majority", Printed("88.7", n=400))
    yield of_whole_number(paper, "Claude Sonnet 3.5 and the doctors' majority",
                          Printed("87.0", "83.4", "90.4", n=400), resampled)  # fmt: skip
    yield of_whole_number(paper, "Llama 3.1 70B and the doctors' majority", Printed("79.3", "75.4", "83.1", n=400),
                          resampled)  # fmt: skip
    yield of_whole_number(
        paper, "HealthSearchQA, whole responses supported", HEALTH_SEARCH,
        "The printed interval is about twice as wide as 300 responses give, and begins at 26.7 as that of the forum's "
        "questions in the same sentence.",
    )  # fmt: skip
    for model, (value, k) in ARCHIVED.items():
        yield of_whole_number(paper, f"invalid addresses once archived, {model}", Printed(value, n=250),
                              f"Of 200 it is {k}.")  # fmt: skip
    yield of_whole_number(paper, "invalid addresses once archived, Mixtral Open", Printed("2.4", n=250),
                          "Printed as 0.024 among percentages.")  # fmt: skip
    mean = Estimate("sources of the United States", sum(IN_US) / len(IN_US) / 100, None, None, "mean of seven shares",
                    len(IN_US), reason="The counts behind the seven printed shares are not printed.",
                    scale="share")  # fmt: skip
    yield row(paper, "sources of the United States, mean of models", Printed("92"), mean)


@dataclass(frozen=True)
class PrintedJury:
    """What MedFactEval prints of the jury of ten on the texts of one system: its kappa with the physicians' majority,
    that of one physician (``None`` where it is not printed), and the difference."""

    kappa: Printed
    person: Printed | None
    minus_person: Printed


JURY: Final[Mapping[str, PrintedJury]] = {
    "GPT-4o": PrintedJury(
        Printed("0.81", "0.66", "0.92", share=False), Printed("0.67", "0.49", "0.83", share=False),
        Printed("0.15", "-0.01", "0.29", share=False),
    ),
    "DeepSeek-R1": PrintedJury(
        Printed("0.75", "0.59", "0.88", share=False), None, Printed("0.02", "-0.11", "0.15", share=False)
    ),
}  # fmt: skip
"""By the model of MedAgentBrief that wrote the texts."""
FACTS: Final = 90
CATEGORIES: Final = {"diagnosis": ("51", 46), "management change": ("40", 36), "follow-up": ("6", 5), "other": ("3", 3)}
SCORES: Final = {"one prompt": "48", "MedAgentBrief": "65"}
"""Of GPT-4o: facts that its texts say, in per cent."""


def medfacteval() -> Iterator[Reproduced]:
    """Table 1, the scores of GPT-4o, and the jury on each of the two systems as far as printed figures tell."""
    paper = "MedFactEval"
    for name, (value, k) in CATEGORIES.items():
        printed = Printed(value, k=k, n=FACTS)
        yield row(paper, f"key facts: {name}", printed, share(name, printed))
    for strategy, value in SCORES.items():
        yield of_whole_number(paper, f"facts said by GPT-4o, {strategy}", Printed(value, n=FACTS),
                              "Facts without a majority may be left out there.")  # fmt: skip
    for system, jury in JURY.items():
        yield _p(paper, system, jury)
    yield _apart(paper, JURY["GPT-4o"])


def _p(paper: str, system: str, jury: PrintedJury) -> Reproduced:
    """The one-sided p of non-inferiority that the printed difference and its interval give, if resamples are normal."""
    normal, printed = NormalDist(), jury.minus_person
    spread = (float(printed.high) - float(printed.low)) / (2 * normal.inv_cdf(0.975))
    p = 1 - normal.cdf((float(printed.value) + MARGIN) / spread)
    ours = Estimate("p of non-inferiority", p, None, None, "normal, from the printed interval", FACTS,
                    reason="a p value has no interval", scale="plain")  # fmt: skip
    why = f"{p:.4f} from {printed.words} and the margin of {MARGIN:.2f}; the physicians' votes are not published."
    outcome: Outcome = "equal" if p < 0.001 else "differs"
    return Reproduced(paper, f"p of non-inferiority, {system}'s texts", "below 0.001", ours, outcome, why)


def _apart(paper: str, jury: PrintedJury) -> Reproduced:
    """The difference of two printed kappas of one system."""
    assert jury.person is not None
    value = float(jury.kappa.value) - float(jury.person.value)
    ours = Estimate("kappa of the jury, minus that of one physician", value, None, None, "of two printed kappas", FACTS,
                    reason="the votes on these texts are not published", scale="coefficient_difference")  # fmt: skip
    why = "0.81 and 0.67 are rounded: their difference is from 0.13 to 0.15."
    return row(paper, "jury minus one physician, GPT-4o's texts", jury.minus_person, ours, why)
