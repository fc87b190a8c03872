"""Hosts, what they lie below, and the lists in data."""

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations import hosts
from medreview.citations.hosts import host_of, paywalled_domains, registrable, top_level, under, us_by_rule
from medreview.errors import UserError


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.MayoClinic.org/a?b=1#c", "mayoclinic.org"),
        ("http://user:pass@www.nhs.uk:8080/", "nhs.uk"),
        ("https://wwwnc.cdc.gov/travel", "wwwnc.cdc.gov"),
        ("https://www.com/", "www.com"),
        ("https://nejm.org./x", "nejm.org"),
        ("https://WWW.NHS.UK./Conditions", "nhs.uk"),
        ("https://bücher.de/", "xn--bcher-kva.de"),
        ("https://xn--bcher-kva.de/", "xn--bcher-kva.de"),
        ("ftp://nejm.org/", ""),
        ("", ""),
    ],
)
def test_a_host_is_counted_under_one_name(url, host):
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("host", "tld", "name", "us"),
    [
        ("pubmed.ncbi.nlm.nih.gov", "gov", "nih.gov", True),
        ("bnf.nice.org.uk", "uk", "nice.org.uk", False),
        ("111.wales.nhs.uk", "uk", "wales.nhs.uk", False),
        ("gov.uk", "uk", "gov.uk", False),
        ("health.nsw.gov.au", "au", "nsw.gov.au", False),
        ("gelbe-liste.de", "de", "gelbe-liste.de", False),
        ("notco.uk", "uk", "notco.uk", False),
        ("hill.leeds.sch.uk", "uk", "hill.leeds.sch.uk", False),
        ("clinic.gv.at", "at", "clinic.gv.at", False),
        ("moh.gov.jo", "jo", "moh.gov.jo", False),
        ("hospital.city.kawasaki.jp", "jp", "city.kawasaki.jp", False),
        ("hospital.ward.kawasaki.jp", "jp", "hospital.ward.kawasaki.jp", False),
        ("anna.github.io", "io", "github.io", False),
        ("bucket.s3.amazonaws.com", "com", "amazonaws.com", True),
        ("leaflets.made-up.zzz", "zzz", "made-up.zzz", False),
        ("com", "", "", None),
        ("a.b.xn--p1ai", "xn--p1ai", "b.xn--p1ai", False),
        ("a.b.xn--55qx5d.cn", "cn", "b.xn--55qx5d.cn", False),
        ("a.xn--no-such-label.org", "org", "xn--no-such-label.org", True),
        ("127.0.0.1", "", "", None),
        ("[2001:db8::1]", "", "", None),
        ("0x7f.1", "", "", None),
        ("localhost", "", "", None),
        ("records.hospital.local", "", "", None),
        ("renal-dosing.example", "", "", None),
        ("bad..org", "", "", None),
        ("-x.org", "", "", None),
        (".".join(["a" * 60] * 5) + ".org", "", "", None),
        ("", "", "", None),
    ],
)
def test_what_a_name_tells_by_itself(host, tld, name, us):
    assert (top_level(host), registrable(host), us_by_rule(host)) == (tld, name, us)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("nejm.org", "nejm.org"),
        ("evidence.nejm.org", "nejm.org"),
        ("notnejm.org", None),
        ("nejm.org.example", None),
        ("org", None),
        ("", None),
    ],
)
def test_below_a_domain_means_at_a_dot(host, found):
    assert under(host, {"nejm.org", "ncbi.nlm.nih.gov"}) == found


LABELS = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), min_size=1, max_size=4).map(".".join)


@given(host=LABELS, domains=st.sets(LABELS, max_size=4))
def test_under_agrees_with_its_definition(host, domains):
    holding = [domain for domain in domains if host == domain or host.endswith(f".{domain}")]

    assert under(host, domains) == max(holding, key=len, default=None)


def test_the_lists_that_come_with_the_program_are_clean():
    listed = tomllib.loads(files("medreview.citations").joinpath("paywalled.toml").read_text())["domains"]
    names = tomllib.loads(files("medreview.citations").joinpath("domains.toml").read_text())
    reserved = names["reserved"]

    assert paywalled_domains() == set(listed)
    assert len(set(listed)) == len(listed)
    assert names["us"] == ["com", "org", "gov", "edu", "info", "net"]
    assert [registrable(f"a.{name}") for name in reserved] == [""] * len(reserved)


def test_the_suffix_list_is_never_fetched(monkeypatch):
    """Without its file the package would ask publicsuffix.org, and no command has said that it uses the network."""
    asked = []
    monkeypatch.setattr("tld.base.urlopen", asked.append)
    monkeypatch.setattr("tld.utils.MozillaPublicOnlyTLDSourceParser.local_path", "res/missing.txt")
    hosts._suffix_length.cache_clear()

    with pytest.raises(UserError, match="install that package anew"):
        registrable("nice.org.uk")
    assert asked == []
    monkeypatch.undo()
    hosts._suffix_length.cache_clear()
    assert registrable("bnf.nice.org.uk") == "nice.org.uk"


def test_an_own_list(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text('domains = ["www.Journal.org", "bücher.de"]\n')

    assert paywalled_domains(own) == {"journal.org", "xn--bcher-kva.de"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("domains = [", "not valid TOML"),
        ("\x00", "not valid TOML"),
        ("", "must hold one list"),
        ('domains = "nejm.org"', "must hold one list"),
        ('domains = []\ndomain = ["nejm.org"]', "must hold one list"),
        ('domains = ["https://nejm.org/"]', "'https://nejm.org/' is no domain"),
        ('domains = ["nejm.org/doi"]', "is no domain"),
        ('domains = ["org"]', "is no domain"),
        ('domains = ["*.nejm.org"]', "is no domain"),
        ("domains = [7]", "'7' is no domain"),
    ],
)
def test_a_wrong_list_is_one_sentence(tmp_path, text, said):
    own = tmp_path / "mine.toml"
    if text is not None:
        own.write_text(text)
    with pytest.raises(UserError, match=r"mine\.toml") as caught:
        paywalled_domains(own)

    assert said in str(caught.value)
