"""What makes a sentence checkable: an amount, a drug, a condition, a reason, an instruction. By word lists and by the
endings that drug and disease names have; the lists err towards "there is something".
"""

import re
from typing import Final

from medreview.citations.markers import RESIDUE
from medreview.text import lazy_pattern

_DRUG: Final = lazy_pattern(
    r"""\b(?:
      # Stems of international nonproprietary names, and names that have none
        \w{2,}(?:mab|tinib|ciclib|rafenib|pril(?:at)?|sartan|[aeio]lol|vastatin|azole|cillin|mycin|micin
          |floxacin|cycline|penem
          |gliptin|gliflozin|glitazone|glutide|formin|dipine|prazole|setron|triptan|vir|[ox]etine|azepam|azolam
          |barbital|caine|profen
          |coxib|[bc]ort|sone|nisone|solone|onide|parin|xaban|gatran|thiazide|[os]emide|afil|[ai]?zosin|dronate
          |dramine|amine
          |tadine|zine|phylline|terol|tropium|lukast|roquine|fungin|gestrel|estradiol|gesterone|thyroxine
          |peridol|[aeio]peridone
          |iprazole|[at]apine|pramine|triptyline|faxine|talopram|tropin|codone|orphan|orphine|fentan[iy]l
          |codeine|naloxone|sulfa\w*
          |bactam|semide|actone|statins?|limus|platin|taxel|rubicin|trexate|purine|uracil|poietin|feron
          |tretinoin|noxidil
          |oxicam|fenac|proxen|fenamate|bital|pentin|gabalin|racetam|toin|dopa|giline|stigmine|curonium|curium
          |flurane)
      | (?:cef|ceph)[a-z]{4,} | sulph?a[a-z]{4,}
      | aspirin|acetaminophen|paracetamol|tylenol|warfarin|heparin|insulins?|lithium|digoxin|colchicine
      |permethrin|metronidazole
      | ivermectin|loperamide|ondansetron|bupropion|epinephrine|adrenaline|caffeine|nicotine|cannabis
      |cannabidiol|cbd|melatonin|botox
      | vaccin\w+|immuni[sz]ation|antibiotics?|anti-?(?:histamin\w*|depressants?|psychotics?|coagula\w*|fung\w+
      |vir\w+|acids?
          |convulsants?|epileptic\w*|inflammatory|emetics?|hypertensives?|pyretics?|spasmodics?|diarrh\w+
          |biotics?|microbials?|body|bodies)
      | nsaids?|ssris?|snris?|maois?|opi(?:oid|ate)s?|steroids?|corticosteroids?|diuretics?|laxatives?
      |sedatives?|benzodiazepines?
      | (?:beta|alpha|calcium[\s-]channel)[\s-]?blockers?|ace[\s-]inhibitors?|\w+[\s-]inhibitors?
      |contraceptives?|hormones?|chemotherap\w+
      | radiotherap\w+|immunotherap\w+|painkillers?|pain\srelievers?|decongestants?|expectorants?|supplements?
      |vitamins?|probiotics?
      | herbal|medications?|medicines?|drugs?|pills?|tablets?|capsules?|ointments?|inhalers?|injections?
      |infusions?|doses?|dosages?
      | medikamente?n?|arzneimitteln?|tabletten?|médicaments?|medicamentos?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SUBSTANCE_CLASS: Final = lazy_pattern(
    r"(?:medications?|medicines?|drugs?|pills?|tablets?|capsules?|doses?|dosages?|supplements?|medikamente?n?|arzneimitteln?"
    r"|tabletten?|médicaments?|medicamentos?)\Z",
    re.IGNORECASE,
)
_NO_CONDITION: Final = frozenset(
    {
        "diagnosis", "prognosis", "extension", "pretension", "academia", "diploma", "diplomas", "aroma", "aromas",
        "trophy", "sympathy", "empathy",
    }
)  # fmt: skip
_NO_DRUG: Final = frozenset({"examine", "determine", "imagine", "magazine", "famine", "vitamine", "person", "reason"})
_CONDITION: Final = lazy_pattern(
    r"""\b(?:
        \w{2,}(?:itis|osis|a?emia|a?emic|uria|omas?|pathy|pathies|algia|rrh?o?ea|rrhage|rrhagic|penia|plegia
          |phobia|ectomy
          |ostomy|otomy|oscopy|plasty|odynia|megaly|sclerosis|trophy|spasms?|edema|oedema|ia\ssyndrome|asthenia
          |plasia|kinesia
          |dystonia|cardia|tension|tensive|glyc\w+|somnia)
      | pregnan\w*|breast-?feed\w*|nursing|lactat\w+|menopaus\w*|newborns?|infants?|toddlers?
      | diabet\w+|cancer\w*|tumou?rs?|malignan\w*|lymphoma|leuk\w+|infect\w+|contagious|sepsis|septic|fevers?
      |febrile|pain\w*|\w*aches?
      | rash\w*|bleed\w*|blood\s(?:pressure|sugar|clots?|in)|bloody|nausea\w*|vomit\w*|constipat\w*|swell\w*
      |swollen|swallow\w*|itch\w*
      | allerg\w+|seizures?|epilep\w+|strokes?|faint\w*|dizz\w+|light-?headed\w*|confus(?:ion|ed)|delirium
      |dementia|alzheimer\w*|parkinson\w*
      | heart|cardiac|cardio\w*|kidneys?|renal|livers?|hepat\w+|lungs?|pulmonary|thyroid|prostat\w*|bladder
      |bowel\w*|rectal|uter\w+
      | hypertens\w+|hypotens\w+|asthma\w*|copd|pneumonia|tubercul\w+|influenza|flu|covid\S*|hiv|aids|herpes
      |malaria|measles
      | depress(?:ion|ed|ive)|anxi(?:ety|ous)|insomnia|suicid\w+|self-?harm|addict\w+|withdrawal|overdos\w+
      |poison\w*|toxic\w*
      | syndromes?|injur\w+|wounds?|fractures?|ulcers?|abscess\w*|fissures?|cysts?|lesions?|hernias?|burns?
      |bruis\w+|numb\w*|tingl\w*
      | weakness|fatigue\w*|dehydrat\w*|jaundice|cough\w*|breath\w*|wheez\w*|palpitations?|tachycard\w*
      |bradycard\w*|arrhythm\w*
      | surg\w+|operation|transplant\w*|dialysis|stools?|urin\w+|discharge|distention|distension|obes\w+
      |weight\s(?:loss|gain)
      | side[\s-]effects?|adverse|interact(?:ions?|s)|complications?|contraindicat\w+|disease\w*\sof|immun\w+
      |deficien\w+
      | fieber|schmerz\w*|blutung\w*|schwanger\w*|stillen\w*|fièvre|douleurs?|grossesse|fiebre|dolor|embarazo
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REASON: Final = lazy_pattern(
    r"""\b(?:because|due\sto|owing\sto|since\s(?:it|they|this|the|these|both)|as\s(?:it|they|this|these|both)\b
      |in\sorder\sto\s(?:avoid|prevent|reduce|lower|treat)|to\s(?:avoid|prevent|rule\sout|reduce|revoke)
      |risks?\sof|leads?\sto
      |contraindicated|weil|da\sdies|wegen|parce\sque|à\scause|porque|debido)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_INSTRUCTION: Final = lazy_pattern(
    r"""\b(?:do\snot|don['’]t|never|avoid|stop|discontinue|contraindicated|(?:un)?safe|emergenc\w+|immediate(?:ly)?|urgent(?:ly)?|nicht\s(?:ein)?nehmen|sofort
      |immédiatement|inmediatamente)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_AMOUNT: Final = lazy_pattern(
    r"""\d\s?(?:%|‰|°|percent\b|per\s(?:cent|day|hour|kg)|[mkµμn]?g\b|mcg\b|m?l\b|d?l\b|mmol|mol\b|iu\b|u\b|units?\b|kcal|mmhg|bpm|cm\b|mm\b
        |(?:seconds?|minutes?|min|hours?|hrs?|h|days?|weeks?|months?|years?|times|tage?n?|wochen?|stunden?
        |jours?|heures?|días|horas)\b)
      |[<>≤≥]\s?\d|\b(?:once|twice|three\stimes|four\stimes)\s(?:a|per|daily|every)|\b(?:once|twice)\sdaily""",
    re.IGNORECASE | re.VERBOSE,
)
_MARK: Final = lazy_pattern(
    rf"{RESIDUE}|"
    r"[\[【]\^?\d{1,4}(?:[\s,;–†‡-]{1,3}\^?\d{1,4}){0,20}[\]】]|(?<=[^\W\d]{2})[¹²³⁴-⁹][¹²³⁰⁴-⁹,]*"
)


def has_mark(text: str) -> bool:
    """Whether a text has a reference mark: ``[3]``, a superscript after a word."""
    return _MARK.search(text) is not None


def without_marks(text: str) -> str:
    """The text with a blank in the place of each reference mark."""
    return _MARK.sub(" ", text)


def has_amount(sentence: str) -> bool:
    """Whether a sentence has a number with a unit, a bound, or a frequency."""
    return _AMOUNT.search(sentence) is not None


def names_drug(sentence: str) -> bool:
    """Whether a sentence names a drug or a kind of drug; "medication" and the like alone do not."""
    return any(
        not _SUBSTANCE_CLASS.match(found[0]) and found[0].lower() not in _NO_DRUG for found in _DRUG.finditer(sentence)
    )


def names_condition(sentence: str) -> bool:
    """Whether a sentence names a disease, a symptom, a state of the body or a procedure."""
    return any(found[0].lower() not in _NO_CONDITION for found in _CONDITION.finditer(sentence))


def gives_reason(sentence: str) -> bool:
    """Whether a sentence says why."""
    return _REASON.search(sentence) is not None


def gives_instruction(sentence: str) -> bool:
    """Whether a sentence forbids, warns or urges."""
    return _INSTRUCTION.search(sentence) is not None


def is_specific(sentence: str) -> bool:
    """Whether a sentence has an amount, a drug or a condition."""
    return has_amount(sentence) or names_drug(sentence) or names_condition(sentence)
