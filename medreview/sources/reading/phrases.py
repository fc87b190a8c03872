"""Phrases that identify pages that are not the source, one pattern a line, in English; those of other languages are in
``phrases_other_languages``.

A space in a pattern matches any white space, ``'`` any apostrophe; case is ignored, ``^`` and ``$`` are the ends of a
line. Patterns whose name ends in ``BOILERPLATE`` match the sentences that such pages consist of: what remains without
them is the page's own content. Those that end in ``AMBIGUOUS`` decide only together with another sign.
"""

import re
from typing import Final

from medreview.sources.reading import phrases_other_languages as other_languages


def _any_of(lines: str, others: str = "") -> re.Pattern[str]:
    patterns = [line.strip() for line in f"{lines}\n{others}".splitlines() if line.strip()]
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(joined.replace(" ", r"\s+").replace("'", "['\u2019]"), re.IGNORECASE | re.MULTILINE)


BOT_TITLE: Final = _any_of(
    r"""
    ^just a moment\s*(?:$|[.\u2026])
    ^attention required\s*!
    ^access denied\s*(?:$|[-|.\u2013\u2014])
    ^are you (?:a (?:ro)?bot|human)\b
    ^(?:security|human|bot) (?:check|verification)\s*(?:$|[-|.:\u2013\u2014])
    ^verify(?:ing)? (?:that )?you are (?:a )?human\b
    ^checking your browser\b
    ^pardon our interruption\b
    ^(?:robot|bot) or human\b
    ^access to this page has been denied\b
    ^making sure you're not a (?:ro)?bot\b
    ^too many requests\s*(?:$|[-|.:\u2013\u2014])
    ^preparing to download\b
    ^sorry\.\.\.$
    """,
    other_languages.BOT_TITLE,
)
BOT_TEXT: Final = _any_of(
    r"""
    checking (?:if the site connection is secure|your browser)
    verify(?:ing)? (?:that )?you are (?:a )?human
    (?:confirm|prove|make sure|show) (?:that )?(?:you are|you're) (?:a )?(?:human|not a (?:ro)?bot)
    complete (?:the|this) (?:captcha|security check)
    unusual (?:traffic|activity) from your
    you have been blocked
    i'm not a robot
    automated (?:access|requests) to (?:this|our) (?:site|page|content)
    sending automated queries
    incapsula incident
    enable js and disable any ad ?blocker
    sent too many requests
    """,
    other_languages.BOT_TEXT,
)
BOT_BOILERPLATE: Final = _any_of(
    r"""
    \b(?:ro)?bots?\b
    \bhumans?\b
    captcha
    security (?:check|service|of your connection)
    verif(?:y|ying|ication)
    \bautomat(?:ed|ion|ic)
    \bbrows(?:er|ing)
    javascript
    cookie
    \bplug-?in
    (?:unusual|suspicious) (?:traffic|activity)
    \bip address
    \b(?:ray|reference|incident|case|request|support) (?:id|number|code|article|#)
    (?:permission|trying) to access
    (?:access|page) (?:to this page )?(?:has been |is |was )?(?:denied|blocked)
    been blocked
    site owner
    webmaster
    performance (?:and|&) security
    too many requests
    incapsula
    """,
    other_languages.BOT_BOILERPLATE,
)
JS_TEXT: Final = _any_of(
    r"""
    (?:enable|turn on|activate) javascript
    javascript (?:is|must be|has to be|needs to be) (?:not |currently )?(?:enabled|disabled|required|turned (?:on|off))
    (?:requires|needs) javascript
    work (?:properly )?without javascript
    """,
    other_languages.JS_TEXT,
)
JS_BOILERPLATE: Final = _any_of(
    r"""
    javascript
    \bbrowser
    \bscripts?\b
    """
)
LEGAL_BOILERPLATE: Final = _any_of(
    r"""
    does not (?:take the place of|replace|substitute|provide|constitute)
    (?:medical|professional) advice
    call (?:an ambulance|\d{2,3})
    all rights reserved
    copyright|\u00a9
    (?:privacy|cookie|legal|terms)
    gives information
    """
)
COOKIE_TITLE: Final = _any_of(
    r"""
    ^before you continue\b
    ^cookies? (?:consent|preferences|settings|wall)\b
    ^(?:we value )?your privacy\b
    ^privacy (?:gate|settings)\b
    ^cookies? (?:are )?(?:absent|disabled|required)\b
    """
)
COOKIE_TEXT: Final = _any_of(
    r"""
    accept (?:all |our |the )?cookies
    (?:we|website|site|partners) (?:use|uses|store) (?:\w+ )?cookies
    we value your privacy
    consent to (?:the use of |our use of )?cookies
    cookies? (?:must be|are not|are) (?:enabled|disabled)
    manage (?:my |your )?(?:cookies?|consent|preferences)
    enable cookies
    """,
    other_languages.COOKIE_TEXT,
)
COOKIE_BOILERPLATE: Final = _any_of(
    r"""
    cookie
    consent
    privacy
    \bpartners?\b
    advertis
    legitimate interest
    browser settings
    personali[sz]ed
    (?:accept|reject|allow) all
    manage preferences
    \b(?:your|a|the) device
    (?:measure|develop|improve|deliver) (?:\w+ ){0,3}(?:audience|content|services|products|performance|engagement)
    \b(?:ads|vendors?|preferences|third parties)\b
    (?:your|this) choices? (?:holds?|applies|apply|at any time)
    change (?:it|them|your (?:mind|choices?|settings)) at any time
    more options
    """,
    other_languages.COOKIE_BOILERPLATE,
)
NOT_FOUND_TITLE: Final = _any_of(
    r"""
    \bpage (?:was |is |could |can |can)?not (?:be )?(?:found|available)\b
    \bpage (?:is |has been |was )?(?:no longer available|removed|unavailable)\b
    \bpage (?:doesn't|does not|no longer) exists?\b
    \b(?:can't|cannot|couldn't|could not|unable to) (?:seem to )?(?:find|locate) (?:the|that|this|your) page\b
    \b(?:can't|cannot|couldn't|could not|unable to) (?:seem to )?(?:find|locate) what you\b
    \b(?:this|the|that) page (?:has |was )(?:been )?(?:moved|deleted|removed|archived|retired)\b
    \b(?:this|the|that) page is (?:gone|missing)\b
    ^(?:404|410)$
    """,
    other_languages.NOT_FOUND_TITLE,
)
NOT_FOUND_TITLE_AMBIGUOUS: Final = _any_of(
    r"""
    \b(?:document|article|content|file) (?:was |is |could |can |can)?not (?:be )?(?:found|available)\b
    \b(?:document|article|content) (?:is |has been |was )?(?:no longer available|removed|unavailable)\b
    ^(?:http )?(?:error )?404(?: error)?\s*(?:$|[-:|\u2013\u2014.(,!])
    ^404 (?:page|file|not found|error)\b
    \berror 404\b
    [-:|\u2013\u2014]\s*404\s*$
    ^not found\s*(?:$|[-|.:\u2013\u2014])
    ^oops\s*(?:$|[-|.,!\u2013\u2014])
    ^whoops\s*(?:$|[-|.,!\u2013\u2014])
    ^nothing (?:found|here|to see here)\b
    ^(?:hm+|uh[- ]?oh|sorry)\b
    ^(?:(?:an|unexpected|server|http) )*error(?: occurred| has occurred)?\s*(?:$|[-|.,:!\u2013\u2014])
    ^something went wrong\b
    ^(?:content|resource|item|link) (?:is )?(?:unavailable|not available|not found|removed|missing)\b
    ^(?:object|document|page|site) moved\b
    ^search(?: results?)?\s*(?:$|[-|:\u2013\u2014])
    ^no (?:search )?results(?: found)?\s*(?:$|[-|.:!\u2013\u2014])
    """,
    other_languages.NOT_FOUND_TITLE_AMBIGUOUS,
)
NOT_FOUND_LINE: Final = re.compile(r"^(?:error )?(?:404|410)$", re.IGNORECASE | re.MULTILINE)
"""A line of the page itself; it decides like an ambiguous title."""
NOT_FOUND_BOILERPLATE: Final = _any_of(
    r"""
    \b(?:page|pages|link|links|url|website|site|browser|home ?page|site ?map|menu)\b
    web address
    \b(?:404|error|sorry|oops)\b
    not found
    \bsearch
    """
)
NOT_FOUND_TEXT: Final = _any_of(
    r"""
    (?:page|document|article|content) (?:that )?you(?: are|'re| were| have)? (?:requested|looking for|trying to \w+)
    (?:link|address|url) (?:that )?you(?: have|'ve)? (?:followed|clicked|entered|typed)
    (?:can't|cannot|couldn't|could not|unable to) find (?:the|that|this|your) (?:\w+ )?(?:page|document|article)
    unable to locate (?:the|that|this|your) (?:\w+ )?(?:page|document|article)
    (?:page|document|article) (?:was |could |can )?not (?:be )?found
    (?:page|document|article) (?:no longer exists|does(?: not|n't) exist)
    (?:page|document|article|link) (?:is|may be|might be) (?:no longer available|broken|out of date)
    (?:page|document|article) (?:has|may have|might have) (?:been )?(?:re)?moved
    (?:http )?error 404
    404 (?:error|not found)
    followed a (?:bad|broken|dead|wrong) link
    nothing (?:was )?found at this location
    \bthat page is gone\b
    (?:can't|cannot|couldn't|could not|unable to) (?:seem to )?(?:find|locate) (?:what|anything|that|the \w+) you
    requested (?:\w+ )?(?:resource|page|document|content|address|item|file) (?:\w+ ){0,2}(?:not|no longer|unavailable)\b
    (?:page|content|document|article|item) (?:that )?you(?: have|'ve)? requested
    (?:document|object|page) (?:may be found|has moved|moved) (?:here|to)\b
    update your (?:bookmarks?|links?)
    search (?:for|term) [^.\n]{0,80} (?:returned|gave|found|has|matched) (?:0|no|zero)\b
    (?:0|no|zero) (?:results|matches|hits|pages) (?:were )?(?:found|returned|match) (?:for|your)\b
    your search [^.\n]{0,80}did not match any
    """,
    other_languages.NOT_FOUND_TEXT,
)
OUT_OF_ORDER_TITLE: Final = _any_of(
    r"""
    ^(?:(?:scheduled|planned|site|website|server|system) )*maintenance(?: mode| page| break)?\s*(?:$|[-|.:!\u2013])
    \bmaintenance in progress\b
    \b(?:down|closed|offline|unavailable) for (?:scheduled |planned |essential )?maintenance\b
    \bunder (?:scheduled |planned )?maintenance\b
    \bwe(?:'ll| will) be (?:right )?back (?:soon|shortly)\b
    ^(?:th[ei]s? |our )?(?:service|site|website|server) (?:is )?(?:(?:currently|temporarily) )*(?:unavailable|offline)$
    ^(?:th[ei]s? |our )?(?:service|site|website|server) (?:is )?(?:(?:currently|temporarily) )*unavailable\s*[-|.:!]
    ^(?:http )?(?:error )?50[0234]\b
    ^(?:internal server error|bad gateway|gateway time-?out)\b
    ^(?:wartungsarbeiten|wartungsmodus)\b
    ^(?:site |page )?en maintenance\b
    ^(?:sitio |página |site )?en mantenimiento\b
    ^(?:site |página )?em manutenção\b
    ^(?:sito |pagina )?in manutenzione\b
    ^(?:website )?in onderhoud\b
    ^(?:service|site) (?:temporairement|momentanément) indisponible\s*(?:$|[-|.:!])
    ^(?:servicio|sitio|página) temporalmente no disponible\s*(?:$|[-|.:!])
    ^(?:servizio|sito) (?:temporaneamente|momentaneamente) non disponibile\s*(?:$|[-|.:!])
    ^(?:serviço|site|página) (?:temporariamente )?indisponível\s*(?:$|[-|.:!])
    ^(?:dienst|website|seite) (?:ist )?(?:derzeit|vorübergehend) nicht (?:verfügbar|erreichbar)\s*(?:$|[-|.:!])
    """
)
OUT_OF_ORDER_BOILERPLATE: Final = _any_of(
    r"""
    maintenance|maintaining|upgrad|updat|improv
    \b(?:back|try) (?:soon|shortly|again|later)
    (?:unavailable|overloaded|offline|inconvenience|patience)
    \b(?:server|website|site|service|team)\b
    wartung|mantenimiento|manutenção|manutenzione|onderhoud
    """
)
ABOUT_PAYWALLS: Final = re.compile(r"\bpay-?walls?\b", re.IGNORECASE)
"""In the title of a paper on paywalls; a wall itself is not called one by its publisher."""
PAYWALL_TEXT: Final = _any_of(
    r"""
    preview of subscription content
    (?:purchase|buy|rent) (?:instant |full |online |short-term )?access
    (?:purchase|buy|rent) (?:this|the|full) (?:full )?(?:article|chapter|content|pdf)
    (?:purchase|buy) pdf
    get (?:full|instant|institutional) access
    (?:get|gain|obtain|check) access to (?:this|the) (?:full |whole )?(?:article|chapter|content|text)
    (?:full text|article|content) is (?:only )?available (?:only )?to (?:subscribers|members|registered)
    you (?:do not|don't) (?:currently )?have (?:access|a subscription) to (?:this|the)
    you (?:do not|don't) (?:currently )?have (?:access|a subscription)\s*(?:$|[.!])
    (?:subscribe|log ?in|sign ?in|register) (?:or \w+ (?:\w+ )?)?(?:now )?to (?:continue|unlock)
    (?:subscribe|log ?in|sign ?in|register) (?:or \w+ (?:\w+ )?)?(?:now )?to (?:read|view|access) (?:the|this|full)\b
    (?:article|content) is (?:only )?for (?:paying )?(?:subscribers|members)\b
    must (?:be logged|log|sign) in to (?:view|read|access) (?:this|the) (?:page|content|article|text)\b
    (?:continue|keep) reading (?:this \w+ )?(?:with|by) (?:\w+ ){0,2}(?:subscription|account|membership|trial)
    to (?:read|view|see|access) (?:the |this )?(?:full|rest|whole) [^.\n]{0,40}(?:subscribe|log ?in|sign ?in|register)\b
    you(?: have|'ve) (?:0|no|used|read|reached)[^.\n]{0,30} free (?:articles?|stories|pages|views)
    unlock (?:this|the|full|the full) (?:article|page|content|text|story|chapter)
    (?:rest|remainder) of (?:this|the) (?:article|page|text|content|chapter) is (?:for|available to|reserved)
    (?:members|subscribers|premium)[- ]only (?:content|article|page|area)
    """,
    other_languages.PAYWALL_TEXT,
)
PAYWALL_TEXT_AMBIGUOUS: Final = _any_of(
    r"""
    (?:access|log ?in|sign ?in) (?:through|via|with) (?:your |an )?(?:institution|organi[sz]ation|openathens|shibboleth)
    (?:subscribe|log ?in|sign ?in|register) (?:or \w+ (?:\w+ )?)?(?:now )?to (?:read|view|access)\s*(?:$|[.!:])
    already (?:a subscriber|have a subscription)
    (?<!no.)subscription (?:is )?required
    requires a (?:paid )?subscription
    you(?: have|'ve) reached your (?:free |monthly |article |reading )+limit
    """
)
OPEN_ACCESS_TEXT: Final = _any_of(
    r"""
    open[- ]access article
    creative commons
    \bcc[- ]by\b
    free full text
    free (?:pmc )?article
    """
)
NOT_FOUND_PATH: Final = re.compile(
    r"(?:^|[/_-])(?:(?:errors?|status|http)[/_-]?404|(?:page-?)?not-?found)(?:$|[/._-])|^/404(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
HOME_PATH: Final = re.compile(
    r"/?(?:(?:index|home|default)(?:\.\w{2,5})?|[a-z]{2}(?:[-_][a-z]{2})?(?:/(?:home)?)?)?/?", re.IGNORECASE
)
