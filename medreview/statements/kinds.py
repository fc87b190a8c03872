"""Sentences that are not statements: questions, disclaimers, titles and introductions of lists, mere references.

And what makes a sentence checkable: an amount, a drug, a condition, a reason, an instruction. By word lists and by the
endings that drug and disease names have; the lists err towards "there is something".
"""

import re
from typing import Final

from medreview.citations.markers import RESIDUE
from medreview.statements.marks import CitationIndex
from medreview.statements.sentences import NEVER_FINAL
from medreview.text import Span, lazy_pattern, word_lists, word_set

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


_LISTS: Final = word_lists(__file__)

_SPECIALIST: Final = (
    r"(?:obstetricians?|p(?:a)?ediatricians?|surgeons?|midwi(?:fe|ves)|dentists?|psychiatrists?|[a-z]{4,}ologists?)"
)
_PERSON: Final = (
    r"(?:doctors?|physicians?|gps?|clinicians?|pharmacists?|professionals?|providers?|specialists?|prescribers?|nurses?"
    r"|(?:medical|health)\s?(?:care)?\s?(?:professionals?|providers?|practitioners?|teams?)|healthcare|(?:care|treatment)\steams?|practitioners?"
    r"|counsell?ors?|therapists?|dietit?ians?|nutritionists?"
    r"|arzt|ärztin|ärzte|apotheker|médecin|pharmacien|médico|farmacéutico)"
)
_CONSULT: Final = lazy_pattern(
    rf"""\b(?:consult|contact|ask|see|talk\s(?:to|with)|speak\s(?:to|with)|check\swith|discuss\s[^.]{{0,60}}?with|follow\sup\swith
      |work\s(?:closely\s)?with|reach\sout\sto|seek\s(?:the\s)?(?:advice|guidance|help)\s(?:of|from)|guidance\s(?:of|from)|advice\s(?:of|from)
      |fragen\ssie|wenden\ssie\ssich\san|sprechen\ssie\smit|konsultieren\ssie|consulte[zr]?|demandez|parlez|hable)
      \s(?:[\w/'’-]+[ ,]+){{0,6}}?(?:{_PERSON}|{_SPECIALIST})\b
      |\bseek\s(?:professional\s|medical\s|qualified\s|appropriate\s){{1,2}}(?:advice|guidance|care|help|attention|evaluation)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMES_SPECIALIST: Final = lazy_pattern(rf"\b{_SPECIALIST}\b", re.IGNORECASE)
_ADDRESSES: Final = lazy_pattern(
    rf"""\b(?:{_PERSON}|you|your|yours|yourself|i|i['’](?:m|d|ll|ve)|me|my|everyone|everybody
      |(?:this|the|these|my|above)\s(?:above\s)?(?:information|answers?|content|overview|summary|response|text|chat)
      |please|kindly|information|(?:the\s(?:\w+\s)?)?sources
      |professional\s(?:medical\s)?advice|medical\sadvice)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Who or what a closing speaks of: the reader, the one who answers, who is to be asked, the answer itself."""


_ADVICE_WORDS: Final = word_set(_LISTS["advice_words"])
"""Words of advice to ask somebody; with these alone a sentence says nothing else, even where it names a specialist."""

_GENERIC_WORDS: Final = _ADVICE_WORDS | word_set(_LISTS["generic_words"])
"""Words that are about no drug, disease or test in particular: a sentence of these alone can be said of anything."""

_CARE_WORDS: Final = _GENERIC_WORDS | word_set(_LISTS["care_words"])
"""The same with words of care in general: before them somebody is to be asked, "before starting any medication"."""

_WITHOUT_FORCE: Final = lazy_pattern(
    r"""\b(?:i\s)?(?:not|never|don['’]t|doesn['’]t|isn['’]t|aren['’]t|shouldn['’]t|can['’]t|cannot|couldn['’]t)\b
      \s(?=(?:hesitate|rely|work|suit|disregard|ignore|delay|intended|meant|a|an|the|able|sure|certain|feeling|alone|replace|apply|be|to
        |constitute|take\sthe\splace|have|provide|offer|give|examine|diagnose|know|see|evaluate|assess|well)\b)
      |(?<=\bi\s)(?:do\snot|don['’]t|never)\b
      |\b(?:do\snot|don['’]t|never)\s
        (?=[^.;:]{0,80}\bwithout\s(?:first\s)?(?:ask|talk|speak|consult|check|discuss)ing\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A negation that forbids nothing: "do not hesitate", "I cannot examine you", "not a diagnosis", "not without asking".
"""
_DISCLAIMER: Final = lazy_pattern(
    r"""\b(?:i['’]?m|i\sam|as)\s(?:just\s|only\s)?(?:not\s)?an?\s
        (?:ai|artificial|language\smodel|large\slanguage|virtual|chatbot)\b
      |\bi(?:['’]?m|\sam)\snot\s(?:a|your)\s(?:\w+\s){0,2}
        (?:doctor|physician|clinician|professional|pharmacist|provider|nurse|substitute)
      |\bi\s(?:can(?:no|['’])t|can\snot|am\s(?:not\sable|unable)\sto|do\snot|don['’]t)\s
        (?:provide|give|offer|diagnose|replace|have\s(?:access|personal)|make\sa\sdiagnosis)
      |\bnot\s(?:a\s|constitute\s|intended\s(?:to\s(?:be\s)?|as\s)|meant\sto\s(?:be\s)?|to\sbe\sconsidered\s(?:as\s)?
          |be\s(?:taken|used|considered)\sas\s)?(?:a\s)?
        (?:substitute\sfor\s(?!insulin)(?=[^.]*\b(?:advice|care|consultation|judge?ment|doctor|professional|physician|evaluation|diagnosis))
          |replacement\sfor\s(?=[^.]*\b(?:advice|care|consultation|judge?ment|doctor|professional|physician|evaluation|diagnosis))
          |medical\sadvice|replace\s(?:professional|medical)|personali[sz]ed\smedical
          |professional\smedical\sadvice|constitute\smedical)
      |\b(?:does|do|should|can|must|is|will)\snot\s(?:be\sused\sto\s)?(?:replace|substitute|constitute|be\sa\ssubstitute)\b
        [^.]{0,60}\b(?:advice|care|consultation|judge?ment|doctor|professional|physician)
      |\b(?:for|is|are)\s(?:general\s)?(?:informational|educational|information)\s(?:and\s\w+\s)?(?:purposes?|only|use)
      |\bgeneral\sinformation\sonly|\bgeneral\sinformation\b[^.]{0,60}\b(?:not|rather\sthan)\b
      |\b(?:none|nothing|never)\b[^.]{0,40}\b(?:replaces?|substitute\sfor|replacement\sfor)\s
        (?=[^.]*\b(?:advice|care|consultation|judge?ment|doctor|professional|physician|evaluation|diagnosis))
      |\bindividual\s\w+\s(?:may|can)\s(?:vary|differ)\W*\Z|\bdisclaimer\b
      |\bkein(?:e|en)?\s(?:ersatz\sfür|ärztliche[rn]?\s(?:rat|beratung))|\bersetzt\s(?:nicht|keine|keinen)\b
      |\bne\sremplace(?:nt)?\spas\b|\bno\s(?:sustituye|reemplaza)n?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_COURTESY: Final = lazy_pattern(
    r"""[\W_]*(?:(?:please|and|also|again|once\sagain|finally|lastly|in\s(?:summary|conclusion|closing)|as\salways|remember)[,:]?\s)*(?:
        (?:i\s|we\s)?hope\s(?:this|that|it|these|the|you|your|my)\b
      | let\sme\sknow\b
      | (?:(?:do\snot|don['’]t|never)\shesitate|feel\sfree)\sto\s(?:ask|reach|contact|share|let|tell|message|follow
          |request|inquire|provide|come|discuss|consult|return|write|describe|send|seek|talk|speak|get)\b
      | i(?:['’]m|\sam|['’]d\sbe|\swould\sbe)\s(?:(?:so|very|always|truly|really)\s)?(?:happy|glad|here|sorry|pleased)\b
      | (?:always\s)?(?:happy|glad)\sto\s(?:answer|break|clarify|elaborate|expand|explain|go|help|share)\b | hopefully\b
      | (?:that(?:['’]s|\sis)\s)?(?:an?\s)?(?:really\s|very\s)?
        (?:great|good|excellent|important|interesting|thoughtful)\squestion\b(?!\sis\b)
      | if\syou\s(?:have|['’]d\slike|would\slike|need|want)\s
        (?:me\sto\b|any\s(?:other\s|further\s|more\s|additional\s|specific\s)?(?:questions|concerns)
          |(?:more|further|other|additional)\s(?:questions|information|details|help))
      | if\syou(?:['’]d|\swould)?\s(?:like|wish|want),?\s
        (?:i|me|to\s(?:know|learn|read|see|hear|discuss|share|explore|talk))\b
      | (?:would|do)\syou\s(?:like|want)\b
      | (?:hello|hi|hey|dear|greetings|good\s(?:morning|day|evening))\b[^.!]{0,40}\W*\Z
      | thank\syou\b | thanks\b | you(?:['’]re|\sare)\s(?:very\s|most\s)?welcome
      | (?:(?:take\s(?:good\s|great\s)?care(?:\sof\syourself)?|get\swell\ssoon|(?:stay|keep)\s(?:safe|healthy|well)
          |(?:(?:with\s)?(?:my\s)?(?:best|kind|warm)\s)?(?:wishes|regards)|best\sof\sluck|all\sthe\sbest|sincerely
          |be\swell)(?:\W+(?:and\s)?|\Z))+\Z
      | (?:good\sluck|best\sof\sluck|all\sthe\sbest|(?:with\s)?(?:my\s)?best\swishes
          |(?:i(?:['’]m|\sam)?\s|we\s)?wish(?:ing)?\syou)\b[^.!]{0,60}\W*\Z
      | (?:sure|certainly|of\scourse|absolutely|okay|ok|understood|gladly)(?:\s?[,.!]+\s*(?:here\b.*|i\b.*)?|)\Z
      | (?:below\s(?:is|are)|here(?:['’]s|\sis|\sare))\s(?:a|an|the|some|what|my|your)\b[^.:]{0,90}[.:!]?\Z
      | ich\shoffe | gerne\b.{0,40}\Z | hallo\b.{0,30}\Z | j['’]espère | bonjour\b.{0,30}\Z | n['’]hésitez\spas
      | espero\sque | hola\b.{0,30}\Z )""",
    re.IGNORECASE | re.VERBOSE,
)
_OFFER: Final = lazy_pattern(
    r"""[\W_]*(?:
        (?:let\s(?:me|us)|i(?:['’]ll|\swill|\scan|\scould))\s(?:(?:also|only|then|gladly|now)\s)*
        (?:answer|break|clarify|compare|describe|discuss|draft|elaborate|expand|explain|explore|go|help|list|look|outline
          |share|summari[sz]e|tailor|walk)\b
      | i(?:['’]ll|\swill|\scan|\scould)\s(?:(?:also|only|then|gladly)\s)*
        (?:give|offer|provide)\s(?:you|an?|more|some|further)\b
      | let['’]s\s(?:break|clarify|compare|discuss|explore|go|look|summari[sz]e|take\sa\slook|talk|walk)\b
      | i\s(?:(?:can|do|fully|completely)\s)*(?:understand|reali[sz]e|appreciate|hear)\b
      | if\syou\s(?:(?:can|could|would)\s)?
        (?:(?:give|provide|send|show|tell)\sme|(?:provide|share)\s(?:your|more|some|any))\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What is a courtesy only where nothing but words that can be said of anything stands beside it."""
_CLAUSE: Final = lazy_pattern(r"[;:—–]\s*|\.\s+|,\s*(?:and|but|so|or)?\s*|\s(?:and|but)\s")
_SOURCE_LEAD: Final = lazy_pattern(
    r"""[\W_]*(?:please\s|also\s)*(?:
        (?:see|visit|read|refer\sto|check|consult|sources?|references?|refs?|quelle[n]?|siehe|voir|véase)
      | (?:for|find|get)\s(?:more|further|additional)\s(?:information|details|reading|guidance|on|about)
      | (?:more|further|additional|suggested|recommended)\s(?:information|details|reading|guidance|resources?)
      | (?:learn|read|find\sout)\smore | available\s(?:at|from|online))
    (?:\salso\b)?(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_LIST_LEAD: Final = lazy_pattern(r"[\W_]*(?:sources?|references?|refs?|quellen?)[*_]{0,3}:", re.IGNORECASE)
_TITLED: Final = lazy_pattern(
    r"""\[(?=[^\[\]]*[A-Z\d]|[^\[\]]*\b(?:source|link|here|reference|website|guidelines?)\b)[^\[\]]{0,200}\]\([\s<>]*\)
      |[“"„«][^“”"„«»]{1,200}[”"“»]|(?<![*_\w])[*_](?=[A-Z])[^*_\n]{1,200}[*_](?![*_\w])""",
    re.VERBOSE,
)
"""The text of a link that is a name, and titles in quotation marks or italics."""
_WORK: Final = lazy_pattern(
    r"""\b(?:guidelines?|guidance|reviews?|articles?|study|studies|papers?|publications?|recommendations?|statements?|factsheets?|sheets?
      |monographs?|(?:web)?pages?|websites?|sites?|links?|overviews?|documents?|handbooks?|manuals?|textbooks?|chapters?|sections?|standards?|faqs?
      |resources?|sources?|references?|databases?|consensus|toolkits?|reports?|information|details|reading|blogs?|posts?|journals?|bulletins?
      |meta-analys[ie]s|et\sal\.?|(?:19|20)\d\d[a-z]?|leitlinien?)(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_CONNECTING: Final = word_set(_LISTS["connecting"])
_ABOUT: Final = lazy_pattern(
    r"\W*(?:on|for|about|of|to|from|by|in|regarding|concerning|at|zu|sur|sobre)\b|[\W\d]*\Z", re.IGNORECASE
)
_DIRECTS: Final = lazy_pattern(r"\b(?:before|after|if|when|while|unless|until|then|within|once)\b", re.IGNORECASE)
"""What makes an order of a label: "Hold metformin before contrast:", "repeat the ECG if pain persists"."""
_LISTING: Final = lazy_pattern(
    r"""\b(?:(?:may|can|could|might|will)\s)?(?:often\s|also\s|commonly\s|usually\s|typically\s)?(?:following|follow|include[sd]?|including|such\sas|these|below|options?|are|is|here|consider|examples?|namely
        |folgende[nrs]?|umfassen|sind|suivante?s?|comprennent|sont|siguientes?|incluyen|son)\W{0,5}\Z
      |\b(?:the\sfollowing|as\sfollows|listed\sbelow|these\s(?:steps|points|factors)|folgende[nrs]?|suivants?|siguientes)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_INTRO_WORDS: Final = _GENERIC_WORDS | word_set(_LISTS["intro_words"])
_VERB: Final = lazy_pattern(
    r"""\b(?:is|are|was|were|be|been|has|have|had|can|may|might|must|should|will|would|could|do|does|did|cause[sd]?
      |reduce[sd]?|increase[sd]?|decrease[sd]?|prevents?|require[sd]?|recommend(?:s|ed)?|avoid(?:s|ed)?|take[ns]?|use[sd]?
      |give[ns]?|stop(?:s|ped)?|start(?:s|ed)?|needs?|works?|treat(?:s|ed)?|helps?|include[sd]?|affects?|contains?|remains?
      |monitor|check|limit|ist|sind|soll(?:te|en)?|muss|kann|wird|werden|hat|est|sont|doit|peut|es|son|debe|puede)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_EQUIPMENT: Final = lazy_pattern(
    r"""\b(?:materials?|equipment|supplies|instruments?|apparatus|reagents|consumables|tools|ingredients
      |(?:what\s)?you(?:['’]ll|\swill)?\sneed|things\sto\s(?:have|bring|pack)|shopping\slist|material|ausrüstung|zutaten|matériel|materiales)\b[^.]{0,40}:?\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_IN_BRACKETS: Final = lazy_pattern(r"\w[^()\[\]]*[(\[][^()\[\]]*\Z")
"""Words, then a bracket that is still open: what is in it is a label of the citation ("... glucose (doi:")."""
_ADVICE_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SOMEBODY: Final = lazy_pattern(rf"\b{_PERSON}\b", re.IGNORECASE)
_POINTS_BACK: Final = lazy_pattern(
    r"\b(?:these|those|such|the\sabove)\s(?:\w+\s)?(?:symptoms?|signs?|effects?|problems?|issues)\b", re.IGNORECASE
)
_ASSERTS: Final = lazy_pattern(
    r"\b(?:but|however|although|though|yet|is|are|was|were|can|cannot|may|must|should|does|do\snot|don['’]t|causes?|reduces?|increases?"
    r"|treats?|helps\s(?!you\b|with\b))",
    re.IGNORECASE,
)
_ORDER: Final = lazy_pattern(
    r"""[\W_]*(?:please\s|always\s|then\s|also\s|first\s|remember\sto\s|(?:be|make)\ssure\s(?:to|that)\s)*
      (?:add|administer|admit|apply|arrange|assess|avoid|calculate|check|confirm|correct|counsel|decrease|discontinue|ensure|escalate
        |exclude|give|halve|hold|immuni[sz]e|increase|initiate|inject|insert|limit|lower|maintain|measure|monitor|obtain|offer
        |omit|perform|prescribe|raise|recheck|reduce|refer|repeat|replace|resume|rule\sout|screen|start|stop|swap|switch
        |taper|titrate|transfuse|treat|use|vaccinate|wait|withhold)
      \s(?!of\b|(?:from|to)\s(?:the\s)?https?)""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK_ONLY: Final = lazy_pattern(r"[^\w\[]*\[[^\[\]]{0,200}\]\([\s<>]*\)\W*\Z")
_NAME_WORD: Final = lazy_pattern(r"[^\W_][\w.'’&/-]*(?<![.'’/-])")
_LONGEST_REFERENCE: Final = 14
_TAKING: Final = lazy_pattern(
    r"\bavoid\b|\bapply\s(?!to\s(?:you|your|every|all)\b)\w|\b(?:take|drink|eat|swallow|inject|inhale)\s(?!(?:good\s|great\s|extra\s)?care\b|(?:your|the)\stime\b|a\slook\b)\w",
    re.IGNORECASE,
)
_ANSWER: Final = lazy_pattern(
    r"""(?:(?:yes|no|not?\s(?:really|necessarily|always|usually|recommended)|never|always|rarely|often|sometimes|usually|(?:un)?likely
        |possibly|probably|maybe|perhaps|true|false|(?:in)?correct|(?:un)?safe|it\sdepends|depends|positive|negative|benign|malignant|none
        |both|neither|ja|nein|oui|non|sí|vielleicht|peut-être)[,.!]?\s?){1,2}""",
    re.IGNORECASE | re.VERBOSE,
)
_CASE: Final = lazy_pattern(
    r"\b(?:if|when|whenever|unless|until|while|wenn|falls|si|cuando|lorsque)\W*\Z", re.IGNORECASE
)
_CLAIMS: Final = lazy_pattern(
    r"""\b(?:is|are|was|were|has|have|can|cannot|can['’]t|may|might|must|should|will|would|does|do\snot|don['’]t|never|avoid|not|stop
      |reduces?|increases?|decreases?|causes?|prevents?|requires?|treats?|ist|sind|darf|soll(?:te|en)?|muss|est|sont|es|son)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CAUSES_OF: Final = lazy_pattern(r"\bcauses\b(?=\s+(?:of|for|in)\b|\s*\Z)", re.IGNORECASE)
_ASKS: Final = lazy_pattern(
    r"""[\W\d_]*(?:how|what|when|where|which|who|whom|why|is|are|was|were|can|could|do|does|did|should|will|would|may|wie|was|wann|warum
      |comment|quand|pourquoi|qué|cómo|cuándo)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_DISCLAIMER: Final = 600
_WORD: Final = lazy_pattern(r"[^\W_]+(?:['’.-][^\W_]+)*")
_UNSPACED: Final = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff]")
_LETTER: Final = lazy_pattern(r"[^\W\d_]")


def count_words(text: str) -> int:
    """Number of words; in Chinese and Japanese, written without spaces, two characters count as one word."""
    return sum(max(1, len(_UNSPACED.findall(match.group())) // 2) for match in _WORD.finditer(text))


def is_disclaimer(sentence: str) -> bool:
    """Whether a sentence is a courtesy, a note on what the model is, or advice to consult somebody, and nothing more.

    False for one with anything that can be checked. Of advice every word must be one that can be said of any drug and
    any disease: "consult your doctor before taking any medication" is left out, "... before taking an antihistamine"
    is a statement.
    """
    if len(sentence) > _LONGEST_DISCLAIMER or sentence.rstrip("*_ ").endswith((":", "：")):
        return False
    if _COURTESY.match(sentence):
        return not _claims_besides(sentence)
    if _DISCLAIMER.search(sentence) and not (is_specific(sentence) or _forbids(sentence)):
        return True
    return _is_mere_advice(sentence) or _has_courtesies_alone(sentence)


def _claims_besides(courtesy: str) -> bool:
    """Whether a sentence that begins with a courtesy says something that can be checked."""
    if has_amount(courtesy) or gives_reason(courtesy) or _TAKING.search(courtesy):
        return True
    if (names_drug(courtesy) or names_condition(courtesy)) and _ASSERTS.search(courtesy):
        return True
    later = (part for part in _CLAUSE.split(courtesy)[1:] if not _COURTESY.match(part))
    return any(is_specific(part) or _forbids(part) or begins_order(part) for part in later)


def _has_courtesies_alone(sentence: str) -> bool:
    """Whether one part of a sentence is a courtesy, and no other says anything: "If unclear, I'm happy to help"."""
    if gives_reason(sentence) or re.search(r"\d", sentence):
        return False
    parts = [part for part in _CLAUSE.split(sentence) if part]
    courtesies = [part for part in parts if _COURTESY.match(part) or _OFFER.match(part)]
    others = (_WITHOUT_FORCE.sub(" ", part) for part in parts if part not in courtesies)
    return (
        bool(courtesies)
        and not any(map(_claims_besides, courtesies))
        and all(_all_known(part, _GENERIC_WORDS) for part in others)
    )


def _forbids(sentence: str) -> bool:
    return gives_instruction(_WITHOUT_FORCE.sub(" ", sentence))


def _is_mere_advice(sentence: str) -> bool:
    if re.search(r"\d", sentence) or _TAKING.search(sentence) or _POINTS_BACK.search(sentence):
        return False
    somebody = _CONSULT.search(sentence) or _SOMEBODY.search(sentence)
    if not somebody and (not _ADDRESSES.search(sentence) or begins_order(sentence)):
        return False
    if _NAMES_SPECIALIST.search(sentence):
        sentence, known = _NAMES_SPECIALIST.sub(" ", sentence), _ADVICE_WORDS
    else:
        known = _CARE_WORDS if somebody else _GENERIC_WORDS
    return _all_known(_WITHOUT_FORCE.sub(" ", sentence), known)


def _all_known(sentence: str, known: frozenset[str]) -> bool:
    words = (word.casefold().replace("’", "'") for word in _ADVICE_WORD.findall(sentence))
    return all(any(word.removesuffix(ending) + instead in known for ending, instead in _ENDINGS) for word in words)


_ENDINGS: Final = (
    ("", ""), ("s", ""), ("'s", ""), ("ly", ""), ("d", ""), ("ed", ""), ("ied", "y"), ("ies", "y"), ("ing", ""),
    ("ing", "e"),
)  # fmt: skip
"""What a known word may end with, and what stands there in the list."""


def begins_order(sentence: str) -> bool:
    """Whether a sentence begins with a verb that instructs a clinician: "Hold metformin ..."."""
    return _ORDER.match(sentence) is not None


def is_answer(sentence: str) -> bool:
    """Whether a sentence of one or two words answers something: "No.", "Unlikely.", "Metformin."."""
    body = sentence.strip("*_ ")
    ends = body.endswith((".", "!", "。"))
    return _ANSWER.fullmatch(body) is not None or (ends and (names_drug(body) or names_condition(body)))


def is_question(sentence: str) -> bool:
    """Whether a sentence ends with a question mark."""
    return sentence.rstrip("\"'”’»)]*_ ").endswith(("?", "？", "؟"))


def is_source_reference(text: str, place: Span, cited: CitationIndex) -> bool:
    """Whether a sentence only refers to sources: a lone citation, "CDC guidance: https://...", "See the guideline
    (...)"."""
    if cited.only(place):
        return True
    if not cited.closes(place):
        return False
    first = cited.within(place)[0]
    lead = text[place.start : first.start].rstrip(" \t\n([<*_")
    if _IN_BRACKETS.search(lead):
        return False
    rest = cited.rest(place)
    label = lead.endswith((":", "–", "—")) and count_words(rest) <= 9
    if label and not (_VERB.search(rest) or begins_order(rest) or _SOURCE_LEAD.match(rest)):
        return not (has_amount(rest) or gives_reason(rest) or gives_instruction(rest) or _DIRECTS.search(rest))
    return _names_works_only(rest)


def _names_works_only(rest: str) -> bool:
    """Whether nothing is left of a sentence without its citations but names of works: "See the guideline on ..."."""
    body = _TITLED.sub(" ", rest)
    lead = _SOURCE_LEAD.match(body)
    if lead is None:
        return not count_words(body) or _LINK_ONLY.match(rest) is not None
    if count_words(body) > _LONGEST_REFERENCE or has_amount(body) or gives_reason(body) or gives_instruction(body):
        return False
    named = body[lead.end() :]
    if _LIST_LEAD.match(body):
        return not (_VERB.search(named) or _DIRECTS.search(named))
    works = list(_WORK.finditer(named))
    more = "more" in lead[0].casefold() or "further" in lead[0].casefold()
    if not works and not more:
        as_label = named.rstrip(" ([<*_.").endswith(":") or lead[0].casefold().strip().endswith("visit")
        return all(_is_name(word) or (as_label and word[0].isupper()) for word in _NAME_WORD.findall(named))
    before, after = (named[: works[-1].start()], named[works[-1].end() :]) if works else ("", named)
    if works and not all(_is_name(word) or word[0].isupper() for word in _NAME_WORD.findall(before)):
        before, after = named[: works[0].start()], named[works[0].end() :]
    if not all(_is_name(word) or word[0].isupper() for word in _NAME_WORD.findall(before)):
        return False
    about = _ABOUT.match(after) is not None or all(map(_is_name, _NAME_WORD.findall(after)))
    return about and not (_VERB.search(after) or _DIRECTS.search(after) or begins_order(after) or ";" in after)


def _is_name(word: str) -> bool:
    return word.casefold() in _CONNECTING or _WORK.fullmatch(word) is not None or word.isdigit()


def is_intro(sentence: str, before_list: bool) -> bool:
    """Whether a sentence is a title or an introduction that ends with a colon and makes no claim by itself ("Options
    include:")."""
    body = sentence.rstrip("*_ \n")
    if not body.endswith((":", "：")):
        return False
    count = count_words(body)
    if _CASE.search(body) or gives_reason(body) or has_amount(body):
        return False
    if _all_known(body, _INTRO_WORDS):
        return not re.search(r"\d", body)
    if count <= 4 and not re.search(r"\d", body):
        return not gives_instruction(body)
    if _CONSULT.search(body):
        return False
    listing = _LISTING.search(body)
    if listing:
        names = names_drug(body) or names_condition(body)
        rest = _CAUSES_OF.sub(" ", f"{body[: listing.start()]} {body[listing.end() :]}")
        only_names = before_list and not (_CLAIMS.search(rest) or begins_order(body))
        return only_names or ((before_list or count <= 8) and not names)
    if names_drug(body) and _CLAIMS.search(body):
        return False
    return before_list and (count <= 8 or not _VERB.search(body)) and not re.search(r"\d", body)


def is_title(sentence: str) -> bool:
    """Whether a sentence looks like a title: short, without final punctuation, verb or number."""
    return (
        sentence[-1:] not in ".!?;。"
        and count_words(sentence) <= 7
        and not _VERB.search(sentence)
        and not gives_instruction(sentence)
        and not _CASE.search(sentence)
        and not re.search(r"\d", sentence)
    )


def is_claim_in_heading(heading: str) -> bool:
    """Whether a heading says something that can be checked: "Ibuprofen is contraindicated in pregnancy"."""
    return (
        count_words(heading) >= 4
        and _CLAIMS.search(heading) is not None
        and _ASKS.match(heading) is None
        and not heading.rstrip("*_ ").endswith((":", "?"))
        and (is_specific(heading) or gives_instruction(heading))
    )


def names_equipment(title: str) -> bool:
    """Whether a title is that of a list of things to have at hand, none of which is a statement."""
    return _EQUIPMENT.search(title) is not None and count_words(title) <= 8


def is_thing(item: str) -> bool:
    """Whether an item of a list only names a thing: no verb, no amount, no drug."""
    return not (_VERB.search(item) or has_amount(item) or names_drug(item) or gives_instruction(item))


def has_words(sentence: str, least: int) -> bool:
    """Whether a sentence has at least so many words, and a letter among them; an abbreviation alone ("(e.g.") has
    none."""
    if sentence.strip(" ([.,;:)]*_").casefold() in NEVER_FINAL:
        return False
    return _LETTER.search(sentence) is not None and count_words(sentence) >= least
