"""Reading one reference in the styles that answers print."""

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from medreview.references.printed.parse import parse_reference

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
