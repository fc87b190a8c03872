"""Where the title of a reference ends and its journal, book or site begins; names of journals; the kind of work."""

import re
from collections.abc import Sequence
from typing import Final

from medreview.references.model import Author, Reference, WorkKind
from medreview.text import Span

_STEMS: Final = re.compile(
    r"""a|acad|acta|adv|afr|agents|aids|allergy|altern|am|ami|anaesth|anal|anat|ann|annals|annu|antimicrob|appl|arch
    |asian|assoc|aust|azn|bangl|behav|biochem|bioeth|biol|biomech|biomed|biophys|biostat|bone|br|braz|bull|calcif
    |can|cancer|card|cardiol|cardiothorac|cardiovasc|catheter|cell|cent|cereb|chem|chemother|chest|child|chin|chir
    |chron|circ|circulation|clin|cochrane|cogn|coll|comb|comm|commun|community|comp|complement|comput|congr|contemp
    |contracept|contrib|control|crit|cult|curr|cytol|database|deliv|dent|dermatol|dev|dig|dis|disabil|disord|drug
    |drugs|dtsch|ear|econ|edn|educ|electrocardiol|electroencephalogr|emerg|endocr|endocrinol|endosc|eng|engl|environ
    |epidemiol|ergon|eur|eval|evid|exp|expert|explor|fam|fed|fertil|front|gastroenterol|gastrointest|gen|genet
    |geriatr|gerontol|gut|gynaecol|gynecol|haematol|health|heart|hematol|hepatol|hosp|hum|hyg|hypertens|imaging
    |immun|immunol|ind|indian|infect|inform|inhal|inj|inst|int|intern|interv|invest|ir|isr|ital|j|jama|japan|jour
    |jpn|jt|kidney|korean|lab|laeg|lancet|laryngol|leg|libr|lipidol|liver|lung|magn|malar|manag|mar|maxillofac|mayo
    |mech|med|metab|methods|microbiol|mil|minerva|minim|mol|monit|mov|mt|musculoskelet|n|nat|natl|neonatal|nephrol
    |nerv|nerve|neth|neural|neuro|neurobiol|neurol|neuropsychol|neurosci|neurosurg|new|nord|norw|nucl|nurs|nutr|obes
    |obstet|occup|oncol|open|ophthal|ophthalmol|opin|oral|orthop|osteoporos|otol|otolaryngol|paediatr|pain|parasitol
    |parenter|pathol|patient|pediatr|percept|perinat|periodontol|pers|pharm|pharmacokinet|pharmacol|pharmacother
    |phlebol|photochem|phys|physiol|plast|pol|postgrad|pract|prev|prim|proc|prof|prog|prosthet|prosthodont|psychiatr
    |psychiatry|psychol|psychopharmacol|psychosom|psychother|public|pulm|q|qual|quant|radiat|radiol|rehabil|remodel
    |reprod|res|respir|resusc|rev|rheum|rheumatol|rhinol|rom|s|sante|saudi|scand|scholar|sci|semin|serv|sex|sinai
    |singapore|skin|sleep|soc|south|spinal|sport|sports|stand|stat|stroke|stud|subst|suppl|support|surg|swed|syst
    |tech|technol|ther|thorac|thromb|thyroid|tidsskr|toxicol|traffic|transfus|transl|transplant|trauma|trends|trop
    |tuberc|turk|u|ultrason|ultrasound|univ|urol|urolog|vaccin|vasc|venereol|vet|vib|virol|vis|wien|wkly|womens
    |world|wound|yonsei|z|zentralbl""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words of journal abbreviations (ISO 4), without their full stops."""
_BREAK: Final = re.compile(r"[.?!][\"'”’)\]]{0,2}(?: |(?=\x1f)|(?<=\w\.)(?=[A-Z][a-z]{3}))|\x1f+")
_NOT_A_BREAK: Final = re.compile(
    r"(?:\b(?:vs|v|cf|e\.g|i\.e|approx|ca|al|dr|prof|st|mr|mrs|ms|jr|sr|spp?|subsp|var|resp|\w{0,12}nr"
    r"|incl|bzw|z\.B|u\.a|inc|ltd|co|ed|eds|dept)"
    r"|(?<![^\W_])(?-i:[A-Z])|(?-i:(?<![^\W_])[A-Z]\.[A-Z]))\Z",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\b(?:nos?|vol|figs?)\Z", re.IGNORECASE)
"""Abbreviations before a number; before anything else they are words: "Do we need more of it? No. Br Med J."."""
_DOTTED_WORD: Final = re.compile(r"(?!(?:Yes|Why|How|What|When|Reply|Letter)\b)[A-Z][a-z]{2,9}")
_SECTION: Final = re.compile(
    r"(?:american|british|english|european|international)(?:\s(?:vol(?:ume)?|ed(?:ition|n)?))?|(?:series|part|section)\s[a-h]\b.*"
    r"|(?:am|br)(?:\svol)?",
    re.IGNORECASE,
)
"""What a journal's name ends with after a full stop: "J Bone Joint Surg. American volume"."""
_SMALL_JOURNAL: Final = re.compile(r"[a-z]{1,4}[A-Z][a-z]|medRxiv|bioRxiv|arXiv|npj\b|eLife|mBio")
_TRIM: Final = " \t.,;:–—-|/\x1f"


def trimmed(text: str, start: int, end: int, *, also: str = "") -> Span:
    """A stretch without blanks and punctuation around it; a closing bracket stays."""
    while start < end and text[start] in _TRIM + also:
        start += 1
    while end > start and (text[end - 1] in _TRIM + also or (text[end - 1] in ")]" and _is_alone(text, start, end))):
        end -= 1
    return Span(start, max(start, end))


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether a closing bracket at the end has no opening one."""
    closing = text[end - 1]
    opening = "(" if closing == ")" else "["
    return text.count(closing, start, end) > text.count(opening, start, end)


def segments(text: str, start: int, end: int) -> list[Span]:
    """The sentences of a stretch, without their ends; abbreviations and initials end none."""
    found: list[Span] = []
    at = start
    for stop in _BREAK.finditer(text, start, end):
        if text[stop.start()] == "." and stop.end() < end and text[stop.end() - 1] == " ":
            following = text[stop.end()]
            word = text[max(at, text.rfind(" ", at, stop.start()) + 1) : stop.start()]
            inside = _is_inside(text, at, stop.start(), end)
            small = following.islower() and _SMALL_JOURNAL.match(text, stop.end()) is None
            if small or (inside and not is_journal_word(word)):
                continue
        cut = stop.start() + (text[stop.start()] in "?!")
        if cut > at:
            found.append(Span(at, cut))
        at = stop.end()
    if end > at:
        found.append(Span(at, end))
    return [span for span in found if text[span.start : span.end].strip(_TRIM)]


def _is_inside(text: str, start: int, stop: int, end: int) -> bool:
    """Whether a full stop ends an abbreviation or stands in brackets, rather than at the end of a sentence."""
    if _NOT_A_BREAK.search(text, max(start, stop - 14), stop) is not None:
        return True
    if _NUMBERED.search(text, max(start, stop - 8), stop) is not None:
        return text[stop + 1 : stop + 3].strip()[:1].isdigit()
    opening = text.rfind("(", start, stop)
    return opening > text.rfind(")", start, stop) and text.find(")", stop, min(end, opening + 100)) >= 0


def is_journal_word(word: str) -> bool:
    """Whether a word stands in abbreviated names of journals."""
    return _STEMS.fullmatch(word.strip(".,()")) is not None


def journal_words(name: str) -> float:
    """The share of the words of a name that stand in names of journals."""
    words = re.findall(r"[^\W\d_]+", name)
    return sum(is_journal_word(word) for word in words) / len(words) if words else 0.0


def title_and_container(text: str, start: int, end: int) -> tuple[Span, Span]:
    """Title and container of ``Title. Container`` between two places; the container is empty where there is one part.

    A container that is abbreviated with full stops ("Behav. Modif.") is put together again.
    """
    parts = segments(text, start, end)
    if len(parts) < 2:
        return (parts[0] if parts else Span(start, start)), Span(end, end)
    first = len(parts) - 1
    if first > 1 and _SECTION.fullmatch(text[parts[first].start : parts[first].end].strip(_TRIM)):
        named = text[parts[first - 1].start : parts[first - 1].end]
        first -= "Journal" in named or journal_words(named) >= 0.74
    dotted = "." in text[parts[first].start : parts[first].end].strip(_TRIM)
    while first > 1:
        word = text[parts[first - 1].start : parts[first - 1].end].strip(_TRIM)
        if not is_journal_word(word) and not (dotted and _DOTTED_WORD.fullmatch(word)):
            break
        first, dotted = first - 1, True
    return Span(start, parts[first - 1].end), Span(parts[first].start, parts[-1].end)


_SURE: Final = (
    r"NEJM(?:\s(?:Evidence|AI|Catalyst))?|(?:The\s)?New\sEngland\sJournal\sof\sMedicine|N\.?\sEngl\.?\sJ\.?\sMed\.?"
    r"|(?:The\s)?Lancet(?:\s(?:Oncology|Neurology|Diabetes(?:\s(?:&|and)\sEndocrinology)?"
    r"|Infectious\sDiseases|Psychiatry|Haematology|HIV"
    r"|Respiratory\sMedicine|Gastroenterology(?:\s(?:&|and)\sHepatology)?|Public\sHealth|Global\sHealth|Digital\sHealth"
    r"|Child\s(?:&|and)\sAdolescent\sHealth|Rheumatology|Regional\sHealth|Oncol|Neurol|Infect\sDis"
    r"|Respir\sMed|Psychiatry))?"
    r"|JAMA(?:\s(?:Internal\sMedicine|Cardiology|Oncology|Neurology|Psychiatry|Surgery|Pediatrics"
    r"|Network\sOpen|Dermatology|Ophthalmology"
    r"|Otolaryngology|Health\sForum|Intern\sMed|Cardiol|Oncol|Neurol|Netw\sOpen|Pediatr|Surg|Dermatol))?"
    r"|(?:The\s)?BMJ(?:\sOpen)?|British\sMedical\sJournal|Ann(?:als|\.)?\s(?:of\s)?Intern(?:al|\.)?\sMed(?:icine|\.)?"
    r"|Cochrane(?:\sDatabase(?:\sof)?\sSyst(?:ematic|\.)?\sRev(?:iews?|\.)?|\sLibrary)?|European\sHeart\s"
    r"Journal|Eur\sHeart\sJ|JACC|J\sAm\sColl\sCardiol"
    r"|Nature\sMedicine|Nat\sMed|PLo[Ss]\s(?:ONE|One|Medicine|Med)|Diabetes\sCare|Diabetologia"
    r"|CMAJ|MMWR|CHEST|Gut|AJRCCM|JASN|CJASN|JCO|JNCI"
    r"|Circulation|Gastroenterology|Hepatology|Pediatrics|Thorax|Kidney\sInternational|Intensive\sCare\s"
    r"Medicine|Critical\sCare(?:\sMedicine)?"
    r"|Clinical\sInfectious\sDiseases|Journal\sof\sClinical\sOncology|Annals\sof\s(?:the\s)?[A-Z][a-z]{1,30}(?:\s"
    r"[A-Z][a-z]{1,30}){0,2}"
    r"|Archives\sof\s[A-Z][a-z]{1,30}(?:\s[A-Z][a-z]{1,30}){0,2}"
    r"|(?:(?:American|European|British|International|Canadian|Indian|Scandinavian|World|Clinical)\s)?Journal\s"
    r"of\s(?:the\s)?[A-Z][a-z]{1,30}(?:\s(?:(?:of|and|the|in|&)\s){0,2}[A-Z][a-z]{1,30}){0,5}"
)
_ALSO: Final = (
    r"Nature|Science|Cell|Blood|Pain|Stroke|Hypertension|Cancer|Brain|Chest|Spine|Headache"
    r"|Obesity|Allergy|Neurology|Radiology|Surgery"
    r"|Anesthesiology|Epilepsia|Heart|Lupus|Vaccine|Sleep|Addiction|Rheumatology|Dermatology"
    r"|Urology|Thyroid|Europace|Haematologica|Leukemia"
    r"|eClinicalMedicine|EClinicalMedicine|medRxiv|bioRxiv"
)
SURE: Final = rf"(?:{_SURE})"
"""Body of a regular expression: names that are those of journals wherever they stand."""
_NAMED: Final = re.compile(rf"(?:the\s)?(?:{_SURE}|{_ALSO})(?:\s\([A-Z][A-Za-z ]{{2,20}}\))?\.?", re.IGNORECASE)


def is_journal(name: str) -> bool:
    """Whether a text as a whole reads as the name of a journal."""
    name = " ".join(name.split())
    if not name or not name[0].isalpha() or not (name[0].isupper() or name[0] in "emb"):
        return False
    if _NAMED.fullmatch(name):
        return True
    words = name.split()
    return 2 <= len(words) <= 9 and journal_words(name) >= 0.74


_LABEL: Final = re.compile(
    r"prescribing information|full prescribing|summary of product characteristics|\bSm?PC\b|package (?:insert"
    r"|leaflet)|drug label|product (?:label|monograph|information)"
    r"|fachinformation|gebrauchsinformation|patient information leaflet|\bDailyMed\b|highlights of prescribing"
    r"|\bUSPI\b|résumé des caractéristiques",
    re.IGNORECASE,
)
_GUIDELINE: Final = re.compile(
    r"guidelines?\b|guidance\b|\bclinical practice\b|recommendations?\b|consensus (?:statement|report|conference)"
    r"|position (?:statement|paper)|standards of (?:medical )?care"
    r"|leitlinien?\b|\bS[123][ek]?-Leitlinie|\bN[GS]\d{1,4}\b|\bCG\d{1,4}\b|\bTA\d{2,4}\b|practice (?:parameter"
    r"|bulletin|advisory)|scientific statement|recommandations\b|appropriate(?:ness)? use criteria",
    re.IGNORECASE,
)
_GUIDE_SERIES: Final = re.compile(
    r"\bNICE (?:clinical )?guid(?:eline|ance)|\[(?:NG|CG|TA)\d{1,4}\]|\b(?:NG|CG)\d{2,4}\b|AWMF-Reg"
)
_BOOK: Final = re.compile(r"\b(?:handbook|textbook|lehrbuch|principles (?:of|and practice)|manual of)\b", re.IGNORECASE)
_THESIS: Final = re.compile(r"[\[(](?:[\w' -]{0,30})(?:dissertation|thesis)\b", re.IGNORECASE)
_TRIAL: Final = re.compile(
    r"clinicaltrials\.gov|\bISRCTN|\bEudraCT|\bACTRN|\bChiCTR|\bUMIN\d|\bDRKS\d|\bCTRI/|trial registration",
    re.IGNORECASE,
)
_PREPRINT: Final = re.compile(
    r"\b(?:med|bio|psy|chem|soc)?r?xiv\b|\bpreprints?(?:\.org)?\b|research square|\bssrn\b|\bosf preprints\b",
    re.IGNORECASE,
)
_PREPRINT_DOI: Final = re.compile(r"10\.(?:1101|21203|2139|20944|31234|31219|26434|48550)/")
_DATASET: Final = re.compile(
    r"\bdata ?sets?\b\]?|\bzenodo\b|\bfigshare\b|\bdryad\b|\bdatabase \[|\bdata set\b|\bmendeley data\b"
    r"|\bphysionet\b|\bdataverse\b",
    re.IGNORECASE,
)
_REPORT: Final = re.compile(
    r"\b(?:technical|annual|final|evidence|working|research|global|world) (?:report|paper)|\breport (?:no|of"
    r"|on)\b|\bthesis\b|\bdissertation\b|\bwhite paper\b|\bfact ?sheet\b|\breport(?: \d{4})?\Z"
    r"|doktorarbeit|habilitation|health technology assessment|\bHTA report",
    re.IGNORECASE,
)
_ENCYCLOPAEDIA: Final = re.compile(
    r"\buptodate\b|\bmedlineplus\b|\bmedscape\b|\bmayo clinic\b|\bwikipedia\b|\bwebmd\b|\bdynamed\b"
    r"|\bcleveland clinic\b|\bnhs(?:\.uk| website| choices| inform)\b|\bpatient\.info\b",
    re.IGNORECASE,
)


def is_by_body(authors: Sequence[Author]) -> bool:
    """Whether an institution or a group is the only author."""
    return bool(authors) and all(author.body for author in authors)


def kind_of(
    read: Reference, text: str, *, numbered: bool | None = None, chapter: bool = False, by_body: bool = False
) -> WorkKind:
    """The sort of work that a reference is of, by its fields and by ``text``, which says what it is.

    ``numbered``: it has a volume or pages, by default as was read; ``by_body``: authors that are a body count.
    """
    title, container, identifiers = read.title, read.container, read.identifiers
    numbered = bool(read.volume or read.pages) if numbered is None else numbered
    kinds = {identifier.kind for identifier in identifiers}
    if _LABEL.search(text):
        return "drug_label"
    if numbered and container and not chapter:
        return "article"
    if (
        _PREPRINT.search(container or text)
        or "arxiv" in kinds
        or any(_PREPRINT_DOI.match(i.value) for i in identifiers)
    ):
        return "preprint"
    if ("nct" in kinds and not ({"doi", "pmid"} & kinds)) or _TRIAL.search(container or title):
        return "trial"
    if _DATASET.search(text):
        return "dataset"
    if _GUIDE_SERIES.search(text) or (not chapter and _ENCYCLOPAEDIA.search(container)):
        return "guideline" if _GUIDE_SERIES.search(text) else "web_page"
    if chapter:
        return "web_page" if _ENCYCLOPAEDIA.search(container) else "chapter"
    if _BOOK.search(title) or read.edition or "isbn" in kinds:
        return "book"
    if is_journal(container):
        return "article"
    if _GUIDELINE.search(title) or (not title and _GUIDELINE.search(text)):
        return "guideline"
    if _ENCYCLOPAEDIA.search(text):
        return "web_page"
    if _THESIS.search(text) or _REPORT.search(title) or _REPORT.search(container):
        return "report"
    if read.publisher and not container:
        return "book"
    if {"pmid", "pmcid", "doi"} & kinds:
        return "article"
    if read.url:
        return "web_page"
    if by_body and is_by_body(read.authors) and not numbered and not journal_words(container):
        return "report"
    return "article" if container else "unknown"
