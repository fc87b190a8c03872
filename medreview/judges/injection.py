"""Detection of prompt injection in pages: text that reads like instructions to a model, found by rules.

It is shown to the reviewer. A match is not proof, and no match is no guarantee. The protection against a judge that
obeys is that support counts only with a quote that is in the page (``medreview.judges.tasks.verification``);
instructions are not evidence.

The rules for English are patterns of commands, marks of a conversation, policies, examples. For other languages (the
ten most used on the web, and many more) words near one another make an instruction: who is spoken to (a model, a judge,
a reviewer), what they shall do (answer, mark, rate), with what (a statement, a page), and the answer (supported,
confirmed, true); or a command to forget earlier instructions. Rules are matched on text with collapsed white space, and
have no unbounded repeats, which a page could exploit (ReDoS). Medical prose speaks of reviewers, graders, evaluators
and language models, too: words for people need what they shall do with this page, or the answer that they shall give.

Searched are also texts that a page holds in a form that readers do not read and models do: codes, other letters,
letters apart. All functions that decode them are linear in the text.
"""

import base64
import binascii
import codecs
import html
import re
import sqlite3
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.judges.opening_scan import OpeningScan, ScannedText
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.text import Span

_MOST_CODES: Final = 200
"""Codes of one kind that are decoded in one text."""
_READABLE: Final = 0.9
_TAGS: Final = re.compile("[\U000e0020-\U000e007e]+")
_TAG_BASE: Final = 0xE0000
_FLAG: Final = "\U0001f3f4"
_LEAST_HIDDEN: Final = 4
_SELECTORS: Final = re.compile("[\U000e0100-\U000e01ef]{8,}")
_SELECTOR_BASE: Final = 0xE0100 - 16
_INVISIBLE: Final = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{24,}")
_BASE64: Final = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{20,}(?:\n[A-Za-z0-9+/_-]{20,}){0,40}={0,2}(?![\w+/])")
_HEX: Final = re.compile(r"(?<!\w)(?:(?:0x|\\x|%|\\u00)?[0-9A-Fa-f]{2}[ :,;]?){12,}(?!\w)")
_HEX_PAIR: Final = re.compile(r"(?:0x|\\x|%|\\u00)?([0-9A-Fa-f]{2})[ :,;]?")
_BINARY: Final = re.compile(r"(?<!\w)(?:[01]{8}[ ,;]?){12,}(?!\w)")
_DECIMAL: Final = re.compile(r"(?<![\w.])(?:&?#?(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[ ,;]{1,2}){12,}")
_NESTED: Final = 3
"""Codes inside of codes that are decoded."""
_BROKEN: Final = re.compile(r" ?\n ?(?:[\u2022*\u2013|-] ?|\d{1,2}[.)] )?(?=[a-z])")
"""A line's end within a sentence, and the mark of a list's item after it."""
_ENTITIES: Final = re.compile(r"&(?:#\d{2,6}|#x[0-9A-Fa-f]{2,5}|[a-zA-Z]{2,8});")
_APART: Final = re.compile(r"(?<!\w)[^\W_](?:[ .\-_*\u00b7|~]{1,3}[^\W_](?!\w)){7,}")
_LEET: Final = str.maketrans("013457@$!|", "oieastasii")
_LEET_L: Final = str.maketrans("013457@$!|", "oleastasll")
_LEET_WORD: Final = re.compile(r"(?=[A-Za-z]*[013457@$!|])[A-Za-z013457@$!|]{2,40}")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
# Homoglyphs: letters of other alphabets that look Latin, used to evade a search for words.
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u04bb\u0501\u03bf\u03b1\u03b9\u03bd"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0408\u04cf\u051b\u051d"
    "\u03ba\u03c1\u03c4\u03c5\u03c7\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4"
    "\u03a5\u03a7\u0585\u057d\u0578\u0570\u056b\u0566\u0261\u0131\u0269\u026a\u1d0f\u1d1c\u1d20\u1d21\u1d22",
    "aeopcyxisjhdoaivABEKMHOPCTXISJlqwkptuxABEZHIKMNOPTYXosuhiqgiiiouvwz",
)


def unseen(text: str) -> Iterator[str]:
    """Text in characters that nobody sees: tags, variation selectors, long runs of zero-width characters."""
    if text.isascii():
        return
    for run in _TAGS.finditer(text):
        if text[run.start() - 1 : run.start()] != _FLAG and len(run[0]) >= _LEAST_HIDDEN:
            yield "".join(chr(ord(char) - _TAG_BASE) for char in run[0])
    for run in _SELECTORS.finditer(text):
        yield bytes(ord(char) - _SELECTOR_BASE for char in run[0]).decode("utf-8", "replace")
    for run in _INVISIBLE.finditer(text):
        yield f"{len(run[0])} invisible characters"


def plain(text: str) -> str:
    """The text in compatibility form without format characters, its white space collapsed."""
    if not text.isascii():
        formats = [char for char in set(text) if unicodedata.category(char) == "Cf"]
        text = unicodedata.normalize("NFKC", text.translate(dict.fromkeys(map(ord, formats))) if formats else text)
    return re.sub(r"\s+", lambda run: "\n" if "\n" in run[0] else " ", text)


def encoded(text: str, depth: int = _NESTED) -> Iterator[str]:
    """Readable text in base64 or in hexadecimal, binary or decimal numbers, also of such a code (a sequence of bases,
    an identifier give none)."""
    for pattern, decode in _CODES:
        for match in islice(pattern.finditer(text), _MOST_CODES):
            data = decode(match[0])
            yield from _readable(data)
            if depth > 1 and data.isascii():
                yield from encoded(data.decode("ascii"), depth - 1)


def unbroken(text: str) -> str:
    """The text with the sentences in one line that lists, cells or elements break."""
    return _BROKEN.sub(" ", text)


def _from_hex(code: str) -> bytes:
    return bytes(int(pair, 16) for pair in _HEX_PAIR.findall(code))


def _from_numbers(code: str, base: int) -> bytes:
    return bytes(int(number, base) for number in re.findall(r"\d+", code))


def _from_base64(code: str) -> bytes:
    letters = re.sub(r"\s", "", code).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


_CODES: Final = (
    (_BASE64, _from_base64),
    (_HEX, _from_hex),
    (_BINARY, partial(_from_numbers, base=2)),
    (_DECIMAL, partial(_from_numbers, base=10)),
)


def _readable(data: bytes) -> Iterator[str]:
    """The text of some bytes, if they are one: words apart by blanks, nearly no control characters."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    letters = sum(char.isprintable() or char.isspace() for char in text)
    if text and letters >= _READABLE * len(text) and len(_WORD.findall(text)) >= 3 and " " in text:
        yield text


def spellings(text: str) -> Iterator[str]:
    """A plain text as it reads in other letters: look-alikes, character references, digits for letters, rot13,
    backwards."""
    if not text.isascii():
        latin = text.translate(_LOOKALIKES)
        if latin != text:
            yield latin
    if _ENTITIES.search(text):
        yield plain(html.unescape(html.unescape(text)))
    for table in (_LEET, _LEET_L):
        yield _LEET_WORD.sub(lambda match, table=table: _unleet(match[0], table), text)  # type: ignore[misc]
    yield codecs.encode(text, "rot13")
    yield text[::-1]


def _unleet(word: str, table: dict[int, str]) -> str:
    has_letters = word.lower() != word.upper()
    return word.translate(table) if has_letters and not word.isalpha() else word


def letters_apart(text: str) -> Iterator[str]:
    """Words whose letters stand apart (``s u p p o r t e d``), written together, without the borders of words."""
    for match in _APART.finditer(text):
        yield "".join(char for char in match[0] if char.isalnum())


_AI: Final = (
    r"(?:ai|a\.i\.|artificial intelligence|llms?|(?:large )?language models?|chat ?bots?|gpt[-\w.]{0,20}|"
    r"helpful assistants?|judge models?|judging models?|"
    r"(?:ai|automated|automatic|llm|model) (?:systems?|assistants?|agents?|judges?|reviewers?|evaluators?|"
    r"graders?|checkers?|readers?|raters?|verifiers?|assessors?|annotators?|crawlers?|pipelines?|tools?))"
)
_MODEL: Final = rf"(?:{_AI}|evaluators?|graders?|verifiers?|fact[- ]?checkers?|classifiers?)"
_LABEL: Final = r"(?:fully[_ ]|wholly[_ ]|not[_ ])?(?:supported|contradicted|partial|addressed|entailed|verified)"
_QUOTE: Final = "[\"'`\u2018\u2019\u201c\u201d*]"
_PERSON: Final = (
    r"(?:(?:automated|automatic|external|independent|peer|human|expert|systematic) )?(?:reviewer|evaluator|grader|"
    r"judge|rater|verifier|assessor|annotator|checker|examiner|auditor|referee|juror|scorer|labell?er|fact[- ]?checker)"
)
_GRADING: Final = (
    r"(?:grad|rat|judg|evaluat|assess|review|check|scor|label|verif|annotat|audit|examin|process|summari[sz]|pars|"
    r"fact[- ]?check)"
)
_THIS: Final = (
    r"(?:this|the present|the above|our) (?:web ?)?(?:page|site|document|text|source|article|content|material|leaflet|"
    r"resource|passage|entry)s?"
)
_MUST: Final = (
    r"(?:must|shall|should|will|ought to|have to|has to|need to|needs to|(?:are|is) (?:to|required to|asked to|"
    r"instructed to|obliged to|expected to|requested to|advised to))"
)
_SUPPORT: Final = r"(?:fully |wholly |completely )?(?:supported|entailed)(?!\w)"
"""The answer in the words of judges, which other texts hardly use."""
_CLAIM: Final = r"(?:statement|claim|assertion|sentence)s?"
_TO_HERE: Final = r"(?:(?!\b(?:whether|if)\b)[^.\n])"
"""A character of a sentence that does not ask: what reviewers should say *if* a claim is supported is not an answer."""
_NOT_ASKED: Final = r"(?:(?!\b(?:whether|if)\b)[^\n])"
_CHECKED: Final = (
    r"(?:evaluation|assessment|grading|verification|fact[- ]?check(?:ing)?|review|rating|checking|comparison)"
)
_FOR_IT: Final = r"(?:fully |wholly |completely )?(?:supported|confirmed|verified|entailed|true|correct|accurate)(?!\w)"
RULES: Final = (
    # Override of earlier instructions.
    r"\b(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following)\s"
    r"(?:(?:all|any|the|these|those|your|my|of|previous|prior|above|earlier|preceding|foregoing|existing|other|"
    r"original|initial|and|everything|you|were|given)\s){1,9}"
    r"(?:instructions?|prompts?|commands?|system message)\b",
    r"\b(?:new|real|actual|updated|hidden|secret) instructions? (?:for|to|follow|from|below)\b",
    # Marks of a conversation with a model.
    r"(?:(?m:^)|[\[({<*#=-])\W{0,4}(?:system|developer) (?:prompt|message|instruction|override)s?\W{0,3}(?:[:>\])]|\n)",
    r"\b(?:new|updated|real|actual|current|end of(?: the)?) (?:system|developer) (?:prompt|message|instruction)s?\b",
    r"\b(?:system|developer|admin\w*) override\b",
    rf"[\"'](?:role|from|speaker){_QUOTE}\s?:\s?[\"'](?:system|assistant|developer|tool|function)[\"']",
    r"</?(?:system|assistant|developer|instructions?|untrusted|tool_?\w{0,12}|function_?\w{0,12})>",
    r"(?m:^)\W{0,4}(?:tool|function) (?:output|result|call|response)s? ?[:=({]",
    r"(?<![-=#*<\[~_`])[-=#*<\[~_`]{2,30}\s?(?:end|begin|start|close)(?: of)?(?: the)? (?:source|context|input|data|"
    r"untrusted|user|material|fence|quoted)\b[^\n]{0,30}?[-=#*>\]~_`]{2,}",
    r"<\|[a-z_]{2,20}\|>|\[/?inst\]|<</?sys>>|<{3}\s?(?:end of )?(?:source|sources|statement|question|response)\b",
    r"(?m:^) ?#{1,4} ?(?:system|instructions? (?:to|for) \w+)\b",
    r"(?m:^) ?(?:system|assistant) ?:\s[^\n]{0,120}?\b(?:you|must|answer|ignore|claim|statement|source|supported|"
    r"respond|reply|output|verdict|label|instructions?)\b",
    r"\b(?:end|close) of (?:the )?(?:source|untrusted|quoted) (?:text|data|material|block)\b",
    r"\bbegin (?:system|trusted)\b",
    # Addressing a model.
    r"\bas an? (?:(?:ai )?(?:large )?language model|ai (?:assistant|model|system)|llm|ai,)",
    rf"\byou(?: are|'re|\u2019re)(?: now| being| actually)*(?: acting as)? (?:an? |the |any )?{_MODEL}(?!\w)",
    rf"\b(?:attention|notes?|messages?|notice|instructions?|directions?|important|dear|hello|hey)\s?"
    rf"(?:(?:to|for)\s(?:all |any |the |every ){{0,4}}{_MODEL}"
    rf"|[,:]?\s?(?:all |any |the |every ){{0,4}}{_AI})(?!\w)",
    rf"(?:(?m:^)|[.!?:]\s) ?(?:all |any )?{_AI}(?:s)?(?: [a-z]+){{0,6}} "
    r"(?:must|should|shall|are (?:required|told|asked)) (?:[a-z]+ ){0,6}"
    r"(?:label|rate|mark|answer|respond|reply|classify|accept|treat|output|return|conclude|report)\b[^.\n]{0,80}?"
    rf"(?:\b{_CLAIM}\b|{_THIS}|\b{_SUPPORT}|\b(?:yes|true|correct|confirmed|verified|verdict|label|it)\b)",
    rf"\byou (?:have been|are|were|are being) (?:asked|told|instructed|required|prompted) to (?:[a-z]+ ){{0,3}}?"
    rf"(?:compare|check|verify|judge|assess|decide|evaluate|rate|grade|label|classify)\b[^.\n]{{0,40}}?\b{_CLAIM}\b",
    r"\b(?:do not|don't|never) (?:reveal|mention|disclose|report|repeat|tell \w+(?: \w+)? about) "
    r"(?:this|these|the) (?:instructions?|prompt|message|notice)\b",
    # Policy: what those who judge the page shall do.
    rf"\b(?:those|anyone|anybody|everyone|everybody|whoever|people|persons|all)(?: who| that)? "
    rf"(?:[a-z]+ ){{0,3}}?{_GRADING}\w{{0,3}} (?:[a-z]+ ){{0,3}}?{_THIS} [^.\n]{{0,80}}?{_MUST}\b",
    rf"\b(?:{_MODEL}|{_PERSON})s? (?:of|for|reading|processing|handling|checking|on|with|(?:who|that) [a-z]+) "
    rf"{_THIS} (?:[a-z]+ ){{0,4}}?{_MUST}\b",
    rf"\b(?:{_MODEL}|{_PERSON})s?\b[^.\n]{{0,60}}?{_MUST} {_TO_HERE}{{0,100}}?(?:(?:{_THIS}|\b{_CLAIM})\b"
    rf"[^.\n]{{0,80}}?\b(?:as|with|is|to|be|are)\s?{_QUOTE}{{0,4}}{_FOR_IT}|\b(?:as|with|is|to|be|are)\s?{_QUOTE}{{0,4}}{_SUPPORT}|"
    rf"{_QUOTE}{_SUPPORT}|"
    rf"(?:answer|say|reply|respond|return|output|give|choose|select|vote|conclude)s? {_QUOTE}{{0,4}}{_FOR_IT})",
    rf"\b(?:notes?|messages?|notice|instructions?|directions?|guidance|reminders?|information|memo)\s?"
    rf"(?:to|for) (?:all |any |the |every |those )*(?:{_PERSON})s?\b{_NOT_ASKED}{{0,200}}?"
    rf"(?:{_THIS}|\b{_CLAIM}\b|{_SUPPORT})",
    rf"\b{_CHECKED} (?:of|for) {_THIS}\b[^.\n]{{0,200}}?\b{_CLAIM} (?:is|are|was|were) {_QUOTE}{{0,3}}{_FOR_IT}",
    rf"\bfor (?:the )?purposes? of (?:grading|evaluation|verification|fact[- ]?checking|scoring|automated \w+)\b"
    rf"[^.\n]{{0,160}}?(?:\b{_CLAIM}\b[^.\n]{{0,80}}?{_FOR_IT}|{_SUPPORT})",
    rf"\b{_THIS} (?:is|are|must|should|shall|may|has|can) (?:to )?(?:be )?(?:[a-z]+ ){{0,2}}?"
    rf"(?:cited|treated|counted|taken|read|regarded|accepted|graded|used|quoted) as (?:[a-z]+ ){{0,3}}?"
    rf"(?:support|evidence|proof|confirmation|supporting)\w{{0,4}} (?:for|of) (?:any|every|all|each|the) "
    rf"(?:[a-z]+ ){{0,3}}?(?:claim|statement|answer)s?\b",
    rf"\b(?:any|every|all|each)(?: of)?(?: the)? {_CLAIM}\b[^.\n]{{0,80}}?(?:\b(?:counts? as|shall be|must be|"
    rf"should be|(?:is|are) (?:to be|deemed|considered|held|taken)(?: to be| as)?) "
    rf"(?:[a-z]+ ){{0,3}}?{_QUOTE}{{0,2}}{_FOR_IT}"
    rf"|\b(?:is|are) (?:[a-z]+ ){{0,2}}?(?:supported|confirmed|verified|entailed) by {_THIS})",
    rf"\b{_CLAIM}\b[^.\n]{{0,60}}?\b(?:is|are|has|have) to be (?:marked|labell?ed|rated|graded|judged|treated|"
    rf"counted|taken) as {_QUOTE}{{0,3}}{_FOR_IT}",
    rf"\b(?:any|every|all|each) (?:[a-z]+ ){{0,2}}?(?:system|model|tool|program|software|service|process)s? "
    rf"{_GRADING}\w{{0,3}} {_THIS} [^.\n]{{0,60}}?{_MUST}\b",
    r"</(?:source|context|document|page|statement|data|input)s?>",
    # Examples of answers to learn from, and answers in the form of data.
    rf"\b(?:label|verdict|rating|grade|classification) (?:of |as )?{_QUOTE}{{0,3}}{_SUPPORT}(?! by)",
    rf"\b(?:label|verdict|rating) (?:for|of|on) (?:[a-z]+ ){{0,3}}?[a-z]+ ?[:=\u2192-] ?{_QUOTE}{{0,3}}{_SUPPORT}",
    rf"{_QUOTE}(?:alternate_?name|rating|rating_?value|result|status|outcome|conclusion|judge?ment|decision){_QUOTE}"
    rf"\s?:\s?{_QUOTE}{{1,2}}(?:fully |wholly )?(?:supported|entailed|verified){_QUOTE}",
    rf"\b(?:label|verdict|judge?ment|rating|decision|expected answer|correct answer|final answer|model answer|response|"
    rf"output|answer|a)\s?[:=>\u2192-]{{1,3}}\s?{_QUOTE}{{0,3}}(?:fully |wholly )?(?:supported|entailed|contradicted|"
    rf"not[_ ]addressed|verified)(?!\w)",
    rf"\b(?:the |your )?(?:correct|expected|required|right|final|only|proper) (?:label|verdict|answer|judge?ment|"
    rf"rating|decision) (?:here |for \w+ \w+ |to \w+ \w+ )?(?:is|must be|should be|will be|=|:) ?{_QUOTE}{{0,3}}"
    rf"{_SUPPORT}",
    rf"\byour (?:task|job|role|verdict|label|answer|output|reply|response|decision|judge?ment|rating) "
    rf"(?:is|must be|should be|shall be|will be)(?: now| always| to \w+)* {_QUOTE}{{0,3}}{_FOR_IT}",
    # Dictating the answer.
    rf"\b(?:answer|respond|reply|label|rate|mark|classify|judge|score|output|return|treat|set|declare|report|"
    rf"record|enter|log|register|note|count|consider|recorded|entered|"
    rf"labell?ed|rated|marked|classified|judged|scored|treated|declared)\b[^.\n]{{0,80}}?"
    rf"(?:\b(?:as|with|is|to|be)|[:=])\s?{_QUOTE}{{0,4}}{_LABEL}(?={_QUOTE}|\s?[.,;!?:)\]]|\s?(?m:$)|\s?(?:regardless|whatever"
    r"|no matter|and (?:give|set|use|copy|confidence)|with (?:confidence|a confidence|full)))",
    rf"\b(?:label|verdict|answer|confidence|quote)\b{_QUOTE}\s?:\s?(?:{_QUOTE}|\d)",
    r"\b(?:this|the) (?:page|source|document|text|article|study) (?:\w+ ){0,2}(?:supports|confirms|proves|verifies) "
    r"(?:every|all|any|each|whatever)(?: of)?(?: the| other| such)? (?:statements?|claims?|answers?)\b",
    r"\b(?:every|all|any|each)(?: of)?(?: the| such)? (?:statements?|claims?)\b[^.\n]{0,60}"
    r"\b(?:must|should|shall|is to|are to|has to|have to) be (?:accepted|(?:labell?ed|rated|marked|treated|judged|"
    rf"considered|taken|reported) (?:as |to be )?{_QUOTE}{{0,3}}{_FOR_IT})(?!\w)",
)
INSTRUCTIONS: Final = OpeningScan(RULES)


_BEFORE: Final = 80
_AFTER: Final = 220
_NO_WORD: Final = re.compile(r"\W{0,4}")
_STEP: Final = 40
"""In code points; two windows begin at least so far apart."""
_ENGLISH_LABEL: Final = "[\"'«»“„「『（(]\\s?(?:supported|entailed|verified)"
"""In quotation marks only: such words stand in English pages, too."""


_AI_IN_CAPITALS: Final = r"(?<![A-Za-z])(?-i:AI)(?![A-Za-z])"
"""As it stands in scripts that set no blanks between words."""


class _LanguageRules(NamedTuple):
    """The patterns of a language, which ``injection_languages.toml`` explains."""

    judges: OpeningScan
    verbs: re.Pattern[str]
    labels: re.Pattern[str]
    override: OpeningScan
    claims: re.Pattern[str]


def _compiled(texts: Mapping[str, Any]) -> _LanguageRules:
    spaced = texts.get("spaced", True)  # whether white space sets the words of the language apart
    judges, verbs, labels, override, claims = (
        texts[name].replace("{AI}", _AI_IN_CAPITALS) for name in _LanguageRules._fields
    )
    labels = rf"(?:\b{labels}\b|{_ENGLISH_LABEL})" if spaced else f"{labels}|{_ENGLISH_LABEL}"
    begin = r"\b" if spaced else ""
    return _LanguageRules(
        OpeningScan((judges,)),
        re.compile(begin + verbs, re.IGNORECASE),
        re.compile(labels, re.IGNORECASE),
        OpeningScan((override,)),
        re.compile(begin + claims, re.IGNORECASE),
    )


_LANGUAGES: Final = tuple(
    _compiled(texts)
    for texts in tomllib.loads(Path(__file__).with_name("injection_languages.toml").read_text("utf-8")).values()
)


def in_other_languages(scanned: ScannedText) -> Iterator[str]:
    """The parts of a text, with collapsed white space, that read like instructions in one of these languages.

    Each language is looked at where its first word stands, in a window of fixed size, so that the time is linear in the
    text.
    """
    text = scanned.text
    for rules in _LANGUAGES:
        for match in rules.override.finditer(scanned):
            yield match[0]
        last = -1
        for match in rules.judges.finditer(scanned):
            if match.start() < last:
                continue
            start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _BEFORE)
            stop = text.find("\n", match.end(), match.end() + _AFTER)
            last = min(match.end() + _STEP, stop if stop >= 0 else len(text))
            window = text[start : stop if stop >= 0 else match.end() + _AFTER]
            rest = window[: match.start() - start] + " " + window[match.end() - start :]
            if any(_dictates(rules, rest, label) for label in rules.labels.finditer(rest)):
                last = match.end() + _AFTER
                yield window.strip()


def _dictates(rules: _LanguageRules, text: str, label: re.Match[str]) -> bool:
    """Whether a label is to be given: by a verb right before it, or by one elsewhere in a text on what was claimed."""
    others = text[: label.start()] + " " * len(label[0]) + text[label.end() :]
    verbs = list(rules.verbs.finditer(others))
    right_before = any(
        _NO_WORD.fullmatch(text, verb.end(), label.start()) for verb in verbs if verb.end() <= label.start()
    )
    return right_before or (bool(verbs) and rules.claims.search(others) is not None)


_BATCH: Final = 100
_LONGEST: Final = 120
_MOST: Final = 5
_CONTEXT: Final = 600
_TELLING: Final = (
    "ignore", "disregard", "instruction", "supported", "verified", "confirmed", "language model", "evaluator", "grader",
    "reviewer", "verdict", "label", "prompt", " ai ",
)  # fmt: skip
"""Words of which instructions hold two: without them a text in another spelling is not looked at further."""
_TOGETHER: Final = (
    "ignoreprevious", "ignoreall", "ignoreabove", "ignoretheabove", "previousinstruction", "answersupported",
    "assupported", "issupported", "labelsupported", "verdictsupported", "marksupported", "ratesupported",
    "saysupported", "supportedverdict", "languagemodel", "systemprompt", "systemmessage", "aireviewer", "aijudge",
    "automatedreviewer", "evaluatorsmust", "reviewersmust", "judgesmust", "gradersmust",
)  # fmt: skip
"""What instructions hold when their words are written together."""


def instructions_in(text: str) -> list[str]:
    """The parts of a text that read like instructions to a model, in order, without duplicates; hidden ones decoded."""
    found: dict[str, None] = {}
    for words in (*_hidden_text(text), *_visible_instructions(text)):
        found.setdefault(" ".join(words.split())[:_LONGEST])
    return list(found)


@lru_cache(maxsize=512)  # what stands around a quote that several judges give, for one statement and the next
def quotes_instructions(quote: str) -> bool:
    """Whether a quote contains such instructions: then it is not evidence."""
    return next(_hidden_text(quote), None) is not None or next(_visible_instructions(quote), None) is not None


def among_instructions(text: str, span: Span) -> bool:
    """Whether the paragraph around a range contains such instructions: a sentence dictated there is not evidence."""
    start = max(text.rfind("\n", 0, span.start) + 1, span.start - _CONTEXT)
    stop = text.find("\n", span.end)
    return quotes_instructions(text[start : min(stop if stop >= 0 else len(text), span.end + _CONTEXT)])


def mark_snapshots(study: Study, progress: Progress = SILENT) -> int:
    """Fill ``snapshot.instructions`` where it is NULL; the number of these pages with such instructions."""
    waiting = [row[0] for row in study.reader.execute("SELECT snapshot_id FROM snapshot WHERE instructions IS NULL")]
    if waiting:
        progress.begin("page check", len(waiting))
    marked = 0
    for first in range(0, len(waiting), _BATCH):
        some = waiting[first : first + _BATCH]
        marks = ", ".join("?" * len(some))
        rows = study.reader.execute(
            f"SELECT snapshot_id, title, text, full_text FROM snapshot WHERE snapshot_id IN ({marks})", some
        )
        made = [(" · ".join(_of_page(row)[:_MOST]), row["snapshot_id"]) for row in rows]
        study.write(
            lambda db, made=made: db.executemany("UPDATE snapshot SET instructions = ? WHERE snapshot_id = ?", made)  # type: ignore[misc]
        )
        marked += sum(bool(words) for words, _ in made)
        progress.step(len(some))
    return marked


def _of_page(row: sqlite3.Row) -> list[str]:
    """What speaks to a judge in a page: in its text, in what the text leaves out, in its title."""
    whole = row["full_text"] if row["full_text"] and row["full_text"] != row["text"] else ""
    return list(dict.fromkeys(words for text in (row["text"], whole, row["title"]) for words in instructions_in(text)))


def _hidden_text(text: str) -> Iterator[str]:
    """Text in characters that nobody sees; emoji flags of regions also use some and are ignored."""
    return (f"hidden: {words}" for words in unseen(text))


def _visible_instructions(text: str) -> Iterator[str]:
    words = plain(text)
    joined = unbroken(words)
    scanned = ScannedText(words)
    for one in (scanned,) if joined == words else (scanned, ScannedText(joined)):
        for match in INSTRUCTIONS.finditer(one):
            yield match[0].strip()
    yield from in_other_languages(scanned)
    for other in spellings(words):
        lower = other.lower()
        if sum(word in lower for word in _TELLING) < 2:
            continue
        for match in INSTRUCTIONS.finditer(ScannedText(other)):
            # What reads the same in both is no disguise; backwards nothing stands where it stood.
            if words[match.start() : match.end()] != match[0]:
                yield match[0].strip()
    for decoded in encoded(words):
        lower = decoded.lower()
        if any(word in lower for word in _TELLING) or next(in_other_languages(ScannedText(decoded)), None):
            yield f"encoded: {decoded}"
    for letters in letters_apart(words):
        if any(phrase in letters.lower() for phrase in _TOGETHER):
            yield f"letters apart: {letters}"
