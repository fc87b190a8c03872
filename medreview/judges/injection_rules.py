"""What instructions to a judge look like in English: patterns of commands, marks of a conversation, policies, examples.

They are matched on text with collapsed white space, and have no unbounded repeats, which a page could exploit (ReDoS).
Medical prose speaks of reviewers, graders, evaluators and language models, too: words for people need what they shall
do with this page, or the answer that they shall give.
"""

from typing import Final

from medreview.judges.opening_scan import OpeningScan

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
"""A character of a sentence that does not ask: what reviewers shall say *if* something is supported is no answer."""
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
