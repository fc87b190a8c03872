"""How often is a reference taken for what it is? References made from works of a library: honest, with slips, altered.

    python -m tests.bench.reference_cases LIBRARY.jsonl [--cases 4000] [--seed 1] [--show KIND]

LIBRARY.jsonl holds a work in CSL-JSON a line. Each reference is made of one of its works, printed in one of seven
styles, and changed in one way; works that are cited as absent are taken out first. Printed for each kind: how many
references there are, the share with the wanted verdict and work, and for the honest ones the share that is accused.
"""

import argparse
import json
import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.references.formats.csl import record_of
from medreview.references.library import Library
from medreview.references.printed.parse import parse_reference
from medreview.references.verdict import ACCUSING

Work = dict[str, Any]


def words_of(text: str) -> tuple[str, ...]:
    return tuple(text.split())


DRUGS: Final = words_of(
    """
    aspirin warfarin metformin simvastatin atorvastatin prednisolone ibuprofen morphine insulin heparin
    clopidogrel fluoxetine sertraline olanzapine tamoxifen cisplatin methotrexate amoxicillin vancomycin
    fentanyl propofol
    """
)
PAIRS: Final = (
    ("with", "without"), ("men", "women"), ("children", "adults"), ("increased", "decreased"), ("acute", "chronic"),
    ("type 1", "type 2"), ("hypertension", "hypotension"), ("early", "late"), ("high", "low"), ("before", "after"),
    ("positive", "negative"), ("primary", "secondary"), ("effective", "ineffective"), ("oral", "intravenous"),
    ("male", "female"), ("benefits", "harms"), ("mice", "rats"), ("left", "right"),
)  # fmt: skip
BRITISH: Final = (
    ("randomized", "randomised"), ("tumor", "tumour"), ("anemia", "anaemia"), ("pediatric", "paediatric"),
    ("behavior", "behaviour"), ("hemorrhage", "haemorrhage"), ("esophag", "oesophag"), ("center", "centre"),
    ("edema", "oedema"), ("fiber", "fibre"), ("estrogen", "oestrogen"), ("characterization", "characterisation"),
    ("gynecolog", "gynaecolog"), ("diarrhea", "diarrhoea"), ("leukemia", "leukaemia"), ("analyzed", "analysed"),
)  # fmt: skip
JOURNALS: Final = {
    "N Engl J Med": ("New England Journal of Medicine", "NEJM", "The New England journal of medicine"),
    "JAMA": ("Journal of the American Medical Association", "J Am Med Assoc"),
    "BMJ": ("British Medical Journal", "Br Med J", "BMJ (Clinical research ed.)"),
    "Lancet": ("The Lancet", "Lancet (London, England)"),
    "Am J Respir Crit Care Med": ("American Journal of Respiratory and Critical Care Medicine", "AJRCCM"),
    "Ann Intern Med": ("Annals of Internal Medicine",),
    "Arch Intern Med": ("Archives of Internal Medicine",),
    "Proc Natl Acad Sci U S A": ("PNAS", "Proceedings of the National Academy of Sciences"),
    "Am J Clin Nutr": ("The American Journal of Clinical Nutrition", "AJCN"),
    "Am J Cardiol": ("American Journal of Cardiology",),
    "Am J Physiol": ("American Journal of Physiology",),
    "J Clin Endocrinol Metab": ("The Journal of Clinical Endocrinology & Metabolism", "JCEM"),
    "J Clin Oncol": ("Journal of Clinical Oncology", "JCO"),
    "Eur Respir J": ("European Respiratory Journal", "The European respiratory journal"),
    "Diabetes Care": ("Diabetes care",),
    "Br J Anaesth": ("British Journal of Anaesthesia", "BJA"),
    "Cochrane Database Syst Rev": ("Cochrane Database of Systematic Reviews",),
    "J Bone Joint Surg Am": ("The Journal of Bone and Joint Surgery. American Volume",),
    "Med Sci Sports Exerc": ("Medicine and Science in Sports and Exercise", "Medicine & Science in Sports & Exercise"),
    "Eur J Appl Physiol": ("European Journal of Applied Physiology",),
    "J Physiol": ("The Journal of Physiology",),
    "J Neurosci": ("The Journal of Neuroscience", "Journal of Neuroscience"),
    "Arch Phys Med Rehabil": ("Archives of Physical Medicine and Rehabilitation",),
    "J Appl Physiol": ("Journal of Applied Physiology",),
    "Pediatrics": ("Pediatrics",),
    "Br J Sports Med": ("British Journal of Sports Medicine",),
    "J Urol": ("The Journal of Urology", "Journal of urology"),
    "Int J Obes": ("International Journal of Obesity",),
    "Obstet Gynecol": ("Obstetrics & Gynecology", "Obstetrics and gynecology"),
}
MONTHS: Final = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def letters(name: str) -> str:
    return unicodedata.normalize("NFKD", name)


class Case(NamedTuple):
    """A reference, its kind, the verdict that is wanted and the work, ``None`` when there is none."""

    kind: str
    text: str
    want: str
    work: str | None


class Maker:
    """Makes cases of the works of a library."""

    def __init__(self, works: list[Work], seed: int) -> None:
        self.random = random.Random(seed)
        self.works = works
        counts = Counter(word for work in works for word in {*re.findall(r"[a-z]{5,}", work["title"].lower())})
        self.words = [word for word, count in counts.items() if count >= 3]

    def printed(self, work: Work, **changes: Any) -> str:
        """A work in one of seven styles; ``changes`` replace its fields."""
        work = work | changes
        pick = self.random
        authors = work.get("author", [])
        names = [(one["family"], re.sub(r"\W", "", one.get("given", ""))) for one in authors]
        year = work["issued"]["date-parts"][0][0]
        title, journal = work["title"], work["container-title"]
        volume, issue, pages = (work.get(name, "") for name in ("volume", "issue", "page"))
        place = f"{volume}{f'({issue})' if issue else ''}"
        shown = names if len(names) < 5 or pick.random() < 0.4 else names[: pick.choice((1, 3, 4))]
        more = ", et al" if len(shown) < len(names) else ""
        vancouver = ", ".join(f"{family} {given}".strip() for family, given in shown) + more
        dotted = [f"{family}, {' '.join(f'{letter}.' for letter in given)}".strip(", ") for family, given in shown]
        apa = ", ".join(dotted[:-1]) + (", & " if len(dotted) > 1 else "") + dotted[-1]
        apa = f"{', '.join(dotted)}, et al." if more else apa
        first = f"{names[0][0]}{' et al.' if len(names) > 1 else ''}"
        end = "" if title.endswith(("?", "!")) else "."
        month = f" {pick.choice(MONTHS)}" if pick.random() < 0.5 else ""
        text = pick.choice(
            (
                f"{vancouver}. {title}{end} {journal}. {year}{month};{place}:{pages}.",
                f"{pick.randint(1, 40)}. {vancouver}. {title}{end} *{journal}*. {year};{place}:{pages}.",
                f"{apa} ({year}). {title}{end} *{journal}*, {place}, {pages}.",
                f"{apa} {year}. '{title}', {journal}, vol. {volume}, pp. {pages}.",
                f"**{title}** – {first} ({journal}, {year})",
                f'{first} "{title}", {journal}, {year}.',
                f"- {first} ({year}). {title}{end} {journal} {place}: {pages}",
            )
        )
        identifier = work.get("identifier", "own")
        if identifier == "own":
            identifier = self.own_identifier(work) if pick.random() < 0.5 else ""
        return f"{text} {identifier}".strip()

    def own_identifier(self, work: Work) -> str:
        """One of the work's identifiers, in one of the ways in which they are written."""
        pick, found = self.random, []
        if doi := work.get("DOI"):
            found += [f"doi:{doi}", f"https://doi.org/{doi}", f"doi: {doi.upper()}"]
        if pmid := work.get("PMID"):
            found += [f"PMID: {pmid}", f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"]
        return pick.choice(found) if found else ""

    # Slips.

    def typo(self, work: Work) -> dict[str, Any] | None:
        return self.changed_word(work, self.mistyped, 6)

    def mistyped(self, word: str) -> str | None:
        pick, at = self.random, self.random.randrange(1, len(word) - 1)
        made = pick.choice(
            (
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[:at] + pick.choice("aeiorst") + word[at + 1 :],
            )
        )
        return made if made != word and made.lower() not in self.words else None

    def british(self, work: Work) -> dict[str, Any] | None:
        for one, other in BRITISH:
            for a, b in ((one, other), (other, one)):
                if re.search(rf"\b{a}", work["title"]):
                    return {"title": re.sub(rf"\b{a}", b, work["title"])}
        return None

    def journal_form(self, work: Work) -> dict[str, Any] | None:
        forms = JOURNALS.get(work["container-title"].replace(".", ""))
        return {"container-title": self.random.choice(forms)} if forms else None

    def title_case(self, work: Work) -> dict[str, Any] | None:
        return {"title": self.random.choice((work["title"].title, work["title"].upper, work["title"].lower))()}

    def no_accents(self, work: Work) -> dict[str, Any] | None:
        authors = [
            one | {"family": "".join(c for c in letters(one["family"]) if not unicodedata.combining(c))}
            for one in work["author"]
        ]
        return {"author": authors} if authors != work["author"] and all(one["family"] for one in authors) else None

    def no_initials(self, work: Work) -> dict[str, Any] | None:
        return {"author": [{"family": one["family"]} for one in work["author"]]}

    def short_pages(self, work: Work) -> dict[str, Any] | None:
        found = re.fullmatch(r"(\d+)-(\d+)", work.get("page", ""))
        if not found or len(found[1]) != len(found[2]) or len(found[1]) < 3 or found[1][0] != found[2][0]:
            return None
        keep = next(at for at in range(len(found[1])) if found[1][at] != found[2][at]) if found[1] != found[2] else 1
        return {"page": f"{found[1]}-{found[2][keep:]}"}

    def no_subtitle(self, work: Work) -> dict[str, Any] | None:
        title = re.split(r"[:.] ", work["title"])[0]
        return {"title": title} if title != work["title"] and len(title.split()) >= 5 else None

    def no_numbers(self, work: Work) -> dict[str, Any] | None:
        return {"volume": "", "issue": ""}

    def near_year(self, work: Work) -> dict[str, Any] | None:
        return self.year(work, self.random.choice((-1, 1)))

    def greek(self, work: Work) -> dict[str, Any] | None:
        title = work["title"].replace("alpha", "α").replace("beta", "β").replace("gamma", "γ")
        return {"title": title} if title != work["title"] else None

    # What misleads.

    def year(self, work: Work, off: int = 0) -> dict[str, Any]:
        off = off or self.random.choice((-1, 1)) * self.random.randint(2, 9)
        return {"issued": {"date-parts": [[work["issued"]["date-parts"][0][0] + off]]}}

    def journal(self, work: Work) -> dict[str, Any] | None:
        other = self.random.choice(self.works)["container-title"]
        return {"container-title": other} if other[:4].lower() != work["container-title"][:4].lower() else None

    def first_author(self, work: Work) -> dict[str, Any] | None:
        other = self.random.choice(self.works)["author"]
        if not other or other[0]["family"][:3] == work["author"][0]["family"][:3]:
            return None
        return {"author": [other[0], *work["author"][1:]]}

    def order_of_authors(self, work: Work) -> dict[str, Any] | None:
        authors = work["author"]
        if len(authors) < 2 or authors[0]["family"].lower() == authors[1]["family"].lower():
            return None
        return {"author": [authors[1], authors[0], *authors[2:]]}

    def word(self, work: Work) -> dict[str, Any] | None:
        return self.changed_word(work, lambda word: self.random.choice(self.words), 5)

    def opposite(self, work: Work) -> dict[str, Any] | None:
        pairs = [pair for pair in PAIRS if re.search(rf"\b{pair[0]}\b", work["title"])]
        pairs += [(b, a) for a, b in PAIRS if re.search(rf"\b{b}\b", work["title"])]
        if not pairs:
            return None
        one, other = self.random.choice(pairs)
        return {"title": re.sub(rf"\b{one}\b", other, work["title"], count=1)}

    def drug(self, work: Work) -> dict[str, Any] | None:
        found = [drug for drug in DRUGS if re.search(rf"\b{drug}\b", work["title"].lower())]
        if not found:
            return None
        other = self.random.choice([drug for drug in DRUGS if drug not in found])
        return {"title": re.sub(rf"\b{found[0]}\b", other, work["title"], flags=re.IGNORECASE)}

    def number(self, work: Work) -> dict[str, Any] | None:
        found = [*re.finditer(r"(?<![\w.-])\d{1,2}(?![\w.])", work["title"])]
        if not found:
            return None
        one = self.random.choice(found)
        return {"title": work["title"][: one.start()] + str(int(one[0]) + 1) + work["title"][one.end() :]}

    def changed_word(self, work: Work, change: Callable[[str], str | None], least: int) -> dict[str, Any] | None:
        found = [*re.finditer(rf"[A-Za-z]{{{least},}}", work["title"])]
        if not found:
            return None
        one = self.random.choice(found)
        made = change(one[0])
        same = made is None or (made.lower()[:4] == one[0].lower()[:4] and change != self.mistyped)
        return None if same else {"title": work["title"][: one.start()] + str(made) + work["title"][one.end() :]}

    def mixture(self, work: Work) -> dict[str, Any] | None:
        other = self.random.choice(self.works)["title"].split()
        own = work["title"].split()
        if len(own) < 6 or len(other) < 6:
            return None
        return {"title": " ".join([*own[: len(own) // 2], self.random.choice(("in", "and", "with")), *other[-4:]])}


SLIPS: Final = words_of(
    """
    typo british journal_form title_case no_accents no_initials short_pages no_subtitle no_numbers near_year
    greek
    """
)
WRONG: Final = ["year", "journal", "first_author", "order_of_authors", "word", "opposite", "drug", "number"]


def cases(maker: Maker, absent: list[Work], count: int) -> Iterator[Case]:
    """So many cases, each kind as often as the others."""
    pick = maker.random
    kinds = ["honest", *SLIPS, *WRONG, "other_work", "dead_identifier", "mixture", "absent"]
    for number in range(count):
        kind = kinds[number % len(kinds)]
        for _ in range(400):
            work = pick.choice(absent if kind == "absent" else maker.works)
            if kind in ("honest", "absent"):
                want = "not_found" if kind == "absent" else "match"
                yield Case(kind, maker.printed(work), want, None if kind == "absent" else work["id"])
                break
            if kind in ("other_work", "dead_identifier", "mixture"):
                changes = maker.mixture(work)
                other = pick.choice(maker.works)
                identifier = {"mixture": "", "dead_identifier": f"PMID: {pick.randint(91000000, 98000000)}"}.get(
                    kind, maker.own_identifier(other)
                )
                if not changes or (kind == "other_work" and (not identifier or other is work)):
                    continue
                text = maker.printed(work, **changes, identifier=identifier)
                yield Case(kind, text, *(("other_work", other["id"]) if kind == "other_work" else ("not_found", None)))
                break
            changes = getattr(maker, kind)(work)
            if changes:
                yield Case(kind, maker.printed(work, **changes), "match" if kind in SLIPS else "mismatch", work["id"])
                break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--cases", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show")
    options = parser.parse_args()
    with options.library.open(encoding="utf-8") as lines:
        works = [json.loads(line) for line in lines]
    random.Random(options.seed).shuffle(works)
    absent, works = works[:1000], works[1000:]
    library = Library(record_of(work, "library", number) for number, work in enumerate(works, 1))
    right, accused = defaultdict(list), []
    maker = Maker([work for work in works if work.get("author") and len(work["title"].split()) > 3], options.seed)
    for case in cases(maker, [work for work in absent if work.get("author")], options.cases):
        check = library.check(parse_reference(case.text))
        found = check.record.record_id if check.record else None
        ok = check.verdict == case.want and case.work in (None, found)
        right[case.kind].append(ok)
        if case.want == "match":
            accused.append(check.verdict in ACCUSING)
        if options.show in (case.kind, "all") and not ok:
            print(case.want, case.work, "->", check.verdict, found, "|", case.text)
            for difference in check.wrong:
                print("    ", difference.field, "|", difference.reference, "|", difference.record, "|", difference.why)
    for kind, oks in right.items():
        print(f"{kind:18s} {len(oks):5d}  {sum(oks) / len(oks):.3f}")
    print(f"accused            {len(accused):5d}  {sum(accused) / len(accused):.4f}")


if __name__ == "__main__":
    main()
