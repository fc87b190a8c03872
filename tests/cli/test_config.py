"""``config`` shows, checks, explains and writes settings, each from the one table."""

import json
import os
import shlex
import stat

import pytest

from medreview.config import SETTINGS, load_config
from medreview.llm.settings import SETTINGS as JUDGE
from tests.support.commands import own_settings

JUDGE_TABLE = '[judges.near]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "NEAR_KEY"\n'


def shown(medreview, check=0):
    return json.loads(medreview("config", "--json", check=check).stdout)


def by_name(report):
    return {value["name"]: value for value in report["settings"]}


def test_every_setting_is_shown_with_its_value_its_file_and_what_it_is_for(medreview, tmp_path):
    own = own_settings(
        tmp_path, f'reviewer = "kb"\ntheme = "light"\n[keys]\ndefer = "F9"\n{JUDGE_TABLE}timeout = 120\n'
    )
    (tmp_path / "medreview.toml").write_text('theme = "ansi"\n')

    values = by_name(shown(medreview))

    assert {name.partition(".")[0] for name in values} == set(SETTINGS)
    assert {
        name: (it["value"], it["origin"], it["file"]) for name, it in values.items() if it["origin"] != "default"
    } == {
        "reviewer": ('"kb"', "own", str(own)),
        "theme": ('"ansi"', "here", "medreview.toml"),
        "keys.defer": ('"F9"', "own", str(own)),
        "judges.near.model": ('"m"', "own", str(own)),
        "judges.near.base_url": ('"http://127.0.0.1:9/v1"', "own", str(own)),
        "judges.near.api_key_env": ('"NEAR_KEY"', "own", str(own)),
        "judges.near.timeout": ("120", "own", str(own)),
    }
    assert values["mouse"]["value"] == "true"
    assert all(it["help"] for it in values.values())
    lines = medreview("config").stdout.splitlines()
    assert max(map(len, lines[2:])) <= 80  # what is above are paths
    assert 'theme = "ansi"   (this folder\'s file)' in lines


def test_keys_of_a_folder_take_the_place_of_ones_own_and_what_is_shown_is_what_holds(medreview, tmp_path, monkeypatch):
    own_settings(tmp_path, '[keys]\ndefer = "F9"\n[services]\ndoi = "https://mine.example"\n')
    (tmp_path / "medreview.toml").write_text('[keys]\nundo = "F9"\n[services]\ndoi = "https://theirs.example"\n')

    values = by_name(shown(medreview))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    assert load_config().keys == {"undo": "F9"}
    assert {name for name in values if name.startswith("keys")} == {"keys.undo"}
    assert (values["services.doi"]["value"], values["services.doi"]["origin"]) == ('"https://mine.example"', "own")


def test_a_password_or_key_is_never_shown_but_whether_it_is_set(medreview, tmp_path, monkeypatch):
    own_settings(tmp_path, f'proxy = "http://kb:hunter22@proxy.example:3128"\n{JUDGE_TABLE}')
    monkeypatch.setenv("NEAR_KEY", "a-key-that-nobody-may-see")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)

    told = (
        medreview("config").stdout
        + medreview("config", "--json").stdout
        + medreview("config", "explain", "proxy").stdout
    )

    assert "hunter22" not in told
    assert "nobody-may-see" not in told
    assert "NEAR_KEY: set" in told
    assert "NCBI_API_KEY: not set" in told
    for name, value in (("judges.near.api_key", "sk-very-secret"), ("judges.near.api_key_env", "sk-very-secret")):
        assert "very-secret" not in medreview("config", "set", name, value, check=2).stderr
    assert "very-secret" not in medreview("config", "set", "ascii", "sk-very-secret", check=2).stderr


def test_what_an_untrusted_folder_says_of_keys_and_texts_is_named_as_not_used(medreview, tmp_path):
    (tmp_path / "medreview.toml").write_text('ascii = true\nproxy = "http://127.0.0.1:9"\n' + JUDGE_TABLE)

    report = shown(medreview)
    assert report["untrusted"] == ["proxy", "judges.near"]
    assert {value["name"] for value in report["settings"] if not value["used"]} == {
        *("proxy", "judges.near.model", "judges.near.base_url", "judges.near.api_key_env")
    }
    assert "NOT TRUSTED and not used" in medreview("config").stdout

    medreview("config", "trust", "--yes")
    assert all(value["used"] for value in shown(medreview)["settings"])


def test_every_mistake_is_found_at_once_with_the_nearest_name_and_the_sentence_of_other_commands(medreview, tmp_path):
    file = tmp_path / "medreview.toml"
    file.write_text(
        'theem = "dark"\nascii = "yes"\nreveal = "never"\n[keys]\ndefer = "u"\ndefr = "F9"\n'
        '[services]\neutil = "https://a.example"\ndoi = "ftp://a.example"\n[judges.a]\nmodel = "m"\n'
        "[judges.b]\nmodle = 1\n"
    )

    problems = shown(medreview, check=1)["problems"]

    for words in (
        "unknown key 'theem' (did you mean 'theme'?)", "'ascii' must be true or false",
        "'reveal' must be one of block, each",
        "'u' is given to both", "'defr', which is not an action (did you mean 'defer'?)",
        "unknown service 'eutil' (did you mean 'eutils'?)", "'doi' must be a web address",
        "judge 'a': 'base_url' is missing", "judge 'b' has an unknown key 'modle' (did you mean 'model'?)",
    ):  # fmt: skip
        assert [words in problem for problem in problems].count(True) == 1, words
    assert len(problems) == 9
    assert medreview("judges", check=2).stderr.strip() == f"medreview: {problems[0]}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("theme = ", "not valid TOML"),
        ('synonyms = "none.toml"', "synonyms"),
        ('prompts = "none"', "folder of prompts"),
        ('contact = "Zoë"', "contact"),
        ('proxy = "socks://a"', "proxy"),
        ('[services]\ndoi = "https://"', "'doi' of the settings must be a web address"),
    ],
)
def test_what_a_command_would_only_find_in_use_is_found(medreview, tmp_path, text, words):
    own_settings(tmp_path, text + "\n")

    [problem] = shown(medreview, check=1)["problems"]
    assert words in problem
    assert "WRONG: " in medreview("config", check=1).stdout


def test_a_setting_is_written_into_ones_own_file_with_all_else_kept_and_private(medreview, tmp_path):
    own = own_settings(tmp_path, '# mine\ntheme = "dark"   # a dim room\n')
    own.chmod(0o644)

    medreview("config", "set", "keys.defer", "F9", "theme", "light", "mouse", "TRUE")

    assert own.read_text() == '# mine\ntheme = "light"   # a dim room\nmouse = true\n\n[keys]\ndefer = "F9"\n'
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    assert not (tmp_path / "medreview.toml").exists()
    assert by_name(shown(medreview))["keys.defer"]["origin"] == "own"

    medreview("config", "unset", "keys.defer")
    assert "not set in" in medreview("config", "unset", "keys.defer", check=2).stderr
    assert by_name(shown(medreview))["theme"]["value"] == '"light"'


def test_the_first_setting_makes_the_file_and_a_link_to_it_stays_one(medreview, tmp_path):
    own = tmp_path / "config" / "medreview" / "medreview.toml"
    medreview("config", "set", "reviewer", "kb")
    assert own.read_text() == 'reviewer = "kb"\n'
    assert stat.S_IMODE(own.parent.stat().st_mode) == 0o700

    elsewhere = tmp_path / "dotfiles.toml"
    os.rename(own, elsewhere)
    own.symlink_to(elsewhere)
    medreview("config", "set", "reviewer", "anna")
    assert own.is_symlink()
    assert elsewhere.read_text() == 'reviewer = "anna"\n'


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("theem", "light"), "no setting 'theem' (did you mean 'theme'?)"),
        (("keys.defr", "F9"), "did you mean 'keys.defer'?"),
        (("judges.near.modle", "m"), "did you mean 'judges.near.model'?"),
        (("theme", "pink"), "must be one of dark, light, ansi"),
        (("ascii", "perhaps"), "'ascii' must be true or false"),
        (("judges.near.timeout", "long"), "must be a number, such as 30"),
        (("judges.near.concurrency", "1.5"), "must be a whole number"),
        (("judges.near.params", "temperature"), "must be a table"),
        (("judges.far.model", "m"), "'base_url' is missing"),
        (("keys.defer", "u"), "'u' is given to both"),
        (("keys.defer", "7"), "digits are verdicts"),
        (("theme",), "Give each setting a value"),
    ],
)
def test_what_other_commands_would_refuse_is_not_written(medreview, tmp_path, words, says):
    own = own_settings(tmp_path, JUDGE_TABLE)

    assert says in medreview("config", "set", *words, check=2).stderr
    assert own.read_text() == JUDGE_TABLE


def test_a_file_with_a_mistake_can_be_mended_and_gets_no_further_one(medreview, tmp_path):
    own = own_settings(tmp_path, 'theem = "dark"\nascii = "yes"\n')

    assert "must be one of" in medreview("config", "set", "reveal", "never", check=2).stderr
    assert "1 mistake in the settings" in medreview("config", "set", "ascii", "true").stderr
    medreview("config", "unset", "theem")
    assert own.read_text() == "ascii = true\n"
    assert shown(medreview)["problems"] == []


def test_a_judge_can_be_written_as_a_whole_and_value_by_value(medreview, tmp_path):
    medreview("config", "set", "judges.gpt-4.1", '{model = "gpt-4.1", base_url = "https://a.example/v1"}')
    medreview("config", "set", "judges.gpt-4.1.params", "{temperature = 0}", "judges.gpt-4.1.price_input", "2")
    medreview(
        "config", "set", "judges.b.model", "m", "judges.b.base_url", "http://localhost:1/v1", "judges.b.timeout", "2.5"
    )

    values = by_name(shown(medreview))
    assert values["judges.gpt-4.1.params"]["value"] == "{temperature = 0}"
    assert values["judges.b.timeout"]["value"] == "2.5"
    medreview("config", "unset", "judges.gpt-4.1")
    assert {name for name in by_name(shown(medreview)) if name.startswith("judges.")} == {
        *("judges.b.model", "judges.b.base_url", "judges.b.timeout")
    }


def test_who_writes_into_a_folders_file_trusts_what_they_wrote_and_nothing_that_came_with_it(medreview, tmp_path):
    told = medreview("config", "set", "--here", "proxy", "http://proxy.example:3128", "--json").stdout
    assert json.loads(told)["set"] == ["proxy"]
    assert shown(medreview)["untrusted"] == []
    medreview("config", "set", "--here", "theme", "light")
    assert shown(medreview)["untrusted"] == []

    (tmp_path / "medreview.toml").write_text(JUDGE_TABLE)
    medreview("config", "set", "--here", "theme", "light")
    medreview("config", "set", "--here", "proxy", "http://proxy.example:3128")
    assert shown(medreview)["untrusted"] == ["proxy", "judges.near"]


def test_that_another_file_has_the_last_word_is_said(medreview, tmp_path):
    (tmp_path / "medreview.toml").write_text('theme = "ansi"\n')

    assert 'medreview.toml goes before it: theme = "ansi"' in medreview("config", "set", "theme", "light").stderr


@pytest.mark.parametrize(
    "name",
    [*SETTINGS, *(f"judges.near.{field}" for field in JUDGE), "judges.near", "keys.defer", "services.doi", "NO_COLOR"],
)
def test_every_setting_is_explained_and_its_example_can_be_given(medreview, tmp_path, name):
    own_settings(tmp_path, JUDGE_TABLE)
    found = json.loads(medreview("config", "explain", name, "--json").stdout)

    assert found["help"]
    assert found["default"]
    assert bool(found["example"]) == (name != "NO_COLOR")
    if found["example"]:
        medreview(*shlex.split(found["example"])[1:])


def test_no_setting_of_that_name_is_explained(medreview):
    assert "did you mean 'reveal'?" in medreview("config", "explain", "reviel", check=2).stderr
    assert "\x1b" not in medreview("config", "explain", "a\x1b[31m", check=2).stderr
