"""References as answers print them: found in a response, in lists and in labelled fields, and read one by one."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.references.model import Reference
from medreview.references.printed.find import find_references
from medreview.references.printed.parse import parse_reference, read_one

PIECES = re.findall(
    r"\S+",
    """Smith J, Lee K, et al.
    Smith, J. A., & Lee, K. (2019). **Title of it** – [ ]( https://doi.org/10.5555/x ) PMID: 12
    "Quoted title" *J Clin* 2019;31(2): 36-44. In: editors. 3rd ed. Geneva: WHO; ( ) [1] 1. ISBN 978-3-16-148410-0
    “ ” ‘ ' ’
    <i> </b> _ __ \\* \x1f \u200b doi: Accessed 3 May 2024. vol. no. pp. S8-S14 É Ł 王 ́ … – | ; : , . ?""",
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join) | st.text(max_size=80))
def test_whatever_a_text_holds_it_is_read_and_its_fields_stand_where_they_are_said_to(text):
    reference = parse_reference(text)

    assert (reference.text, reference.start, reference.end) == (text, 0, len(text))
    for place in reference.places.values():
        assert 0 <= place.start < place.end <= len(text)
    for name in ("title", "container", "volume", "pages", "publisher"):
        said = getattr(reference, name)
        if said:
            place = reference.places[name]
            kept = iter(unicodedata.normalize("NFC", text[place.start : place.end]))
            assert all(letter in kept for letter in unicodedata.normalize("NFC", said) if letter.isalnum()), (
                name,
                said,
            )


def test_the_usual_styles_of_an_article_are_read_alike():
    for printed in (
        "Page SJ, Levine P. Modified therapy in chronic stroke: a trial. Phys Ther. 2008;88(3):333-40.",
        "3. Page, S., & Levine, P. (2008). Modified therapy in chronic stroke: a trial. *Phys Ther*, 88(3), 333-40.",
        'Page S, Levine P. "Modified therapy in chronic stroke: a trial." Phys Ther, vol. 88, no. 3, 2008, pp. 333-40.',
        "- **Modified therapy in chronic stroke: a trial** – Page SJ, Levine P. (Phys Ther, 2008;88(3):333-40)",
    ):
        read = parse_reference(printed)

        assert [author.family for author in read.authors] == ["Page", "Levine"], printed
        assert (read.title, read.container, read.year) == (
            "Modified therapy in chronic stroke: a trial",
            "Phys Ther",
            2008,
        ), printed
        assert (read.volume, read.issue, read.pages, read.kind) == ("88", "3", "333-40", "article"), printed


def test_numbers_and_names_in_ways_that_are_easily_mistaken_are_read():
    for printed, names, numbers in (
        ("Smith J, Lee K: Falls in age. Lancet 2019, 393:31-39.", ["Smith", "Lee"], (2019, "393", "31-39")),
        ("Wang, Y.; Li, X. Deep sleep. Sensors 2021, 21, 1234.", ["Wang", "Li"], (2021, "21", "1234")),
        ("Cox, Julia; Coupland, Carol. Scores. BMJ 2017; 357: j2099.", ["Cox", "Coupland"], (2017, "357", "j2099")),
        ('Cochrane Review: "Exercise for depression" (Cooney et al., 2013)', ["Cooney"], (2013, "", "")),
    ):
        read = parse_reference(printed)

        assert [author.family for author in read.authors] == names
        assert (read.year, read.volume, read.pages) == numbers
        assert not read.container or len(read.container) < 8


def test_a_reference_without_a_title_names_its_journal_before_the_volume():
    for printed, journal in (
        ("Okafor N, et al. Exp Brain Res 2015;57:562-575", "Exp Brain Res"),
        ("Okafor N, et al. Patient Educ. Couns. 2015;85:e8-e15", "Patient Educ. Couns"),
        ("Okafor N, et al. J. R. Soc. Med 2015;92:222-229", "J. R. Soc. Med"),
        ("Okafor N. Neuron 2015;13:142-159", "Neuron"),
    ):
        read = parse_reference(printed)

        assert (read.title, read.container, read.year) == ("", journal, 2015)
    for printed in ("Okafor N. Stroke. Lancet. 2015;85:8-15", "Okafor N. Heart Failure. Lancet. 2015;85:8-15"):
        assert parse_reference(printed).container == "Lancet"


def test_a_journal_in_italics_behind_one_author_is_no_second_author():
    read = parse_reference("**Restrictive fluids in septic shock** — O’Connor JM, *Am J Surg* 2011")

    assert ([author.family for author in read.authors], read.container) == (["O’Connor"], "Am J Surg")


def test_the_last_author_behind_dots_is_an_author():
    read = parse_reference(
        "Okafor, N. M., Lee, J. D., … Silva, N. I. (2016). Fluids in septic shock. *Psychol. Sci.*, 1, 12."
    )

    assert ([author.family for author in read.authors], read.et_al) == (["Okafor", "Lee", "Silva"], True)
    assert read.title == "Fluids in septic shock"


def test_what_an_institution_publishes_without_a_journal_is_a_report():
    for printed, kind in (
        ("Centers for Disease Control and Prevention. Influenza vaccination: a summary. Updated 2023.", "report"),
        ("Robert Koch-Institut (2023): Epidemiologisches Bulletin 14/2023. Berlin.", "report"),
        ("SPRINT Research Group. Intensive versus standard control. N Engl J Med. 2015.", "article"),
    ):
        assert parse_reference(printed).kind == kind


def test_an_isbn_with_a_wrong_check_digit_is_none():
    read = [
        parse_reference(f"Herold G. Innere Medizin. ISBN {isbn}").identifiers
        for isbn in ("0-306-40615-2", "0306406153")
    ]

    assert [[each.value for each in found] for found in read] == [["0306406152"], []]


def test_an_address_is_alone_unless_the_work_is_described_or_named_by_an_identifier():
    alone = ("https://guidelines.example/sepsis", "[2] https://guidelines.example/sepsis (accessed 3 May 2024)")
    more = (
        "https://doi.org/10.5555/x.1",
        "https://pubmed.ncbi.nlm.nih.gov/31234567/",
        "WHO. https://guidelines.example/sepsis",
        "[Sepsis in adults](https://guidelines.example/sepsis)",
        "World Health Organization",
    )

    assert [text for text in (*alone, *more) if parse_reference(text).bare_url] == [*alone]


def test_the_end_of_a_title_and_the_name_of_a_journal_are_told_apart():
    for printed, title, container in (
        ("Lee K. Divergent thinking. Creat. Res. J. 2012;24:66-75.", "Divergent thinking", "Creat. Res. J"),
        ("Lee K. Should we screen? No. Br Med J. 1985;290:1200-2.", "Should we screen? No", "Br Med J"),
        (
            "Lee K. Arthritis of the hip. The Journal of Bone and Joint Surgery. American Volume. 1969;51(4):737-55.",
            "Arthritis of the hip",
            "The Journal of Bone and Joint Surgery. American Volume",
        ),
        (
            "Lee K. Chitosan in Wound Care? In Vitro Evaluation of Films. Biomaterials. 2005;26:5983-90.",
            "Chitosan in Wound Care? In Vitro Evaluation of Films",
            "Biomaterials",
        ),
        (
            'Lee K. "Doctor, am I ill?" and other questions: a survey. Br J Gen Pract. 1999;49:7-9.',
            '"Doctor, am I ill?" and other questions: a survey',
            "Br J Gen Pract",
        ),
        (
            "Lee K. Metabolism of 2,3-butanedione in rats. Hum Toxicol 1985.",
            "Metabolism of 2,3-butanedione in rats",
            "Hum Toxicol",
        ),
        ("Lee K. Relaxation times T1 and T2 in stroke. Stroke 2004.", "Relaxation times T1 and T2 in stroke", "Stroke"),
        (
            "**CHARTS OF FETAL SIZE: 3. ABDOMEN** Lee K, Page S. *BJOG* 1994;101:125-131",
            "CHARTS OF FETAL SIZE: 3. ABDOMEN",
            "BJOG",
        ),
    ):
        read = parse_reference(printed)

        assert (read.title, read.container) == (title, container), printed
        assert read.authors[0].family == "Lee"


def test_authors_are_read_without_initials_with_cut_names_and_behind_the_title():
    for printed, families, title, container in (
        ("Braun, Edwards, Lilford. Are trials good for us? A review. J Clin Epidemiol. 2001;54:217-24.",
         ["Braun", "Edwards", "Lilford"], "Are trials good for us? A review", "J Clin Epidemiol"),
        ("Kenny Da, Smith J. Lipids in youth. Gut. 2009;58:22-9.", ["Kenny", "Smith"], "Lipids in youth", "Gut"),
        ("van WA, Bartels PJ. Lipids in age. Gut. 2009;58:22-9.", ["van", "Bartels"], "Lipids in age", "Gut"),
        ("Lancet. 2019;393:31-39. Statins in the old: a review. Smith J, Lee K.",
         ["Smith", "Lee"], "Statins in the old: a review", "Lancet"),
        ("NEJM 2015: Intensive and standard control of pressure. SPRINT Research Group.",
         ["SPRINT Research Group"], "Intensive and standard control of pressure", "NEJM"),
        ("The Lancet Commission on dementia and care: Livingston G, Huntley J, et al. Lancet 2020;396:413-446.",
         ["Livingston", "Huntley"], "The Lancet Commission on dementia and care", "Lancet"),
    ):  # fmt: skip
        read = parse_reference(printed)

        assert [author.family for author in read.authors] == families, printed
        assert (read.title, read.container) == (title, container), printed


def test_words_with_commas_before_a_journal_are_a_title_and_no_surnames():
    read = parse_reference("Aspirin, Clopidogrel, Ticagrelor. Lancet. 2009;373:22-9.")

    assert (read.title, read.authors) == ("Aspirin, Clopidogrel, Ticagrelor", ())


def test_names_begin_with_a_capital_in_any_alphabet():
    for printed, families in (
        ("Łukasz J, Šimek K, Đorđević M. Title of it. Gut. 2009;58:22-9.", ["Łukasz", "Šimek", "Đorđević"]),
        ("Иванов И, Петров П. Лечение сепсиса. Gut. 2009;58:22-9.", ["Иванов", "Петров"]),
        ("ʿAbd A, D’Amico G. Title of it. Gut. 2009;58:22-9.", ["ʿAbd", "D’Amico"]),
        ("łuszczyca A, żywienie B. Gut. 2009;58:22-9.", []),
        ("王伟, 李明. 标题. Gut. 2009;58:22-9.", []),
    ):
        assert [author.family for author in parse_reference(printed).authors] == families, printed


def test_fields_with_labels_in_one_line_are_read_by_their_labels():
    read = read_one(
        "Title: Falls, age and sleep; Authors: Okafor N, Lee K; Journal: Sci. Aging; Year: 2015; PMID: 99999991"
    )

    assert (read.title, [author.family for author in read.authors]) == ("Falls, age and sleep", ["Okafor", "Lee"])
    assert (read.container, read.year, read.identifiers) == ("Sci. Aging", 2015, (("pmid", "99999991"),))


def test_the_row_of_a_table_without_its_head_is_read_by_what_stands_in_its_cells():
    read = read_one(
        "| 3 | Okafor et al. | 2015 | Restrictive fluids in septic shock: a trial | *Crit. Care* | 10.5555/cc.1 |"
    )

    assert (read.title, read.year) == ("Restrictive fluids in septic shock: a trial", 2015)
    assert ([author.family for author in read.authors], read.et_al) == (["Okafor"], True)
    assert (read.container.strip("."), read.identifiers) == ("Crit. Care", (("doi", "10.5555/cc.1"),))
    assert read_one("| Okafor | a bar in a text").title != "Okafor"


LISTS = Path(__file__).parent / "lists"
TEXTS = ("title", "container", "volume", "issue", "pages", "publisher", "edition", "url")
FOUND, READ = 0.97, 0.95


def answers() -> Iterator[dict[str, Any]]:
    for file in sorted(LISTS.glob("*.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8"))["answer"]


def said(read: Reference) -> dict[str, Any]:
    """The fields of a reading in the form of the files; what is empty is left out."""
    names = [f"{author.family}*" if author.body else f"{author.family} {author.given}" for author in read.authors]
    fields = {
        "authors": "; ".join(name.replace(".", "").strip() for name in [*names, *(["+"] if read.et_al else [])]),
        "year": read.year,
        "number": read.number,
        "standing": read.standing,
        "kind": read.kind,
        "identifiers": [f"{identifier.kind}:{identifier.value}" for identifier in read.identifiers],
        **{name: " ".join(getattr(read, name).split()) for name in TEXTS},
    }
    return {name: value for name, value in fields.items() if value}


def wanted(want: dict[str, Any]) -> dict[str, Any]:
    fields = {"standing": "list", "kind": "article", **want}
    return {**fields, "authors": fields.get("authors", "").replace(".", "")} if "authors" in fields else fields


def likeness(want: dict[str, Any], have: dict[str, Any]) -> int:
    return sum(
        2 if name in ("title", "identifiers", "authors", "url") else 1 for name in want if want[name] == have.get(name)
    )


def paired(
    wants: list[dict[str, Any]], found: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Each wanted reference with what was found for it, in order; an entry is found if three of its marks agree."""
    rest, pairs = list(found), []
    for want in wants:
        best = max(rest, key=lambda have: likeness(want, have), default=None)
        if best is not None and likeness(want, best) < min(4, len(want) + 1):
            best = None
        if best is not None:
            rest.remove(best)
        pairs.append((want, best))
    return pairs


def test_entries_are_found_and_their_fields_read_in_answers_as_models_print_them():
    entries = hits = 0
    fields: Counter[str] = Counter()
    right: Counter[str] = Counter()
    misses: list[str] = []
    for answer in answers():
        text = answer["text"]
        found = [said(read) for read in find_references(text, answer.get("listed", ()))]
        wants = [wanted(want) for want in answer.get("want", [])]
        for want, have in paired(wants, found):
            entries += 1
            if have is None:
                misses.append(f"{answer['name']}: not found: {want.get('title') or want}")
                continue
            hits += 1
            for name in want.keys() | have.keys():
                fields[name] += 1
                right[name] += want.get(name) == have.get(name)
                if want.get(name) != have.get(name):
                    misses.append(f"{answer['name']}: {name} {have.get(name)!r}, wanted {want.get(name)!r}")
        if len(found) > len(wants):
            misses.append(f"{answer['name']}: {len(found) - len(wants)} too many")
            assert wants, misses[-1]
    shares = {name: right[name] / fields[name] for name in fields}
    report = "\n".join([f"{hits} of {entries} found", *(f"{n} {s:.3f}" for n, s in shares.items()), *misses])

    assert hits / entries >= FOUND, report
    assert all(share >= READ for name, share in shares.items() if fields[name] >= 20), report
    assert sum(right.values()) / sum(fields.values()) >= READ, report


ANSWER = """Aspirin lowers the risk [1]. Statins help (Pan et al., NEJM 2006), as the
PARADIGM-HF trial (Lancet 2014) did.

## References

1. Smith J, Lee K. Aspirin in primary prevention. Lancet. 2019;393(1):31-39.
2. **Statins in sepsis: a trial** – Pan et al. (N Engl J Med, 2006) doi:10.5555/statins.06
   - Key finding: fewer deaths in 2006.
3. Müller A. Something wrapped over
   two lines. BMJ. 2001;
   2:33-44.

Let me know if you want more.
"""


def test_a_list_has_its_entries_and_a_pointer_to_one_of_them_is_no_reference_of_its_own():
    found = find_references(ANSWER)

    assert [(read.standing, read.number, read.title) for read in found] == [
        ("inline", None, "PARADIGM-HF"),
        ("list", 1, "Aspirin in primary prevention"),
        ("list", 2, "Statins in sepsis: a trial"),
        ("list", 3, "Something wrapped over two lines"),
    ]
    for read in found:
        assert ANSWER[read.start : read.end] == read.text
        year = read.places["year"]
        assert ANSWER[year.start : year.end] == str(read.year)


def test_entries_given_beside_a_response_are_read_unless_its_text_has_them():
    given = ["[1] Smith J, Lee K. Aspirin in primary prevention. Lancet. 2019", "Lee K. Another work. BMJ. 2011;3:4-5."]
    found = find_references(ANSWER, given)

    assert [(read.title, read.standing) for read in found[4:]] == [("Another work", "given")]


LINES = [
    "References",
    "## Sources",
    "",
    "1. Smith J, Lee K. Aspirin in primary prevention. Lancet. 2019;393(1):31-39.",
    "   - Authors: Lee K, et al.",
    "[2] https://doi.org/10.5555/x",
    "[^a]: WHO. A report of it. Geneva: World Health Organization; 2020.",
    "| # | Authors | Title | Year |",
    "|---|---|---|---|",
    "| 1 | Smith J | A title of it | 2019 |",
    "Aspirin helps (Smith et al., NEJM 2019; Lee, 2018), as a 2020 Lancet trial and the SPRINT trial (2015) say.<br>A",
    "**Title of a work** – Pan et al. (Lancet, 2006) PMID: 12345; [A link of words](https://a.example/b)",
    "    wrapped below it, 2001. The 2021 Surviving Sepsis Campaign guideline says so.",
    "> * “A quoted title here.” J Clin Oncol 2012; 3: 4; Lee K. Another. BMJ. 2011;3:4.",
    "References: [1] Smith J. A title. BMJ 2019;1:2. [2] Lee K. Other title. BMJ 2018;2:3.",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join) | st.text(max_size=60))
def test_whatever_a_response_holds_its_references_stand_in_order_and_apart_with_their_fields_inside(text):
    found = find_references(text)

    at = 0
    for read in found:
        assert at <= read.start < read.end <= len(text)
        assert text[read.start : read.end] == read.text
        assert all(read.start <= place.start < place.end <= read.end for place in read.places.values())
        at = read.end
