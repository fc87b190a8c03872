"""How well pages are read from their pictures: pages drawn here, worn as scans are, read, and compared with what was
drawn.

    python -m tests.bench.ocr_pages [--quick]

For each wear: the share of characters that are wrong (edit distance, white space as one blank), numbers right, how many
of the wrong ones are marked as in doubt and how many of the right ones are, seconds of processor time a page. The text
is our own; its figures are invented.
"""

import argparse
import io
import random
import re
import resource
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np
from PIL import Image, ImageFilter
from rapidfuzz.distance import Levenshtein
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from medreview.sources.reading.ocr import PicturePage, read_picture
from tests.support.scanned_pages import Draw, Picture, pdf_of, picture

SENTENCES = (
    "{n} adults (mean age {a} years; {p}% women) were randomised 1:1 to {d} mg twice daily or to placebo.",
    "Major bleeding occurred in {p}% per year with treatment and {q}% per year with placebo (hazard ratio {h}; 95% CI "
    "{l}-{u}; P<0.00{k}).",
    "Give {d} mg/kg every {k}-{m} hours, and no more than {k} doses in 24 hours.",
    "Reduce the dose to {e} mg where creatinine clearance is under {m}0 mL/min, or the weight at most {a} kg.",
    "Potassium was {h}-{r} mmol/L, and HbA1c fell from {a} to {m}8 mmol/mol over {k}6 weeks.",
    "The number needed to treat was {m}; {n} of {n2} patients (odds ratio {u}) had stopped it by day {m}5.",
    "Children of {k} to {m} years take {e} mL (0.{k}5 mL of the stronger solution) at 0{k}:30 and 1{k}:00.",
)
NUMBER = re.compile(r"(?<![A-Za-z])\d+(?:[.,]\d+)*")
"""A number with what parts its digits; the same one with another comma or point after it is no other."""


@dataclass(frozen=True)
class Wear:
    """What was done to a page before it was read."""

    dpi: int
    size: float = 10
    tilt: float = 0.0
    noise: float = 6.0
    blur: float = 0.0
    ink: int = 0
    font: str = "Times-Roman"
    quality: int = 70
    columns: int = 1
    black_white: bool = False

    def name(self) -> str:
        """What differs from a plain page."""
        parts = [f"{self.dpi} dpi, {self.size:g} pt", *([f"tilt {self.tilt:g}"] if self.tilt else [])]
        parts += [f"blur {self.blur:g}"] if self.blur else []
        parts += ["black and white"] if self.black_white else []
        parts += [f"faded by {self.ink}"] if self.ink else []
        parts += [self.font] if self.font != "Times-Roman" else []
        return ", ".join([*parts, *(["two columns"] if self.columns == 2 else []), f"noise {self.noise:g}"])


@dataclass
class Figures:
    """Sums over pages."""

    characters: int = 0
    wrong_characters: int = 0
    numbers: int = 0
    wrong: int = 0
    marked: int = 0
    wrong_marked: int = 0
    seconds: list[float] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        """The figures on one line."""
        right = self.numbers - self.wrong
        return (
            f"{name:<58} {self.wrong_characters / self.characters:7.4f} {right:5}/{self.numbers:<5}"
            f" {self.wrong_marked:4}/{self.wrong:<4} {(self.marked - self.wrong_marked) / max(1, right):6.3f}"
            f" {sum(self.seconds) / len(self.seconds):5.1f} s  {sum(self.confidences) / len(self.confidences):.3f}"
        )


WEARS = (
    Wear(300), Wear(200), Wear(150), Wear(150, size=8, tilt=1), Wear(200, size=9, tilt=2, font="Helvetica"),
    Wear(200, size=8, columns=2, tilt=-1), Wear(150, noise=30), Wear(150, blur=1.2), Wear(150, ink=150, noise=14),
    Wear(200, black_white=True, noise=40), Wear(110, size=9), Wear(100, size=9, black_white=True),
    Wear(100, size=8, blur=0.8), Wear(90, size=9, noise=20, quality=30), Wear(75, size=9),
    Wear(75, size=9, blur=0.6, noise=15),
    Wear(130, size=9, font="Courier", blur=1.0, noise=20),
)  # fmt: skip


def sentences(rng: random.Random) -> Iterator[str]:
    """Sentences with figures, without end."""
    while True:
        yield rng.choice(SENTENCES).format(
            n=f"{rng.randrange(1, 20)},{rng.randrange(1000):03}", n2=rng.randrange(100, 9999),
            a=f"{rng.randrange(40, 90)}.{rng.randrange(10)}", p=f"{rng.randrange(100)}.{rng.randrange(100):02}",
            q=f"{rng.randrange(10)}.{rng.randrange(10)}", d=rng.choice((5, 2.5, 10, 15, 0.5, 120, 75)),
            e=rng.choice((2.5, 1.25, 7.5, 15, 0.05)), h=f"0.{rng.randrange(10, 99)}", l=f"0.{rng.randrange(10, 99)}",
            u=f"1.{rng.randrange(10, 99)}", k=rng.randrange(1, 7), m=rng.randrange(3, 9), r=f"{rng.randrange(4, 7)}.1",
        )  # fmt: skip


def drawn(wear: Wear, rng: random.Random) -> tuple[Draw, str]:
    """A page full of sentences, and its text in reading order."""
    width = (475 - 25 * (wear.columns - 1)) / wear.columns
    rows = int(700 / (wear.size * 1.3))
    source = sentences(rng)
    lines: list[str] = []
    line = ""
    while len(lines) < rows * wear.columns:
        for word in next(source).split():
            longer = f"{line} {word}".strip()
            if stringWidth(longer, wear.font, wear.size) > width:
                lines.append(line)
                longer = word
            line = longer
    lines = lines[: rows * wear.columns]

    def draw(canvas: Canvas) -> None:
        canvas.setFont(wear.font, wear.size)
        for number, text in enumerate(lines):
            column, row = divmod(number, rows)
            canvas.drawString(60 + column * (width + 25), 780 - row * wear.size * 1.3, text)

    return draw, " ".join(lines)


def worn(draw: Draw, wear: Wear, seed: int) -> Picture:
    """The page as it was scanned."""
    grey = picture(draw, dpi=wear.dpi, tilt=wear.tilt, noise=0).astype(np.float64)
    grey = wear.ink + grey * (255 - wear.ink) / 255
    image = Image.fromarray(grey.astype(np.uint8)).filter(ImageFilter.GaussianBlur(wear.blur))
    rng = np.random.default_rng(seed)
    noisy = np.asarray(image) + rng.normal(0, wear.noise, grey.shape)
    if wear.black_white:
        noisy = np.where(noisy < 150, 0.0, 255.0)
    packed = io.BytesIO()
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(packed, "JPEG", quality=wear.quality)
    return np.asarray(Image.open(packed))


def compare(figures: Figures, text: str, page: PicturePage) -> None:
    """Add what was read of a page with this text."""
    read = " ".join(page.text.split())
    figures.characters += len(text)
    figures.wrong_characters += Levenshtein.distance(text, read)
    figures.confidences.append(page.confidence)
    words = [(found.group(), found.start(), found.end()) for found in re.finditer(r"\S+", page.text)]
    in_doubt = [any(start < b and a < end for a, b, _ in page.doubtful) for _, start, end in words]
    truth, got = text.split(), [word for word, _, _ in words]
    figures.numbers += len(NUMBER.findall(text))
    for _, a, b, c, d in SequenceMatcher(None, truth, got, autojunk=False).get_opcodes():
        numbers = Counter(NUMBER.findall(" ".join(truth[a:b])))
        noticed = sum(in_doubt[c + place] for place in range(d - c) if NUMBER.search(got[c + place]))
        wrong = (numbers - Counter(NUMBER.findall(" ".join(got[c:d])))).total()
        figures.marked += noticed
        figures.wrong += wrong
        figures.wrong_marked += min(noticed, wrong)
        if wrong > noticed:
            figures.missed.append(f"{' '.join(truth[a:b])} -> {' '.join(got[c:d])}")


def main() -> None:
    """Print a line for each wear."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one page of each in place of three")
    parser.add_argument("--missed", action="store_true", help="print wrong numbers that are not marked")
    asked = parser.parse_args()
    print(f"{'page':<58} {'CER':>7} {'numbers':>11} {'marked':>9} {'false':>6} {'CPU':>5}    confidence")
    total = Figures()
    for wear in WEARS:
        figures = Figures()
        for seed in range(1 if asked.quick else 3):
            draw, text = drawn(wear, random.Random(seed))
            body = pdf_of(worn(draw, wear, seed))
            began = time.process_time()
            page = read_picture(body, 0)
            assert page is not None
            figures.seconds.append(time.process_time() - began)
            compare(figures, text, page)
        print(figures.row(wear.name()), flush=True)
        for one in figures.missed if asked.missed else ():
            print("   ", one)
        for name in ("characters", "wrong_characters", "numbers", "wrong", "marked", "wrong_marked"):
            setattr(total, name, getattr(total, name) + getattr(figures, name))
        total.seconds += figures.seconds
        total.confidences += figures.confidences
    print(total.row("all"))
    print(f"largest resident memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
