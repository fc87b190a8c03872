"""From matplotlib to SVG for a page or a file: the same bytes for the same plot, and no markup from outside."""

import logging
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from medreview.cli.reports.layout import Table
from medreview.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


INK: Final = "#1a1a1a"
LINE: Final = "#c8c8c8"
PAPER: Final = "#ffffff"
COLOURS: Final = ("#0b5394", "#a64d00", "#38761d", "#741b47", "#555555", "#00707a", "#7a5c00", "#4b2e83")
"""Of series and groups, on white. The page has others for a dark ground, by the same numbers."""
MARKERS: Final = ("o", "D", "^", "s")
"""Forms that differ without colour; every second one is hollow."""
HATCH: Final = "//////"

_VARIABLES: Final = {INK: "ink", LINE: "line", PAPER: "paper"} | {
    colour: f"plot-{number}" for number, colour in enumerate(COLOURS)
}
_SCALE: Final = 4 / 3
"""Pixels for a point."""
_LONGEST: Final = 34
_STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "medreview",
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 1.2,
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.unicode_minus": False,
}
_SVG: Final = "{http://www.w3.org/2000/svg}"
_LINKS: Final = re.compile(r"url\(#([^)]+)\)")
_COLOUR: Final = re.compile("|".join(_VARIABLES))
_UNNAMED: Final = re.compile(r"'DejaVu Sans'")
_FONTS: Final = "'DejaVu Sans', Verdana, sans-serif"
"""Verdana is as wide, so that what was laid out for the one fits with the other."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plot that is drawn when its SVG is asked for: its ``title``, and what it is ``about`` for who does not see it.

    ``paint`` draws on the one pair of axes it is given, of a ``size`` in points (1/72 inch); what does not fit widens
    the plot. ``numbers`` are all that it shows.
    """

    title: str
    about: str
    size: tuple[float, float]
    paint: "Callable[[Axes], None]"
    numbers: Table

    def inline(self, name: str, where: str) -> str:
        """An ``svg`` element for a page: its colours are the page's variables, its ids begin with ``name``.

        ``where``: a sentence that says where its numbers stand.
        """
        about = f"{self.about} {where}"
        return _shaped(self, name, about, lambda colour: f"var(--{_VARIABLES[colour]}, {colour})", ground=False)

    def document(self) -> str:
        """A file of its own, on white; its description has all numbers."""
        rows = (f"{row[0]}: {', '.join(filter(None, row[1:]))}" for row in self.numbers.rows if any(row[1:]))
        return _shaped(self, "plot", f"{self.about} {'; '.join(rows)}", str, ground=True) + "\n"


def _drawn(drawing: Drawing) -> bytes:
    """What matplotlib makes of it."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # before it says where its list of fonts is kept
    import matplotlib
    from matplotlib.figure import Figure

    written = BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font has not: the reader's font is another one
        matplotlib.rcdefaults()  # nothing from a person's own settings of it
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(drawing.size[0] / 72, drawing.size[1] / 72))
        drawing.paint(figure.add_axes((0, 0, 1, 1)))
        figure.savefig(
            written, format="svg", transparent=True, bbox_inches="tight", pad_inches=0.08,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )  # fmt: skip
    return written.getvalue()


def short(name: str, longest: int = _LONGEST) -> str:
    """A name from outside as a label: one line, nothing that acts, no longer than there is room for."""
    line = visible(" ".join(name.split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _shaped(drawing: Drawing, name: str, about: str, colour: Callable[[str], str], *, ground: bool) -> str:
    """The SVG with a title, what it is ``about``, ids of its own and these colours."""
    from lxml import etree

    root = etree.fromstring(_drawn(drawing))
    for dead in [*root.iter(f"{_SVG}metadata"), *root.iter(f"{_SVG}style")]:
        dead.getparent().remove(dead)
    for element in root.iter():
        if isinstance(element.tag, str):
            _rename(element, name)
            for attribute in ("style", "fill", "stroke"):
                if found := element.get(attribute):
                    element.set(attribute, _UNNAMED.sub(_FONTS, _COLOUR.sub(lambda hit: colour(hit[0]), found)))
    for place, (tag, words) in enumerate((("title", drawing.title), ("desc", about))):
        told = etree.Element(f"{_SVG}{tag}", id=f"{name}-{tag}")
        told.text = visible(words)
        root.insert(place, told)
    width, height = (f"{float(side) * _SCALE:.0f}" for side in root.get("viewBox").split()[2:])
    for key, value in (("role", "img"), ("aria-labelledby", f"{name}-title {name}-desc"), ("width", width)):
        root.set(key, value)
    for key, value in (("height", height), ("stroke-linejoin", "round"), ("stroke-linecap", "butt")):
        root.set(key, value)  # what matplotlib says in a style for the whole page that the plot stands in
    if ground:
        paper = etree.Element(f"{_SVG}rect", width="100%", height="100%", fill=PAPER)
        root.insert(2, paper)
    etree.cleanup_namespaces(root)
    return str(etree.tostring(root, encoding="unicode"))


def _rename(element: Any, name: str) -> None:
    for key, value in element.attrib.items():
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key.endswith("}href"):
            element.set("href", f"#{name}-{value[1:]}")
            del element.attrib[key]
        elif "url(#" in value:
            element.set(key, _LINKS.sub(rf"url(#{name}-\1)", value))
