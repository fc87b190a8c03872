"""Page states: each is reached by a page as the web has them, and a real page is not taken for one of them."""

import asyncio
import io
from functools import cache, partial

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from medreview.children.asking import ReadingLimits
from medreview.labels import PAGE_STATES
from medreview.sources.fetching.network import http_failure
from medreview.sources.page import read_page
from medreview.sources.page_reader import PageReader
from medreview.sources.reading.page_states import HOLDS_SOURCE, PageSigns, count_words, page_state
from tests.support.fetched import fetched

NAMES = ("Home", "Conditions", "Medicines", "Vaccines", "Pregnancy", "Children", "News", "About us", "Log in")
MENU = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in NAMES)
BANNER = """<div id="cookie-banner" class="cookie-consent"><p>We use cookies to make this website work and to improve
it.</p><button>Accept all cookies</button><button>Reject all</button><a href="/cookies">Manage preferences</a></div>"""
FACT = (
    "Adults with atrial fibrillation and a creatinine clearance of 15 to 29 mL/min should take apixaban 2.5 mg twice "
    "daily, and it is not recommended below 15 mL/min. Check renal function at least once a year in everyone. "
)
PROSE = "".join(f"<p>{FACT}Advice number {number} follows from the trial of that year.</p>" for number in range(40))


def page(content, *, title="Apixaban: dosing", heading="Apixaban", extra="", banner=BANNER):
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{extra}</head><body>
    <header><nav><ul>{MENU}</ul></nav></header>{banner}<main><h1>{heading}</h1>{content}</main>
    <footer><p>Cookies · Privacy · Terms · Copyright Example Health</p></footer></body></html>""".encode()


def read(body, *, url="https://health.example/medicines/apixaban", final=None, status=200, state=None, detail=""):
    if status != 200 and state is None:
        state, detail = http_failure(status)
    return read_page(fetched(body, url, final=final or "", status=status, state=state, detail=detail))


def read_in_no_time(body):
    return asyncio.run(PageReader(ReadingLimits(wall_seconds=0.0)).read(fetched(body)))


NOT_FOUND = """<p>Sorry, the page you are looking for might have been removed, had its name changed, or is temporarily
unavailable. Try the search, or go back to the home page and start again from the menu.</p>"""
CHALLENGE = b"""<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><div class="main-wrapper"><h1>
www.journal.example</h1><h2>Checking if the site connection is secure</h2><noscript>Enable JavaScript and cookies to
continue</noscript><p>www.journal.example needs to review the security of your connection before proceeding.</p></div>
<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></body></html>"""
APP = b"""<!doctype html><html><head><title>Drugs</title><script defer src="/static/main.js"></script></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>"""
CONSENT = b"""<html><head><title>Health Portal</title></head><body><div class="wall"><h2>We value your privacy</h2><p>We
and our 842 partners store and access personal data, such as cookies, on your device. By clicking Accept all you consent
to our use of cookies for personalised advertising and content. You may reject all or manage preferences at any time.
Some partners rely on legitimate interest.</p><button>Accept all</button><button>Manage preferences</button>
</div></body></html>"""
ABSTRACT = f"""<section><h2>Abstract</h2><p>{FACT * 4}</p></section><section class="paywall"><p>This is a preview of
subscription content, access via your institution.</p><h3>Access options</h3><p>Buy this article: instant access to the
full article PDF, 39.95 EUR.</p></section>"""


def pdf(*, password=None):
    """Three pages of a poster as pictures, each with its number; or a letter under a password."""
    out = io.BytesIO()
    lock = StandardEncryption(password, strength=128) if password else None
    canvas = Canvas(out, encrypt=lock)
    for number in range(3):
        canvas.setFillGray(0.9)
        canvas.rect(40, 60, 500, 700, fill=1)
        canvas.setFillGray(0)
        canvas.drawString(290, 30, f"Page {number}")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


CASES = {
    "ok": partial(read, page(PROSE)),
    "ok short": partial(read, page(f"<p>{FACT * 3}</p>")),
    "soft_404": partial(read, page(NOT_FOUND, title="Page not found | Example Health", heading="Page not found")),
    "soft_404 by its text": partial(read, page(NOT_FOUND, title="Example Health", heading="Sorry")),
    "soft_404 with a long page below": partial(
        read, page(NOT_FOUND + PROSE, title="404 - Example Health", heading="Sorry")
    ),
    "soft_404 by where it led": partial(
        read, page(PROSE, title="Health"), final="https://health.example/errors/404.html"
    ),
    "cookie_wall": partial(read, CONSENT),
    "paywall": partial(read, page(ABSTRACT, title="Apixaban in renal failure | Journal")),
    "paywall by its own data": partial(
        read,
        page(
            f"<p>{FACT * 3}</p>", extra='<script type="application/ld+json">{"isAccessibleForFree": "False"}</script>'
        ),
    ),
    "js_only": partial(read, APP),
    "js_only by its text": partial(
        read, page("<p>JavaScript is disabled in your browser. Please enable it.</p>", banner="")
    ),
    "bot_check": partial(read, CHALLENGE),
    "bot_check with status 403": partial(read, CHALLENGE, status=403),
    "bot_check by its text": partial(
        read,
        page("<p>Please confirm you are not a robot by completing the task. Case 9f3.</p>", heading="One more step"),
    ),
    "redirected_home": partial(read, page(PROSE, title="Example Health"), final="https://www.health.example/"),
    "redirected_home in a language": partial(read, page(PROSE, title="Health"), final="https://health.example/en/"),
    "thin": partial(
        read, b"<html><head><title>Apixaban</title></head><body><p>Apixaban 5 mg. Coming soon.</p></body></html>"
    ),
    "thin empty": partial(read, b""),
    "http_error": partial(read, page(NOT_FOUND, title="Page not found"), status=404),
    "given_with_the_answer": partial(
        read,
        b"Apixaban needs no change of dose.",
        status=None,
        state="given_with_the_answer",
        detail="It came with a17.",
    ),
    **{
        state: partial(read, b"Apixaban needs no change of dose.", status=None, state=state, detail="It was given.")
        for state in ("excerpt", "given_by_reviewer")
    },
    "timeout": partial(read, b"", status=None, state="timeout", detail="It did not send the page within 30 seconds."),
    "blocked": partial(read, b"", status=None, state="blocked", detail="Not a public address."),
    "too_large": partial(read, b"", state="too_large", detail="The page is larger than 15 MB; it was not read."),
    "unreadable": partial(read_in_no_time, page(PROSE)),
    "not_text": partial(read, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
    "not_text zip": partial(read, b"PK\x03\x04" + bytes(500)),
    "pdf_scan": partial(read, pdf()),
    "pdf_encrypted": partial(read, pdf(password="ward")),
    "not_text unnamed": partial(read, bytes(range(256)) * 20),
}
"""Pages by the state that each is in; read by the tests, not where they are collected."""


@cache
def case(name):
    return CASES[name]()


@pytest.mark.parametrize("name", CASES)
def test_state_and_evidence(name):
    got = case(name)
    assert got.state == name.split()[0], got
    assert bool(got.evidence) == (got.state != "ok")
    assert not got.evidence or got.evidence.endswith(".")


def test_every_state_is_reached():
    assert {name.split()[0] for name in CASES} == set(PAGE_STATES)
    assert set(PAGE_STATES) > HOLDS_SOURCE


def test_evidence_quotes_what_decided():
    assert "“Page not found”" in case("soft_404").evidence
    assert "“Just a moment”" in case("bot_check with status 403").evidence
    assert "preview of subscription content" in case("paywall").evidence
    assert "https" not in case("redirected_home").evidence
    assert "/medicines/apixaban" in case("redirected_home").evidence


def test_an_error_page_keeps_its_text_for_the_reader():
    assert "page you are looking for" in case("http_error").text


REAL = {
    "withdrawn drug": "<p>Ranitidine is no longer available in this country, and the article was moved. " + FACT * 3,
    "captcha study": "<p>Tests such as “I am not a robot” are hard for people with low vision. " + FACT * 8,
    "privacy": f"<p>Patients must consent to treatment, and their privacy is kept. {FACT * 3}</p>",
    "not found in a trial": f"<p>No effect was found in 404 patients; it was not found in women. {FACT * 3}",
    "access": f"<p>Patients get access to dialysis through their clinic; buy paracetamol over the counter. {FACT * 3}",
    "subscription": f"<p>Log in to see your results. {FACT * 3}</p>" + PROSE,
    "enable": f"<p>Enable patients to take part in decisions. {FACT * 3}",
}


@pytest.mark.parametrize("name", REAL)
def test_health_prose_is_not_taken_for_another_kind_of_page(name):
    got = read(page(REAL[name]))
    assert (got.state, got.evidence) == ("ok", "")


@pytest.mark.parametrize(
    "title",
    ["404 patients with sepsis: a cohort", "Access to care in rural regions", "Cookie-cutter care and its harms",
     "Infective endocarditis: organism not identified", "Human verification of AI summaries",
     "Privacy in telemedicine"],
)  # fmt: skip
def test_titles_of_real_pages(title):
    assert read(page(PROSE, title=title, heading=title)).state == "ok"


@pytest.mark.parametrize(
    ("asked", "got", "state"),
    [
        ("https://a.example/x/y", "https://a.example/x/z", "ok"),
        ("https://a.example/", "https://www.a.example/", "ok"),
        ("https://a.example", "https://www.a.example/en-GB/", "ok"),
        ("https://a.example/?p=12", "https://a.example/", "redirected_home"),
        ("https://a.example/x", "https://a.example/?p=12", "ok"),
        ("https://a.example/x", "https://b.example/index.html", "redirected_home"),
        ("https://a.example/x", "https://b.example/not-found", "soft_404"),
        ("https://a.example/isbn/404", "https://a.example/isbn/404", "ok"),
    ],
)
def test_where_a_redirect_led(asked, got, state):
    assert page_state(PageSigns(asked, got, FACT * 10))[0] == state


def test_words():
    assert count_words("") == 0
    assert count_words("| 30–44 | 1,000 mg | x |") == 5
    assert count_words("well-known 2.5 mg/kg isn't") == 5
    assert count_words("每日一次") == 4


def test_the_same_phrase_does_not_decide_in_a_long_page():
    phrase = "The page you requested could not be found."
    assert page_state(PageSigns("https://a.example/x", "https://a.example/x", phrase + FACT * 2))[0] == "soft_404"
    assert page_state(PageSigns("https://a.example/x", "https://a.example/x", phrase + FACT * 12))[0] == "ok"
