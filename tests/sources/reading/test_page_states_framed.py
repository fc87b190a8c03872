"""Pages that are not the source, with the menus, footers and lists of other pages that real sites put around them; and
honest pages in the same frames whose words look like theirs."""

import pytest

from medreview.sources.page import read_page
from tests.support.fetched import fetched

PLACES = (
    "Heart and circulation", "Kidneys and bladder", "Skin, hair and nails", "Bones and joints", "Pregnancy and birth",
    "Children and young people", "Mental health", "Medicines A to Z", "Vaccinations", "Healthy eating", "Sleep",
    "Diabetes", "Asthma", "Cancer", "Stroke", "First aid", "Find a pharmacy", "Find a hospital", "Our services",
)  # fmt: skip
LINKS = "".join(f'<li><a href="/{place}">{place}</a></li>' for place in PLACES)
TEASERS = "".join(
    f'<div class="teaser"><h3><a href="/{place}">{place}</a></h3><p>What {place.lower()} have to do with how you feel, '
    "and what you can do about it yourself.</p></div>"
    for place in PLACES[:8]
)
LEGAL = (
    "Example Health gives information and does not take the place of a doctor. In an emergency call an ambulance. " * 6
)


def portal(title, heading, text, after=""):
    """A portal with menus by their elements and a large footer."""
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body><header>
    <a href="/">Example Health</a><nav><ul>{LINKS}</ul></nav></header><div id="cookie-banner"><p>We use cookies to make
    this website work.</p><button>Accept all cookies</button></div><main><h1>{heading}</h1>{text}</main>{after}<footer>
    <ul>{LINKS}</ul><p>{LEGAL}</p></footer></body></html>"""


def popular(title, heading, text, after=""):
    """A site that lists its most read pages, with a line on each, below what it has to say."""
    return f"""<!DOCTYPE html><html><head><title>{title}</title></head><body><div class="site-header"><ul class="menu">
    {LINKS}</ul></div><div class="content"><h1>{heading}</h1>{text}<h2>Popular pages</h2>{TEASERS}<h2>All topics</h2>
    <ul>{LINKS}</ul></div>{after}<div class="site-footer"><p>{LEGAL}</p></div></body></html>"""


def soup(title, heading, text, after=""):
    """A site builder's page: no element says what it is."""
    menu = "".join(f'<div class="c{place}"><a href="/{place}">{place}</a></div>' for place in range(40))
    return f"""<html><head><title>{title}</title></head><body><div id="r"><div class="a1"><div class="b2">{menu}</div>
    </div><div class="a2"><div class="x"><h2>{heading}</h2></div><div class="y">{text}</div></div>{after}<div
    class="a9"><div class="c1">{LEGAL}</div></div></div></body></html>"""


FRAMES = {maker.__name__: maker for maker in (portal, popular, soup)}


def read_framed(body, *, content_type="text/html; charset=utf-8"):
    return read_page(fetched(body, "https://health.example/medicines/apixaban", content_type))


MISSING = [
    ("Page not found | Example Health", "Page not found", "<p>Check the address and try again.</p>"),
    ("Example Health", "Sorry, we couldn't find what you were looking for", "<p>Try one of the pages below.</p>"),
    ("Example Health", "We can't seem to find that page", "<p>It may have a new address.</p>"),
    ("Example Health", "This page has moved", "<p>Our website has changed. Please update your bookmarks.</p>"),
    ("Error", "Error", "<p>The requested resource could not be located on this server.</p>"),
    ("Example Health", "Hmm. Nothing to see here", "<p>The link may be broken, or the page may have been removed.</p>"),
    ("Example Health", "Content unavailable", "<p>The content you requested is no longer available.</p>"),
    ("Example Health", "Oops!", "<p>The page you are looking for was removed, or its name was changed.</p>"),
    ("Search | Example Health", "Search results", "<p>Your search for “apixaban renal” returned 0 results.</p>"),
    ("Example Health", "404", "<p>Please go back to the home page.</p>"),
    ("Object moved", "Object moved", "<p>This document may be found <a href='/'>here</a>.</p>"),
    ("Gesundheit", "Diese Seite gibt es nicht mehr", "<p>Bitte nutzen Sie die Suche.</p>"),
    ("Gesundheit", "Hoppla!", "<p>Die gesuchte Seite wurde verschoben oder gelöscht.</p>"),
    ("Santé", "Oups, cette page n'existe plus", "<p>Retournez à l'accueil.</p>"),
    ("Salud", "Esta página ya no está disponible", "<p>Use el buscador.</p>"),
    ("Saúde", "Página não encontrada", "<p>Volte ao início.</p>"),
    ("Salute", "Questa pagina non esiste più", "<p>Torna alla pagina iniziale.</p>"),
    ("Zorg", "Deze pagina bestaat niet meer", "<p>Ga terug naar de startpagina.</p>"),
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("parts", MISSING, ids=lambda parts: parts[1])
def test_not_found_is_told_within_menus_and_lists_of_other_pages(parts, frame):
    page = read_framed(FRAMES[frame](*parts))
    assert page.state == "soft_404", page.evidence
    assert page.evidence.endswith(".")


DOSE = (
    "Adults with atrial fibrillation take apixaban 5 mg twice daily. With a creatinine clearance of 15 to 29 mL/min "
    "the dose is 2.5 mg twice daily, and below 15 mL/min it is not recommended. "
)
CONSENT = """<p>We and our 842 partners store and access data on your device. With your permission we may use precise
location and identify you by scanning the device.</p><ul><li>Store and access information on a device</li><li>Develop
and improve services</li><li>Measure the audience and how content performs</li><li>Create a profile for personalised
ads</li></ul><p>Your choice holds for this website only. You can change it at any time.</p><button>Accept all</button>
<button>Reject all</button><button>More options</button>"""
OTHERS = {
    "a wall that asks for consent": (
        "cookie_wall", "<title>Example Health</title><body><div class=wall><h2>We value your privacy</h2>" + CONSENT
    ),
    "a wall in a window over an empty page": (
        "cookie_wall",
        f"""<title>Example Health</title><body><div id=app></div><div class="cmp-modal consent" role=dialog><h2>Before
        you continue</h2>{CONSENT}</div><footer>{LEGAL}</footer>""",
    ),
    "a teaser with a paywall": (
        "paywall",
        portal("Apixaban | Journal", "Apixaban in renal failure", f"""<p>{DOSE}</p><div class="paywall"><h3>Continue
        reading with a subscription</h3><p>From 9 EUR.</p></div>""", f"<div class=most-read>{TEASERS * 4}</div>"),
    ),
    "a paywall on a site builder": (
        "paywall",
        soup("Apixaban", "Apixaban in renal failure", f"<p>{DOSE}</p><p>To read the full text, please subscribe.</p>",
             TEASERS * 4),
    ),
    "free articles used up": (
        "paywall", popular("Apixaban", "Apixaban", f"<p>{DOSE}</p><p>You have 0 free articles left this month.</p>")
    ),
    "unlock": ("paywall", portal("Apixaban", "Apixaban", f"<p>{DOSE}</p><p>Unlock this article for 2 EUR.</p>")),
    "a form that asks for a password": (
        "paywall",
        portal("Sign in | Guidelines", "Sign in", """<form action=/l><label>E-mail</label><input name=u><label>Password
        </label><input type=password><button>Sign in</button></form><p>Forgotten your password?</p>"""),
    ),
    "a proof of being human": (
        "bot_check", soup("Security check", "Security check", "<p>Please verify you are human to continue.</p>")
    ),
    "an empty application": (
        "js_only",
        f"""<title>Drugs</title><body><nav><ul>{LINKS}</ul></nav><div id=root>Loading...</div><footer>{LEGAL}</footer>
        <script src=/a.js></script>""",
    ),
    "an application that says what it needs": (
        "js_only",
        f"""<title>Drugs</title><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root>
        </div><div class=site-footer>{LEGAL}<ul>{LINKS}</ul></div><script src=/a.js></script>""",
    ),
    "maintenance": (
        "http_error",
        portal("Scheduled maintenance", "We'll be back soon", "<p>The website is down for scheduled maintenance.</p>"),
    ),
    "a server that has too much to do": (
        "http_error", soup("Service unavailable", "Service temporarily unavailable", "<p>Please try again later.</p>")
    ),
    "a service out of order, in Portuguese": (
        "http_error", soup("Serviço indisponível", "Serviço temporariamente indisponível", "<p>Tente mais tarde.</p>")
    ),
    "a number in place of a heading": (
        "soft_404",
        f"""<title>Example Health</title><body><nav><ul>{LINKS}</ul></nav><main><p>404</p><p>This content has been
        removed or has expired.</p><p><a href=/>Home</a></p></main><footer>{LEGAL}</footer>""",
    ),
    "a page that sends its reader home": (
        "redirected_home",
        "<title>Example Health</title><meta http-equiv=refresh content='0; url=/'><body><p>You are being sent on.</p>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_pages_that_are_not_the_source(name):
    state, body = OTHERS[name]
    page = read_framed(body)
    assert page.state == state, page
    assert page.evidence.endswith(".")


PROSE = f"<p>{DOSE}Check renal function at least once a year in everyone who takes it, and more often in the old.</p>"
HONEST = [
    ("404 mg and other odd doses", "404 mg and other odd doses", f"<p>404 mg is 15 mg/kg for 27 kg.</p>{PROSE}"),
    ("Paying for insulin", "Subscription models of care", f"<p>Some clinics offer a subscription. Members subscribe to "
     f"read their results on a phone.</p>{PROSE * 2}"),
    ("Cookies", "Cookies and tracking on health websites", "<p>Most health websites use cookies. Visitors accept all "
     f"cookies in nine of ten cases, and few reject them.</p>{PROSE * 3}"),
    ("Paywalls in medicine", "Paywalls in medical publishing", "<p>Who meets a paywall is asked to subscribe to read "
     f"the full text, or to purchase access.</p>{PROSE * 3}"),
    ("Page 404 of the manual", "Page 404", f"<p>404</p>{PROSE}"),
    ("Coding guideline", "Coding of drug leaflets", f"{PROSE}<h2>Page not found in index</h2><p>Write to the registry "
     f"when a leaflet is not found.</p>{PROSE}"),
    ("Ranitidine", "Ranitidine is no longer available", f"<p>The medicine was removed from sale in 2020.</p>{PROSE}"),
    ("Missing tablets", "What if a tablet is not found in the box?", PROSE * 2),
    ("Moved to another ward", "When your relative has been moved", PROSE * 2),
    ("Sorry", "Sorry: how to speak after an error", PROSE * 2),
    ("Maintenance dose", "Maintenance treatment: when to stop", f"<p>Scheduled maintenance follows.</p>{PROSE * 2}"),
    ("Search", "No results found for a cause", f"<p>In one of five no cause is found.</p>{PROSE * 2}"),
    ("Sign in sheet", "Log in your blood pressure", f"<p>Sign in to your diary every day.</p>{PROSE * 2}"),
    ("Hidden login", "Apixaban", f"{PROSE}<div style='display:none'>Subscribe to continue reading.</div>"),
    ("Member login", "Apixaban", f"{PROSE * 2}<form><input type=password><button>Log in</button></form>"),
    ("Short page", "Apixaban", PROSE),
    ("Service unavailable at night", "Where emergency services are unavailable", PROSE * 2),
    ("Mehr", "Diese Seite der Lunge gibt es nicht mehr", f"<p>Die rechte Seite wurde entfernt.</p>{PROSE * 2}"),
    ("Human check-ups", "Are you human? Empathy on the ward", PROSE * 2),
]  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("parts", HONEST, ids=lambda parts: parts[1])
def test_honest_pages_in_the_same_frames_are_ok(parts, frame):
    page = read_framed(FRAMES[frame](*parts))
    assert (page.state, page.evidence) == ("ok", "")


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-16-le", "utf-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "utf-16"), ("utf-16-be", "utf-16be")],
)
@pytest.mark.parametrize("is_html", [True, False])
def test_utf_16_that_only_the_header_declares_is_text(encoding, name, is_html):
    text = portal("Apixaban", "Apixaban", PROSE) if is_html else f"Apixaban – dosing\n{DOSE * 3}"
    kind = f"text/{'html' if is_html else 'plain'}; charset={name}"
    page = read_page(fetched(text.encode(encoding), content_type=kind))
    assert page.state == "ok", page.evidence
    assert "creatinine clearance of 15 to 29 mL/min" in page.text
    assert page.title.startswith("Apixaban")


def test_other_bytes_that_the_header_calls_utf_16_are_told_by_themselves():
    for body, state in ((portal("Apixaban", "Apixaban", PROSE).encode(), "ok"), (bytes(range(256)) * 30, "not_text")):
        page = read_page(fetched(body, content_type="text/html; charset=utf-16"))
        assert page.state == state
