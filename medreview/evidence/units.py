"""Units of measurement: their dimension and their conversion to base units."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.evidence.normalise import normalise_word


class MeasureUnit(NamedTuple):
    """A unit expression in base units (``mg/h/mg`` for ``mg/kg/day``), and the factor that converts to them."""

    base: str
    factor: float


# name -> (base unit, factor); base units: mg, mL, mm, h, month, mmol, unit
_ATOMS: Final[dict[str, tuple[str, float]]] = {}


def _add(base: str, factor: float, names: str) -> None:
    for name in names.split():
        _ATOMS[name] = (base, factor)


_add("mg", 1e6, "kg kgs kilogram kilograms kilo kilos kilogramm")
_add("mg", 1e3, "g gr gram grams gramm gramme grammes gramo gramos gm")
_add("mg", 1.0, "mg mgs milligram milligrams milligramm milligramme milligrammes miligramo miligramos")
_add("mg", 1e-3, "mcg μg ug microgram micrograms mikrogramm microgramme microgrammes microgramos")
_add("mg", 1e-6, "ng nanogram nanograms")
_add("mg", 1e-9, "pg picogram picograms")
_add("mL", 1e3, "l litre litres liter liters litro litros")
_add("mL", 100.0, "dl deciliter decilitre")
_add("mL", 1.0, "ml cc millilitre millilitres milliliter milliliters")
_add("mL", 1e-3, "μl ul microlitre microliter")
_add("mL", 1e-12, "fl")
_add("mm", 1e3, "metre metres meter meters")
_add("mm", 10.0, "cm centimetre centimetres centimeter centimeters")
_add("mm", 1.0, "mm millimetre millimetres millimeter millimeters")
_add("mm", 1e6, "km kilometre kilometres kilometer kilometers")
_add("mm", 25.4, "inch inches")
_add("h", 1 / 3600, "s sec secs second seconds sekunden")
_add("h", 1 / 60, "min mins minute minutes minuten minuto minutos")
_add("h", 1.0, "h hr hrs hour hours hourly std stunde stunden heure heures hora horas")
_add("h", 24.0, "d day days tag tage tagen jour jours día días dia dias")
_add("h", 168.0, "week weeks wk wks woche wochen semaine semaines semana semanas")
_add("month", 1.0, "month months mo monat monate monaten mois mes meses")
_add("month", 12.0, "year years yr yrs jahr jahre jahren ans année années año años ano anos")
_add("month", 120.0, "decade decades")
_add("mmol", 1e3, "mol mole moles")
_add("mmol", 1.0, "mmol mmols millimole millimoles")
_add("mmol", 1e-3, "μmol umol micromol micromole micromoles")
_add("mmol", 1e-6, "nmol nanomole nanomoles")
_add("mmol", 1e-9, "pmol")
_add("mEq", 1.0, "meq")
_add("unit", 1.0, "iu units unit u ie ui einheiten unités unidades")
_add("unit", 1e-3, "mu miu")
_add("%", 1.0, "% percent percentage pct prozent")
_add("mmHg", 1.0, "mmhg")
_add("mmHg", 7.5006, "kpa")
_add("°C", 1.0, "°c celsius")
_add("°F", 1.0, "°f fahrenheit")
_add("kcal", 1.0, "kcal calories")
_add("Gy", 1.0, "gy gray")
_add("m2", 1.0, "m2 m²")
_add("tablet", 1.0, "tablet tablets pill pills tablette tabletten comprimé comprimés comprimido comprimidos")
_add("dose", 1.0, "dose doses")
_add("puff", 1.0, "puff puffs")
_add("drop", 1.0, "drops tropfen gouttes gotas")
_add("fold", 1.0, "fold")
_add("beat", 1.0, "bpm")

_WRITTEN: Final = frozenset({*_ATOMS, "per cent", "µg", "µl", "µmol", "mm hg", "mg s"})
_NAMES: Final = "|".join(map(re.escape, sorted(_WRITTEN, key=lambda name: (-len(name), name))))
UNIT_OPENINGS: Final = frozenset(opening[0] for name in _WRITTEN if (opening := re.match("[a-z]+", name)))
"""The ASCII letters that units begin with, of each all of them."""
_END: Final = r"(?![^\W\d_]|['’][^\W\d_])"
UNIT_PATTERN: Final = (
    rf"(?:{_NAMES}){_END}(?:\s?(?:/|\b(?:per|a|pro|par|por|al|au|ao)\b)\s?(?:1[.,]73\s?)?(?:{_NAMES}){_END})*"
    rf"(?:\s?(?:kg|min|h|d|day|m2|mL|L)[-−]¹)?"
)
"""A unit or a quotient of units, as a regular expression for use with ``re.IGNORECASE``."""

_SPLIT: Final = re.compile(r"\s?(?:/|\b(?:per|a|pro|par|por|al|au|ao)\b)\s?(?:1[.,]73\s?)?", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def parse_unit(text: str) -> MeasureUnit | None:
    """A unit expression in base units; ``None`` when a part is unknown."""
    found: list[tuple[str, float]] = []
    for part in _SPLIT.split(text.strip()):
        name = part.replace(" ", "").casefold().replace("µ", "μ")
        atom = _ATOMS.get(name) or _ATOMS.get(normalise_word(name)) or (("%", 1.0) if name == "percent" else None)
        if atom is None:
            return None
        found.append(atom)
    factor = found[0][1]
    for _, divisor in found[1:]:
        factor /= divisor
    # the order of the divisors does not matter: mg/kg/day is mg/day/kg
    return MeasureUnit("/".join([found[0][0], *sorted(base for base, _ in found[1:])]), factor)
