"""Sentences that are not statements: questions, disclaimers, titles and introductions of lists, mere references."""

import re
from typing import Final

from medreview.statements.marks import CitationIndex
from medreview.text import Span

_PERSON: Final = (
    r"(?:doctors?|physicians?|gps?|clinicians?|pharmacists?|professionals?|providers?|specialists?|prescribers?|nurses?"
    r"|(?:medical|health)\s?(?:care)?\s?(?:professionals?|providers?|practitioners?|teams?)|healthcare|midwi(?:fe|ves)"
    r"|obstetricians?|p(?:a)?ediatricians?|cardiologists?|oncologists?|dermatologists?|neurologists?"
    r"|arzt|ärztin|ärzte|apotheker|médecin|pharmacien|médico|farmacéutico)"
)
_CONSULT: Final = re.compile(
    rf"""\b(?:consult|contact|ask|see|talk\s(?:to|with)|speak\s(?:to|with)|check\swith|discuss\s[^.]{{0,60}}?with|follow\sup\swith
      |work\s(?:closely\s)?with|reach\sout\sto|seek\s(?:the\s)?(?:advice|guidance|help)\s(?:of|from)|guidance\s(?:of|from)|advice\s(?:of|from)
      |fragen\ssie|wenden\ssie\ssich\san|sprechen\ssie\smit|konsultieren\ssie|consulte[zr]?|demandez|parlez|hable)
      \s(?:[\w/'’-]+[ ,]+){{0,6}}?{_PERSON}\b
      |\bseek\s(?:professional\s|medical\s|qualified\s|appropriate\s){{1,2}}(?:advice|guidance|care|help|attention|evaluation)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING: Final = re.compile(
    r"""[\W_]*(?:(?:please|always|also|and|but|so|therefore|however|again|finally|remember|as\salways|in\sgeneral|note
        |for\s(?:personali[sz]ed|individual)[^,]{0,40})[,:]?\s+)*
      (?: it(?:['’]s|\sis)\s(?:\w+\s){0,2}
            (?:important|best|essential|crucial|advisable|recommended|wise|always|good\sidea)[^.]{0,40}?\s?
            (?:to\s|that\syou\s(?:should\s)?)?
        | (?:you|patients|one|people)\s(?:should|must|may\swant\sto|need\sto|can|could)\s(?:always\s|also\s)?
        | (?:be\ssure|make\ssure|remember|i(?:['’]d)?\s(?:would\s)?(?:strongly\s)?
            (?:recommend|suggest|encourage|advise|urge))\s (?:that\s)?(?:you\s)?(?:to\s)?
        | (?:if|when|before|for)\b[^.]{0,140}?,\s*
            (?:please\s|you\sshould\s|always\s|it(?:['’]s|\sis)\s[\w\s]{0,30}to\s)?
        | bitte\s
      )?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_HAS_REASON: Final = re.compile(
    r"""\d|\b(?:because|due\sto|since\s(?:it|they|this|the)|as\s(?:it|they|this)\s(?:can|may|is|are)|to\savoid|risk\sof
      |contraindicated|immediately|emergency|urgent(?:ly)?|chest\spain|shortness\sof\sbreath|weil|parce\sque|porque)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DISCLAIMER: Final = re.compile(
    r"""\b(?:i['’]?m|i\sam|as)\s(?:just\s|only\s)?(?:not\s)?an?\s
        (?:ai|artificial|language\smodel|large\slanguage|virtual|chatbot)\b
      |\bi(?:['’]?m|\sam)\snot\s(?:a|your)\s(?:\w+\s){0,2}
        (?:doctor|physician|clinician|professional|pharmacist|provider|nurse|substitute)
      |\bi\s(?:can(?:no|['’])t|can\snot|am\s(?:not\sable|unable)\sto|do\snot|don['’]t)\s
        (?:provide|give|offer|diagnose|replace|have\s(?:access|personal)|make\sa\sdiagnosis)
      |\bnot\s(?:a\s|constitute\s|intended\s(?:to\s(?:be\s)?|as\s)|meant\sto\s(?:be\s)?|to\sbe\sconsidered\s(?:as\s)?
          |be\s(?:taken|used|considered)\sas\s)?(?:a\s)?
        (?:substitute\sfor|replacement\sfor|medical\sadvice|replace\s(?:professional|medical)|personali[sz]ed\smedical
          |professional\smedical\sadvice|constitute\smedical)
      |\b(?:does|do|should|can|must|is|will)\snot\s(?:be\sused\sto\s)?(?:replace|substitute|constitute|be\sa\ssubstitute)\b
        [^.]{0,60}\b(?:advice|care|consultation|judge?ment|doctor|professional|physician)
      |\b(?:for|is|are)\s(?:general\s)?(?:informational|educational|information)\s(?:and\s\w+\s)?(?:purposes?|only|use)
      |\bgeneral\sinformation\sonly|\bgeneral\sinformation\b[^.]{0,60}\bnot\b
      |\bindividual\scircumstances\smay\svary|\bdisclaimer\b
      |\bkein(?:e|en)?\s(?:ersatz\sfür|ärztliche[rn]?\s(?:rat|beratung))|\bersetzt\s(?:nicht|keine|keinen)\b
      |\bne\sremplace(?:nt)?\spas\b|\bno\s(?:sustituye|reemplaza)n?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_COURTESY: Final = re.compile(
    r"""[\W_]*(?:
        (?:i\s)?hope\s(?:this|that|it|these)\b[^.]{0,30}(?:help|useful|answers|clarif)
      | (?:please\s)?(?:let\sme\sknow|(?:do\snot|don['’]t)\shesitate|feel\sfree)\b
      | i(?:['’]m|\sam|['’]d\sbe|\swould\sbe)\s(?:so\s|very\s)?(?:happy|glad|here|sorry|pleased)\b
      | happy\sto\shelp | (?:that['’]s\sa\s)?(?:great|good|excellent)\squestion
      | if\syou\s(?:have|['’]d\slike|would\slike|need|want)\s
        (?:me\sto\b|any\s(?:other\s|further\s|more\s|additional\s|specific\s)?(?:questions|concerns)
          |(?:more|further|other|additional)\s(?:questions|information|details|help))
      | if\syou(?:['’]d|\swould)?\s(?:like|wish|want),?\s(?:i|me|to)\b
      | (?:would|do)\syou\s(?:like|want)\b
      | (?:hello|hi|hey|dear|greetings|good\s(?:morning|day|evening))\b[^.!]{0,40}[,.!]*\Z
      | thank\syou\b | thanks\b | you(?:['’]re|\sare)\swelcome
      | (?:take\scare|get\swell\ssoon|stay\s(?:safe|healthy|well)|best\s(?:wishes|regards|of\sluck)
          |kind\sregards|sincerely)[,.!]*\Z
      | (?:sure|certainly|of\scourse|absolutely|okay|ok|understood|gladly)(?:\s?[,.!]+\s*(?:here\b.*|i\b.*)?|)\Z
      | (?:below\s(?:is|are)|here(?:['’]s|\sis|\sare))\s(?:a|an|the|some|what|my|your)\b[^.:]{0,90}[.:!]?\Z
      | ich\shoffe | gerne\b.{0,40}\Z | hallo\b.{0,30}\Z | j['’]espère | bonjour\b.{0,30}\Z | n['’]hésitez\spas
      | espero\sque | hola\b.{0,30}\Z )""",
    re.IGNORECASE | re.VERBOSE,
)
_SOURCE_REFERENCE: Final = re.compile(
    r"""[\W_]*(?:please\s)?(?:see|visit|read|refer\sto|check|consult|sources?:|references?:
      |(?:for|find)\s(?:more|further|additional)\s(?:information|details|reading|guidance)
      |(?:more|further|additional)\s(?:information|details|reading)|learn\smore|available\s(?:at|from|online)
      |quelle[n]?:|siehe|voir|véase)(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_AMOUNT: Final = re.compile(r"\d\s?(?:%|[mkµμn]?g\b|mcg\b|ml\b|l\b|mmol|iu\b|units?\b)|[<>≤≥]\s?\d", re.IGNORECASE)
_LISTING: Final = re.compile(
    r"""\b(?:following|follow|include[sd]?|including|such\sas|these|below|options?|are|is|here|consider|examples?|namely
        |folgende[nrs]?|umfassen|sind|suivante?s?|comprennent|sont|siguientes?|incluyen|son)\W{0,5}\Z
      |\b(?:the\sfollowing|as\sfollows|listed\sbelow|these\s(?:steps|points|factors)|folgende[nrs]?|suivants?|siguientes)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_VERB: Final = re.compile(
    r"""\b(?:is|are|was|were|be|been|has|have|had|can|may|might|must|should|will|would|could|do|does|did|cause[sd]?
      |reduce[sd]?|increase[sd]?|decrease[sd]?|prevents?|require[sd]?|recommend(?:s|ed)?|avoid(?:s|ed)?|take[ns]?|use[sd]?
      |give[ns]?|stop(?:s|ped)?|start(?:s|ed)?|needs?|works?|treat(?:s|ed)?|helps?|include[sd]?|affects?|contains?|remains?
      |monitor|check|limit|ist|sind|soll(?:te|en)?|muss|kann|wird|werden|hat|est|sont|doit|peut|es|son|debe|puede)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK_ONLY: Final = re.compile(r"[^\w\[]*\[[^\[\]]{0,200}\]\([\s<>]*\)\W*\Z")
_LONGEST_DISCLAIMER: Final = 600
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_LETTER: Final = re.compile(r"[^\W\d_]")


def count_words(text: str) -> int:
    """Number of words; in Chinese and Japanese, written without spaces, two characters count as one word."""
    return sum(max(1, len(_UNSPACED.findall(match.group())) // 2) for match in _WORD.finditer(text))


def is_disclaimer(sentence: str) -> bool:
    """Whether a sentence is advice to consult somebody, a note on what the model is, or a courtesy.

    False for one that contains a claim: a number, a reason, an emergency.
    """
    if len(sentence) > _LONGEST_DISCLAIMER:
        return False
    if _COURTESY.match(sentence) or _DISCLAIMER.search(sentence):
        return not re.search(r"\d\s?(?:mg|mcg|µg|g|ml|%|mmol)", sentence)
    consult = _CONSULT.search(sentence)
    if consult is None or _HAS_REASON.search(sentence):
        return False
    return _OPENING.match(sentence[: consult.start()]) is not None


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
    rest = cited.rest(place)
    if lead.endswith((":", "–", "—")) and count_words(rest) <= 9 and not _VERB.search(rest):
        return True
    if _LINK_ONLY.match(rest):
        return True
    return _SOURCE_REFERENCE.match(text, place.start, place.end) is not None and count_words(rest) <= 14


def is_intro(sentence: str, before_list: bool) -> bool:
    """Whether a sentence is a title or an introduction that ends with a colon and makes no claim by itself ("Options
    include:")."""
    body = sentence.rstrip("*_ \n")
    if not body.endswith((":", "：")):
        return False
    count = count_words(body)
    if count <= 4 and not re.search(r"\d", body):
        return True
    if _AMOUNT.search(body):
        return False
    if _LISTING.search(body):
        return before_list or count <= 8
    return before_list and (count <= 8 or not _VERB.search(body)) and not re.search(r"\d", body)


def is_title(sentence: str) -> bool:
    """Whether a sentence looks like a title: short, without final punctuation, verb or number."""
    return (
        sentence[-1:] not in ".!?;。"
        and count_words(sentence) <= 7
        and not _VERB.search(sentence)
        and not re.search(r"\d", sentence)
    )


def has_words(sentence: str, least: int) -> bool:
    """Whether a sentence has at least so many words, and a letter among them."""
    return _LETTER.search(sentence) is not None and count_words(sentence) >= least
