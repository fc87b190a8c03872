"""A page of 600 kB: a formulary of 480 invented medicines, the same bytes every time."""

from typing import Any

ENTRIES = 480
_CLASSES = ("beta blocker", "diuretic", "antifungal", "opioid", "statin", "insulin", "laxative", "antihistamine")
_ORGANS = ("liver", "kidney", "heart", "thyroid", "lung", "stomach", "skin")
_FIRST = ("ab", "cor", "dal", "fen", "gol", "mir", "nov", "pel", "rus", "tam")
_MIDDLE = ("lo", "ri", "ve", "na", "xu", "mo")
_LAST = ("din", "stat", "pril", "zole", "mab", "cillin", "tide", "lol")


def name_of(number: int) -> str:
    """An invented name, a different one for every number below 480."""
    first, rest = _FIRST[number % 10], number // 10
    return (first + _MIDDLE[rest % 6] + _LAST[rest // 6]).capitalize()


def dose_of(number: int) -> int:
    """The usual dose of an entry in mg."""
    return 5 * (number % 97 + 1)


def _entry(number: int) -> str:
    name, dose, organ = name_of(number), dose_of(number), _ORGANS[number % 7]
    return f"""<section class="entry" id="e{number}"><h2>{name}</h2>
<p class="class">{name} is an invented {_CLASSES[number % 8]} and stands in chapter {number // 40 + 1} of this book.</p>
<p>The usual adult dose of {name} is {dose} mg {("once", "twice", "three times")[number % 3]} daily, and the highest
 dose is {dose * 4} mg in 24 hours. It is taken {("with", "after", "between")[number % 3]} meals. The level in blood is
 steady after {number % 9 + 2} days, and half of a dose is gone after {number % 31 + 3}.5 hours.</p>
<p>Older people are given {name} in half the dose for the first {number % 6 + 1} weeks. It crosses into milk in small
 amounts, and a mother may breastfeed from {number % 11 + 2} hours after a dose. A missed dose is left out when the next
 one is due within {number % 5 + 1} hours. Nobody should drive on the first day of treatment with {name}.</p>
<table><thead><tr><th>Creatinine clearance</th><th>Dose of {name}</th><th>Interval</th></tr></thead><tbody>
<tr><td>60 mL/min and over</td><td>{dose} mg</td><td>{8 + number % 3 * 4} hours</td></tr>
<tr><td>30 to 59 mL/min</td><td>{dose * 3 / 4:g} mg</td><td>{12 + number % 3 * 6} hours</td></tr>
<tr><td>15 to 29 mL/min</td><td>{dose / 2:g} mg</td><td>{24 + number % 3 * 12} hours</td></tr></tbody></table>
<ul><li>Stop {name} when the {organ} is failing.</li><li>Weigh patients on {name} every {number % 5 + 2} weeks.</li>
<li>Keep it below {20 + number % 7} °C and out of the reach of children.</li></ul></section>
"""


def long_page() -> tuple[bytes, dict[str, Any]]:
    """The page and what its side file would say."""
    entries = "\n".join(map(_entry, range(ENTRIES)))
    contents = "".join(f'<li><a href="#e{number}">{name_of(number)}</a></li>' for number in range(ENTRIES))
    page = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The book of invented medicines</title>
<script>var book = "LONG-PAGE-SCRIPT";</script></head><body><header><a href="/">Bookshelf of Nowhere</a>
<nav><a href="/basket">Your basket is empty</a> <a href="/gift">Gift vouchers</a></nav></header>
<nav class="contents"><h3>All entries by letter</h3><ol>{contents}</ol></nav>
<main><h1>The book of invented medicines</h1><p>None of these medicines exists.</p>{entries}</main>
<footer><p>Printed on paper from managed forests.</p></footer></body></html>"""
    facts: list[str] = []
    rows: list[list[str]] = []
    for number in (0, 119, 240, 361, ENTRIES - 1):
        name, dose = name_of(number), dose_of(number)
        facts.append(f"The usual adult dose of {name} is {dose} mg")
        facts.append(f"Stop {name} when the {_ORGANS[number % 7]} is failing.")
        rows.append(["Creatinine clearance", f"Dose of {name}", "Interval"])
    boilerplate = ["Your basket is empty", "Gift vouchers", "All entries by letter", "paper from managed forests"]
    side = {
        "kind": "very long page (600 kB)",
        "truth": "invented",
        "facts": facts,
        "rows": rows,
        "boilerplate": [*boilerplate, "LONG-PAGE-SCRIPT"],
    }
    return page.encode(), side
