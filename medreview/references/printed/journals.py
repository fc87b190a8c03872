"""Names of journals as running text writes them: well-known ones, and what reads as a journal's name."""

import re
from typing import Final

from medreview.references.printed.parts import journal_words

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
