"""Detection of prompt injection in pages: text that reads like instructions to a model, found by rules, shown to the
reviewer.

A match is not proof, and no match is no guarantee. The protection against a judge that obeys is that support counts
only with a quote that is in the page (``medreview.judges.tasks.verification``); instructions are not evidence.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.text import Span

_BATCH: Final = 100
_LONGEST: Final = 120
_MOST: Final = 5
_CONTEXT: Final = 600
_AI: Final = (
    r"(?:ai|a\.i\.|artificial intelligence|llms?|(?:large )?language models?|chat ?bots?|gpt[-\w.]{0,20}|"
    r"helpful assistants?|judge models?|judging models?|"
    r"(?:ai|automated|automatic|llm|model) (?:systems?|assistants?|agents?|judges?|reviewers?|evaluators?|"
    r"graders?|checkers?|readers?|tools?))"
)
_MODEL: Final = rf"(?:{_AI}|evaluators?|graders?|verifiers?|fact[- ]?checkers?|classifiers?)"
_LABEL: Final = r"(?:fully[_ ]|wholly[_ ]|not[_ ])?(?:supported|contradicted|partial|addressed|entailed|verified)"
_QUOTE: Final = "[\"'`\u2018\u2019\u201c\u201d*]"
_RULES: Final = (
    # Override of earlier instructions.
    r"\b(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following)\s"
    r"(?:(?:all|any|the|these|those|your|my|of|previous|prior|above|earlier|preceding|foregoing|existing|other|"
    r"original|initial|and|everything|you|were|given)\s){1,9}"
    r"(?:instructions?|prompts?|commands?|system message)\b",
    r"\b(?:new|real|actual|updated|hidden|secret) instructions? (?:for|to|follow|from|below)\b",
    # Marks of a conversation with a model.
    r"\b(?:system|developer) (?:prompt|message|instruction|override)s?\b",
    r"<\|[a-z_]{2,20}\|>|\[/?inst\]|<</?sys>>|<{3}\s?(?:end of )?(?:source|sources|statement|question|response)\b",
    r"(?m:^) ?#{1,4} ?(?:system|instructions? (?:to|for) \w+)\b",
    r"(?m:^) ?(?:system|assistant) ?:\s",
    r"\b(?:end|close) of (?:the )?(?:source|untrusted|quoted) (?:text|data|material|block)\b",
    r"\bbegin (?:system|trusted)\b",
    # Addressing a model.
    r"\bas an? (?:(?:ai )?(?:large )?language model|ai (?:assistant|model|system)|llm|ai,)",
    rf"\byou(?: are|'re|\u2019re)(?: now| being| actually)*(?: acting as)? (?:an? |the |any )?{_MODEL}(?!\w)",
    rf"\b(?:attention|notes?|messages?|notice|instructions?|directions?|important|dear|hello|hey)\s?"
    rf"(?:(?:to|for)\s(?:all |any |the |every ){{0,4}}{_MODEL}"
    rf"|[,:]?\s?(?:all |any |the |every ){{0,4}}{_AI})(?!\w)",
    rf"(?:(?m:^)|[.!?:]\s) ?(?:all |any )?{_MODEL}(?:s)?(?: [a-z]+){{0,6}} "
    r"(?:must|should|shall|are (?:required|told|asked)) (?:[a-z]+ ){0,6}"
    r"(?:label|rate|mark|answer|respond|reply|classify|accept|treat|output|return|conclude|report)\b",
    r"\b(?:do not|don't|never) (?:reveal|mention|disclose|report|repeat|tell \w+(?: \w+)? about) "
    r"(?:this|these|the) (?:instructions?|prompt|message|notice)\b",
    # Dictating the answer.
    rf"\b(?:answer|respond|reply|label|rate|mark|classify|judge|score|output|return|treat|set|declare|report|"
    rf"labell?ed|rated|marked|classified|judged|scored|treated|declared)\b[^.\n]{{0,80}}?"
    rf"(?:\b(?:as|with|is|to|be)|[:=])\s?{_QUOTE}{{0,4}}{_LABEL}(?={_QUOTE}|\s?[.,;!)\]]|\s?$|\s?(?:regardless|whatever"
    r"|no matter|and (?:give|set|use|copy|confidence)|with (?:confidence|a confidence|full)))",
    rf"\b(?:label|verdict|answer|confidence|quote)\b{_QUOTE}\s?:\s?(?:{_QUOTE}|\d)",
    r"\b(?:this|the) (?:page|source|document|text|article|study) (?:\w+ ){0,2}(?:supports|confirms|proves|verifies) "
    r"(?:every|all|any|each|whatever)(?: of)?(?: the| other| such)? (?:statements?|claims?|answers?)\b",
    r"\b(?:every|all|any|each)(?: of)?(?: the| such)? (?:statements?|claims?)\b[^.\n]{0,60}"
    r"\b(?:must|should|shall|is to|are to|has to|have to) be "
    r"(?:accepted|labell?ed|rated|marked|treated|judged|considered|taken|reported)\b",
    # Override of earlier instructions, in other languages.
    r"\bignorier\w{0,4}\s(?:sie\s)?(?:alle\s|die\s|bitte\s)*(?:vorherigen|bisherigen|obigen|vorigen)\s\w{0,20}anweisungen",
    r"\bignor(?:e|ez|er)\s(?:toutes?\s)?(?:les\s|ces\s)?(?:instructions|consignes)\s(?:pr\u00e9c\u00e9dentes|ci-dessus)",
    r"\bignor(?:a|e|ad|ar|en)\s(?:todas\s|tutte\s)?(?:las\s|le\s|as\s)?"
    r"(?:instrucciones|istruzioni|instru\u00e7\u00f5es)\s(?:anteriores|previas|precedenti|acima)",
    "(?:\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996)[^\u3002\n]{0,10}(?:\u6307\u4ee4|\u6307\u793a|\u63d0\u793a)",
    "\u6307\u793a\u3092\u7121\u8996",
)
_INSTRUCTION: Final = re.compile("|".join(f"(?:{rule})" for rule in _RULES), re.IGNORECASE)
# Homoglyphs: letters of other alphabets that look Latin, used to evade a search for words.
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u04bb\u0501\u03bf\u03b1\u03b9\u03bd"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406",
    "aeopcyxisjhdoaivABEKMHOPCTXI",
)
_WHITE_SPACE: Final = re.compile(r"\s+")
_TAGS: Final = re.compile("[\U000e0020-\U000e007e]+")
_TAG_BASE: Final = 0xE0000
_FLAG: Final = "\U0001f3f4"
_LEAST_HIDDEN: Final = 4


def instructions_in(text: str) -> list[str]:
    """The parts of a text that read like instructions to a model, in order, without duplicates; hidden ones decoded."""
    found: dict[str, None] = {}
    for words in (*_hidden_text(text), *_visible_instructions(text)):
        found.setdefault(" ".join(words.split())[:_LONGEST])
    return list(found)


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
        rows = study.reader.execute(
            f"SELECT snapshot_id, text FROM snapshot WHERE snapshot_id IN ({', '.join('?' * len(some))})", some
        )
        made = [(" · ".join(instructions_in(row["text"])[:_MOST]), row["snapshot_id"]) for row in rows]
        study.write(
            lambda db, made=made: db.executemany("UPDATE snapshot SET instructions = ? WHERE snapshot_id = ?", made)  # type: ignore[misc]
        )
        marked += sum(bool(words) for words, _ in made)
        progress.step(len(some))
    return marked


def _hidden_text(text: str) -> Iterator[str]:
    """Text in Unicode tag characters, which are invisible; emoji flags of regions also use them and are ignored."""
    for run in _TAGS.finditer(text):
        if text[run.start() - 1 : run.start()] != _FLAG and len(run[0]) >= _LEAST_HIDDEN:
            yield "hidden: " + "".join(chr(ord(char) - _TAG_BASE) for char in run[0])


def _visible_instructions(text: str) -> Iterator[str]:
    plain = text
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", "".join(char for char in text if unicodedata.category(char) != "Cf"))
    # Collapsed white space: the rules then need no unbounded repeats, which a page could exploit (ReDoS).
    plain = _WHITE_SPACE.sub(lambda run: "\n" if "\n" in run[0] else " ", plain)
    for match in _INSTRUCTION.finditer(plain):
        yield match[0].strip()
    latin = plain.translate(_LOOKALIKES)
    if latin != plain:
        for match in _INSTRUCTION.finditer(latin):
            if plain[match.start() : match.end()] != match[0]:
                yield match[0].strip()
