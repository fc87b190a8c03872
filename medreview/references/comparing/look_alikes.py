"""Words that look like typing errors of one another, and mean something else."""

from typing import Final

_OPPOSED: Final = (
    ("hyper", "hypo"), ("inter", "intra"), ("ante", "anti"), ("ab", "ad"), ("af", "ef"),
    ("macro", "micro"), ("exo", "endo"), ("pre", "post"), ("pre", "peri"), ("over", "under"), ("in", "ex"),
    ("mono", "multi"), ("uni", "bi"), ("mono", "di"), ("di", "tri"), ("un", ""), ("in", ""), ("im", ""), ("non", ""),
    ("a", ""), ("anti", ""), ("de", ""), ("re", ""),
)  # fmt: skip
"""Beginnings of words of which one in place of the other makes another word."""

_CONFUSED: Final = (
    "dysphagia dysphasia dyspraxia", "ileum ilium", "perineal peroneal", "prostate prostrate", "male female",
    "men women", "mucus mucous", "oral aural", "palpation palpitation", "callus callous", "facial fascial faecal",
    "humoral humeral", "vesical vesicle", "venous venus", "cholic colic", "lumbar lumber", "trial trail",
    "causal casual", "loose lose", "elicit illicit", "absorption adsorption", "diaphysis diaphyses", "carpal tarsal",
    "prednisone prednisolone", "hydroxyzine hydralazine", "clonidine clozapine", "lamotrigine lamivudine",
    "vinblastine vincristine", "daunorubicin doxorubicin idarubicin epirubicin", "cefazolin cefoxitin cefotaxime",
    "morphine hydromorphone", "nifedipine nicardipine nimodipine", "sulfadiazine sulfasalazine", "fentanyl sufentanil",
    "omeprazole esomeprazole", "citalopram escitalopram", "cetirizine levocetirizine", "risperidone paliperidone",
    "thymine thiamine thymidine", "uracil uridine", "aniline alanine", "arginine argatroban", "valine valerian",
    "benefit benefits", "cysteine cystine", "glutamine glutamate", "nitrite nitrate", "sulfite sulfate", "adult adults",
    "chlorate chloride", "amine amide imine imide", "mutations medications", "rats cats bats", "mice lice",
)  # fmt: skip
"""Words that look alike and mean something else."""

_CONFUSED_WITH: Final = {word: group.split()[0] for group in _CONFUSED for word in group.split()}

_STEMS: Final = (
    "gliflozin", "gliptin", "glitazone", "glutide", "tinib", "ciclib", "rafenib", "parib", "mab", "cept", "pril",
    "sartan", "statin", "azole", "cillin", "mycin", "micin", "floxacin", "cycline", "dipine", "olol", "prazole",
    "parin", "xaban", "gatran", "grel", "grelor", "platin", "taxel", "vir", "triptan", "setron", "caine", "azepam",
    "azolam", "oxetine", "lukast", "terol", "tropium", "sone", "solone", "onide", "rubicin", "tidine", "thiazide",
    "zosin", "fibrate", "barbital", "profen", "coxib", "curium", "curonium", "fentanil", "fentanyl", "codone",
    "morphone", "dronate", "penem", "amide", "idone", "apine", "peridol", "triptyline", "ipramine", "afil", "urea",
    "iazide", "semide", "bactam", "sulfan", "stim", "poetin", "vaptan", "lisib", "degib", "tecan", "bine", "fungin",
)  # fmt: skip
"""Endings that names of medicines of one class share (the stems of international nonproprietary names)."""


def look_alike(one: str, other: str) -> bool:
    """Whether two words are known to look alike: opposed by their beginning, or of one group of words."""
    group = _CONFUSED_WITH.get(one)
    if group is not None and group == _CONFUSED_WITH.get(other):
        return True
    return any(
        (one.startswith(a) and other.startswith(b) and one[len(a) :] == other[len(b) :])
        or (one.startswith(b) and other.startswith(a) and one[len(b) :] == other[len(a) :])
        for a, b in _OPPOSED
    )


def of_one_class(one: str, other: str) -> bool:
    """Whether two words end as medicines of one class do: sitagliptin is no misspelling of saxagliptin."""
    return any(one.endswith(stem) and other.endswith(stem) for stem in _STEMS)
