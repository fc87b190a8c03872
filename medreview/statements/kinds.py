"""Sentences that are not statements: questions, disclaimers, titles and introductions of lists, mere references."""

import re
from typing import Final

from medreview.statements.abbreviations import NEVER_FINAL
from medreview.statements.content import (
    gives_instruction,
    gives_reason,
    has_amount,
    is_specific,
    names_condition,
    names_drug,
)
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
_ADVICE_WORDS: Final = re.compile(
    rf"""(?:{_PERSON}
      |a|an|and|any|are|as|about|be|before|but|by|can|could|do|does|for|from|had|has|have|having|if|in|is|it|its|i|me|may|might
      |must|need|needs|of|on|one|one['’]?s|or|our|please|regarding|so|should|that|the|their|them|there|they|therefore|this|to|up
      |us|want|was|we|when|whenever|will|with|without|would|you|your|it['’]s|i['’]d|who
      |again|also|always|however|finally|first|further|generally|highly|strongly|directly|closely|ideally|still|just
      |advisable|advised?|best|crucial|essential|good|idea|important|necessary|prudent|recommend(?:ed)?|remember|note|suggest(?:ed)?
      |sure|urged?|vital|wise|encouraged?|better|make|making|feel|get|getting
      |advice|answers?|attention|care|concern(?:s|ed)?|doubts?|guidance|help|information|questions?|support|assistance|worr(?:y|ied|ies)
      |consult(?:ing|ation)?|contact(?:ing)?|ask(?:ing)?|see|seeing|talk(?:ing)?|speak(?:ing)?|check(?:ing)?|discuss(?:ing|ed)?|follow|seek(?:ing)?
      |reach|out|visit(?:ing)?|work(?:ing)?|find(?:ing)?|local|own|primary|family|licensed|qualified|trained|registered|medical|health|general
      |practitioners?|teams?|personal(?:i[sz]ed)?|individual(?:i[sz]ed)?|tailored|specific|professional|additional|additionally|more|other
      |detail(?:s|ed)?|situations?|circumstances?|case|decisions?|changes?
      |bitte|fragen|sie|wenden|sich|an|sprechen|mit|konsultieren|ihr(?:e[nmrs]?)?|oder|und|ein(?:e[nmrs]?)?|den|dem|der|die|bei|rat|um
      |consulte[zr]?|demandez|parlez|votre|vos|un|une|à|avis|ou|le|la|de|su|con|el|hable|o)""",
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
      |\bindividual\s\w+\s(?:may|can)\svary|\bdisclaimer\b
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
      | (?:hello|hi|hey|dear|greetings|good\s(?:morning|day|evening))\b[^.!]{0,40}\W*\Z
      | thank\syou\b | thanks\b | you(?:['’]re|\sare)\swelcome
      | (?:(?:take\scare|get\swell\ssoon|stay\s(?:safe|healthy|well)|best\s(?:wishes|regards|of\sluck)|all\sthe\sbest
          |kind\sregards|sincerely)(?:\W+(?:and\s)?|\Z))+\Z
      | (?:good\sluck|i\swish\syou)\b[^.!]{0,60}\W*\Z
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
_EQUIPMENT: Final = re.compile(
    r"""\b(?:materials?|equipment|supplies|instruments?|apparatus|reagents|consumables|tools|ingredients
      |(?:what\s)?you(?:['’]ll|\swill)?\sneed|things\sto\s(?:have|bring|pack)|shopping\slist|material|ausrüstung|zutaten|matériel|materiales)\b[^.]{0,40}:?\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_IN_BRACKETS: Final = re.compile(r"\w[^()\[\]]*[(\[][^()\[\]]*\Z")
"""Words, then a bracket that is still open: what is in it is a label of the citation ("... glucose (doi:")."""
_LINK_ONLY: Final = re.compile(r"[^\w\[]*\[[^\[\]]{0,200}\]\([\s<>]*\)\W*\Z")
_ADVICE_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ASSERTS: Final = re.compile(
    r"\b(?:but|however|although|though|yet|is|are|was|were|can|cannot|may|must|should|does|do\snot|don['’]t|causes?|reduces?|increases?"
    r"|treats?|helps\s(?!you\b|with\b))",
    re.IGNORECASE,
)
_TAKING: Final = re.compile(
    r"\bavoid\b|\b(?:take|apply|drink|eat|swallow|inject|inhale)\s(?!care\b|(?:your|the)\stime\b|a\slook\b)\w",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(
    r"""(?:(?:yes|no|not?\s(?:really|necessarily|always|usually|recommended)|never|always|rarely|often|sometimes|usually|(?:un)?likely
        |possibly|probably|maybe|perhaps|true|false|(?:in)?correct|(?:un)?safe|it\sdepends|depends|positive|negative|benign|malignant|none
        |both|neither|ja|nein|oui|non|sí|vielleicht|peut-être)[,.!]?\s?){1,2}""",
    re.IGNORECASE | re.VERBOSE,
)
_CASE: Final = re.compile(r"\b(?:if|when|whenever|unless|until|while|wenn|falls|si|cuando|lorsque)\W*\Z", re.IGNORECASE)
_CLAIMS: Final = re.compile(
    r"""\b(?:is|are|was|were|has|have|can|cannot|can['’]t|may|might|must|should|will|would|does|do\snot|don['’]t|never|avoid|not|stop
      |reduces?|increases?|decreases?|causes?|prevents?|requires?|treats?|ist|sind|darf|soll(?:te|en)?|muss|est|sont|es|son)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS: Final = re.compile(
    r"""[\W\d_]*(?:how|what|when|where|which|who|whom|why|is|are|was|were|can|could|do|does|did|should|will|would|may|wie|was|wann|warum
      |comment|quand|pourquoi|qué|cómo|cuándo)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_DISCLAIMER: Final = 600
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_LETTER: Final = re.compile(r"[^\W\d_]")


def count_words(text: str) -> int:
    """Number of words; in Chinese and Japanese, written without spaces, two characters count as one word."""
    return sum(max(1, len(_UNSPACED.findall(match.group())) // 2) for match in _WORD.finditer(text))


def is_disclaimer(sentence: str) -> bool:
    """Whether a sentence is a courtesy, a note on what the model is, or advice to consult somebody, and nothing more.

    False for one with anything that can be checked. Of advice every word must belong to the advice itself: "consult
    your doctor if you have questions" is left out, "... before taking an antihistamine" is a statement.
    """
    if len(sentence) > _LONGEST_DISCLAIMER or sentence.rstrip("*_ ").endswith((":", "：")):
        return False
    if _COURTESY.match(sentence):
        claims = _ASSERTS.search(sentence) is not None and (names_drug(sentence) or names_condition(sentence))
        return not (has_amount(sentence) or claims or gives_reason(sentence) or _TAKING.search(sentence))
    if _DISCLAIMER.search(sentence):
        return not (is_specific(sentence) or gives_instruction(sentence))
    if _CONSULT.search(sentence) is None or re.search(r"\d", sentence):
        return False
    return all(_ADVICE_WORDS.fullmatch(word) for word in _ADVICE_WORD.findall(sentence))


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
    if lead.endswith((":", "–", "—")) and count_words(rest) <= 9 and not _VERB.search(rest):
        return not (has_amount(rest) or gives_reason(rest) or gives_instruction(rest))
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
    if _CASE.search(body) or gives_reason(body) or has_amount(body):
        return False
    if count <= 4 and not re.search(r"\d", body):
        return not gives_instruction(body)
    if _CONSULT.search(body):
        return False
    if _LISTING.search(body):
        return (before_list or count <= 8) and not (names_drug(body) or names_condition(body))
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
