"""Real pages of medicine that speak of cookies, payment, missing pages, scripts and robots: all of them are ``ok``."""

import pytest

from tests.support.fetched import read

DOSE = (
    "Adults with cellulitis take planticillin 500 mg by mouth four times a day for five to seven days, and go on "
    "for longer only when the skin has not settled by then."
)
CARE = (
    "Draw a line around the edge of the redness, keep the leg raised, and come back at once when the fever rises, the "
    "pain grows out of measure, or blisters and dark patches show on the skin."
)
TRIAL = (
    "In a trial of 412 adults the cure rate was 88% after one dose a day and 89% after two doses a day, a difference "
    "of 1.5 points (95% CI -4.7 to 7.6), and two in a hundred stopped because of a rash."
)
KIDNEY = (
    "When the clearance of creatinine is below 30 mL/min the dose is halved, and below 10 mL/min the medicine is not "
    "given at all; levels are then taken on the third day, before the morning dose."
)
SHORT = (DOSE, CARE, TRIAL)  # about 100 words
MIDDLE = (*SHORT, KIDNEY, DOSE, CARE)  # about 210 words
LONG = (*MIDDLE, TRIAL, KIDNEY) * 5  # about 1,400 words


def blog(title, texts, before="", after=""):
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} | Ward Notes</title>
    <meta name="viewport" content="width=device-width"></head><body class="post-template"><a class="skip" href="#main">
    Skip to content</a><header class="site-header"><a href="/">Ward Notes</a><nav aria-label="Main"><a href="/az">A to
    Z</a><a href="/tools">Tools</a></nav></header>{before}<main id="main"><article><h1>{title}</h1>
    {"".join(f"<p>{text}</p>" for text in texts)}</article></main><footer>{after}<p>&copy; Ward Notes</p></footer>
    <script src="/a.js"></script></body></html>"""


def old(title, texts, before="", after=""):
    return f"""<html><head><title>{title}</title></head><body bgcolor=white><table width=100%><tr><td width=20%><a
    href=/>Home</a><br><a href=/search>Search</a><td>{before}<h1>{title}</h1>{"".join(f"{text}<p>" for text in texts)}
    <hr><font size=1>{after} Last changed in 2019</font></table></body></html>"""


def journal(title, texts, before="", after=""):
    return f"""<!DOCTYPE html><html lang="en"><head><title>{title} - Plant Journal</title><meta name="citation_title"
    content="{title}"></head><body><div id="root-header" class="hd"><ul class="menu"><li><a
    href="/issue">Issues</a></li>
    <li><a href="/about">About</a></li></ul>{before}</div><div class="content-wrap"><div class="article"><h1
    class="title">{title}</h1><div class="authors">Alder A, Birch B</div><section class="abstract"><h2>Abstract</h2>
    {"".join(f'<div class="para"><strong>Part {place}.</strong> {text}</div>' for place, text in enumerate(texts, 1))}
    </section></div></div><div class="ft">{after}<a href="/privacy">Privacy</a></div></body></html>"""


def leaflet(title, texts, before="", after=""):
    items = "".join(f"<li>{text}</li>" for text in texts[1:])
    return f"""<!doctype html><html lang="en-GB"><head><title>{title}</title></head><body>{before}<div
    class="container">
    <div class="row"><div class="col"><h1>{title}</h1><p>{texts[0]}</p><h2>What to do</h2><ul>{items}</ul></div></div>
    </div><div class="bottom"><small>{after}</small></div></body></html>"""


MAKERS = {maker.__name__: maker for maker in (blog, old, journal, leaflet)}

COOKIES = """<div id="onetrust-banner"><h2>We value your privacy</h2><p>We use cookies to make this site work.
    Accept all
cookies or manage preferences.</p><button>Accept all</button></div>"""
SCRIPT = "<div class='alert'>To use the sharing features on this page, please enable JavaScript.</div>"
NEEDS = """<noscript>This site needs JavaScript to work properly. Please enable it.</noscript><p class="usa-alert">This
site needs JavaScript to work properly. Please enable it to take advantage of the complete set of features!</p>"""
LOGIN = """<a href="/login">Log in via your institution</a> <a href="/ss">Sign in to access your saved searches</a>"""
OPEN = "This is an open access article distributed under the Creative Commons licence CC BY 4.0."

# name: title, paragraphs, what stands above, what stands below
PAGES = {
    "banner": ("Cellulitis", SHORT, COOKIES, ""),
    "footer on cookies": ("Cellulitis", SHORT, "", "We use cookies. Cookies must be enabled to log in."),
    "cookie dough": ("Raw cookie dough", ("Do not accept cookies that are raw in the middle.", *SHORT), "", ""),
    "privacy in the clinic": ("Your privacy in the clinic", ("We ask for your consent first.", *MIDDLE), "", ""),
    "sharing by script": ("Cellulitis", SHORT, SCRIPT, ""),
    "features by script": ("Once-daily planticillin", SHORT, NEEDS, ""),
    "calculator by script": (
        "Dose finder", (*SHORT, "The calculator requires JavaScript; the doses are in the list above as well."), "", "",
    ),
    "script in the footer": ("Cellulitis", MIDDLE, "", "JavaScript is disabled in your browser."),
    "survey of bots": (
        "Are you a bot? False answers in online surveys of health",
        ("We asked people to prove that you are human, as the form put it, and to complete the captcha.",
        *LONG), "", "",
    ),
    "captchas": (
        "Captchas and low vision", ("A box says “I'm not a robot” and a picture must be read.", *MIDDLE,
        *SHORT), "", "",
    ),
    "access denied": ("Access denied - how migrants are kept from care", LONG, "", ""),
    "security check": ("Security check: identity in the blood bank", LONG, "", ""),
    "oops": ("Oops! Ten errors of prescribing", LONG, "", ""),
    "404 in a title": ("404 not found: missing data in trials", LONG, "", ""),
    "404 in the title of an abstract": ("404 not found: missing data in trials", MIDDLE, "", ""),
    "404 patients": ("Cellulitis in 404 adults", ("An error was found in 404 of the forms.", *SHORT), "", ""),
    "not found in a text": (
        "Search for the cause", ("The organism could not be found, and the document was removed from the file.", *LONG),
        "", "",
    ),
    "moved": ("Hip pain", ("The article of the joint may have moved forward.", *LONG), "", ""),
    "broken link in the footer": ("Cellulitis", LONG, "", "Is a link broken? Tell us which page was not found."),
    "a drug that is gone": ("Ranitidine is no longer available", ("It was removed in 2020.", *MIDDLE), "", ""),
    "limit of drinking": (
        "Alcohol and you", ("Stop for the day when you have reached your daily limit of two drinks.", *MIDDLE), "", "",
    ),
    "no subscription": ("Cellulitis", ("No subscription is required to read this guideline.", *MIDDLE), "", ""),
    "open letter": ("Planticillin once a day: a letter", (OPEN, *MIDDLE), LOGIN, ""),
    "results of patients": ("Blood tests", MIDDLE, '<a href="/p">Log in to view your test results</a>', ""),
    "newsletter": ("Cellulitis", MIDDLE, "", "Subscribe to our newsletter. Register to access courses."),
    "buying medicines": ("Paracetamol", ("You can buy the full pack of 32 only in a pharmacy.", *MIDDLE), "", ""),
    "access to care": ("Dialysis", ("Patients get access to the full treatment through their clinic.",
    *MIDDLE), "", ""),
    "unusual activity": ("Epilepsy", ("The trace shows unusual activity from your brain.", *SHORT), "", ""),
    "checking": ("Falls", ("Make sure you are not a danger to yourself when you get up at night.", *SHORT), "", ""),
    "blocked": ("Stents", ("A vessel may be blocked again; if you have been blocked before, say so.", *MIDDLE), "", ""),
    "before you continue": ("Before you continue with statins", MIDDLE, "", ""),
    "human verification": ("Human verification of summaries", LONG, "", ""),
}  # fmt: skip


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", PAGES)
def test_a_real_page_is_ok(name, maker):
    got = read(MAKERS[maker](*PAGES[name]), "https://ward.example/skin/cellulitis")
    assert (got.state, got.evidence) == ("ok", "")
    assert "412 adults" in got.text


MENU = "".join(
    f'<li><a href="/{name}">{name}</a></li>' for name in ("Home", "Topics", "Journals", "Courses", "Sign in")
)


def plain(title, *paragraphs, menu=False, extra=""):
    listed = "".join(f"<p>{text}</p>" for text in paragraphs)
    top = f"<nav><ul>{MENU}</ul></nav>" if menu else ""
    return f"""<!DOCTYPE html><html><head><title>{title}</title></head><body>{top}<div
    class="c"><h1>{title}</h1>{listed}
    </div>{extra}<footer><p>Terms · Privacy · Cookies</p></footer></body></html>"""


# state: pages that are not the source, each as one kind of server words it
WALLS = {
    "bot_check": {
        "firewall": plain(
            "Attention Required! | Shield", "Sorry, you have been blocked. You are unable to access ward.example.",
            "Why have I been blocked? This website uses a security service against online attacks. What you "
            "just did set "
            "it off. Several actions could do so, such as sending a certain word, an SQL command or malformed data.",
            "What can I do? Write to the site owner that you were blocked. Say what you were doing when this "
            "page came up "
            "and give the Ray ID at the bottom of this page. Ray ID: 8f0 · Your IP address: 192.0.2.7 · "
            "Performance and "
            "security by Shield",
        ),
        "edge": plain(
            "Access Denied", 'You don\'t have permission to access "http://ward.example/skin" on this server.',
            "Reference #18.2f1c1402.1700000000.1a2b3c4d",
        ),
        "interruption": plain(
            "Pardon Our Interruption", "Something about your browser made us think that you might be a bot. "
            "There are a few "
            "reasons: you are moving through this site with the speed of a robot; you have cookies switched off "
            "in your "
            "browser; a browser plug-in keeps JavaScript from running. To get back in, make sure that cookies and "
            "JavaScript are on before you load the browser page again.",
        ),
        "press and hold": plain(
            "ward.example", "Access to this page has been denied because we believe you are using automation "
            "tools to browse "
            "the site.", "Please verify you are human: press and hold the button.", "Reference ID: 1f2e3d",
        ),
        "captcha": plain(
            "Journal of Planted Medicine", "Our systems have seen unusual traffic from your network. Complete "
            "the captcha "
            "below to go on reading.", "IP address: 192.0.2.8", menu=True,
        ),
    },
    "js_only": {
        "root element": "<html><head><title>Trials</title></head><body><trial-root></trial-root><script "
        "src=m.js></script>",
        "loading": """<html><head><title>Trials</title></head><body><div id="root"><div
        class="spin">Loading...</div></div>
        <script src="m.js"></script></body></html>""",
        "words": plain("Drug finder", "This application requires JavaScript. Please turn on JavaScript in your "
        "browser."),
    },
    "cookie_wall": {
        "absent": plain(
            "Cookies are absent", "This site needs cookies to work. Your browser does not take cookies, or they are "
            "disabled. Enable cookies in the settings of your browser and load the page again.",
        ),
        "consent": plain(
            "We value your privacy", "We and our partners use cookies to store and read data on your device for "
            "personalised advertising. You may accept all or manage preferences; consent can be withdrawn.",
        ),
    },
    "soft_404": {
        "moved": plain(
            "Content not found", "Sorry, the page you requested is no longer here. It may have moved when we "
            "rebuilt our "
            "site. Use the search box or the site map.", menu=True,
        ),
        "oops": plain("Oops!", "We can't find that page. Check the web address or go to our home page.", menu=True),
        "number": plain("404", "The link you followed may be broken.", *SHORT, menu=True),
        "long": plain("Page not found", "Popular pages", *LONG, menu=True),
        "article": plain("Plant Journal", "The article you are looking for could not be found.", menu=True),
    },
    "paywall": {
        "buy": journal("Planticillin", MIDDLE, "", "<div>Get full access to this article. Purchase access: 38 "
        "EUR</div>"),
        "institution": journal("Planticillin", MIDDLE, "", "<a href=/i>Access through your institution</a>"),
        "subscriber": blog("Planticillin", SHORT, "", "<p>Already a subscriber? Log in to continue.</p>"),
        "register": blog("Planticillin", SHORT, "", "<p>Register or sign in to read the full article.</p>"),
    },
    "thin": {"stub": plain("Planticillin", "This monograph is being written."), "frame": "<html><body><img "
    "src=x>a picture"},
}  # fmt: skip


@pytest.mark.parametrize(("state", "name"), [(state, name) for state in WALLS for name in WALLS[state]])
def test_a_page_that_is_not_the_source_is_told(state, name):
    got = read(WALLS[state][name], "https://ward.example/skin/cellulitis")
    assert got.state == state, (got.evidence, got.text)
    assert got.evidence.endswith(".")


@pytest.mark.parametrize(
    ("asked", "led", "state"),
    [
        ("https://doi.org/10.1000/404", "https://journal.example/doi/10.1000/404", "ok"),
        ("https://doi.org/10.1000/x", "https://journal.example/content/404/8474/12", "ok"),
        ("https://ward.example/measles", "https://measles.example/", "ok"),
        ("https://ward.example/skin", "https://ward.example/error/404", "soft_404"),
        ("https://ward.example/skin", "https://ward.example/404.html", "soft_404"),
        ("https://ward.example/skin", "https://www.ward.example/en/", "redirected_home"),
        ("https://old.example/skin.html", "https://new.example/", "redirected_home"),
    ],
)
def test_where_a_real_page_may_lead(asked, led, state):
    assert read(blog("Cellulitis", LONG), asked, final=led).state == state
