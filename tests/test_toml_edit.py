"""A value is changed in a text of TOML, and nothing else in it."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.config_file import place, with_value, without_value

TEXT = """# kept for the clinic

theme = "dark"   # a dim room
reviewer = "kb"

# keys of mine
[keys]  # see ?
defer = "z" # put off

# the judges
[judges.near]
model = "m"
base_url = "http://localhost:8000/v1"
# asked at night
"""


def lines_changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that are gone and those that are new, but for empty ones; all others stand in their order."""
    old, new = ([line for line in text.splitlines() if line] for text in (before, after))
    kept = [line for line in old if line in new]
    assert [line for line in new if line in kept] == kept
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.mark.parametrize(
    ("keys", "value", "gone", "new"),
    [
        (("theme",), "light", ['theme = "dark"   # a dim room'], ['theme = "light"   # a dim room']),
        (("keys", "defer"), "F5", ['defer = "z" # put off'], ['defer = "F5" # put off']),
        (("mouse",), True, [], ["mouse = true"]),
        (("keys", "undo"), "p", [], ['undo = "p"']),
        (("judges", "near", "timeout"), 30, [], ["timeout = 30"]),
        (("services", "doi"), "https://doi.example", [], ["[services]", 'doi = "https://doi.example"']),
        (("judges", "gpt-4.1", "model"), "gpt-4.1", [], ['[judges."gpt-4.1"]', 'model = "gpt-4.1"']),
    ],
)
def test_a_value_is_put_where_it_belongs_and_all_else_stays(keys, value, gone, new):
    after = with_value(TEXT, keys, value)

    assert lines_changed(TEXT, after) == (gone, new)
    told = tomllib.loads(after)
    for key in keys:
        told = told[key]
    assert told == value


def test_a_new_value_stands_above_the_comments_of_the_next_table():
    lines = with_value(with_value(TEXT, ("mouse",), True), ("keys", "undo"), "p").splitlines()

    assert lines.index("mouse = true") == lines.index('reviewer = "kb"') + 1
    assert lines.index('undo = "p"') == lines.index('defer = "z" # put off') + 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'theme = "light"\n'),
        ("# mine", '# mine\ntheme = "light"\n'),
        ("# of the clinic\n\n# keys\n[keys]\n", '# of the clinic\n\ntheme = "light"\n\n# keys\n[keys]\n'),
        ('reviewer = "kb"\r\n[keys]\r\n', 'reviewer = "kb"\r\ntheme = "light"\r\n[keys]\r\n'),
        ('a = """\n[keys]\n"""\n', 'a = """\n[keys]\n"""\ntheme = "light"\n'),
    ],
    ids=["nothing yet", "a comment", "tables alone", "lines of Windows", "what only looks like a heading"],
)
def test_a_first_value_finds_its_place(before, after):
    assert with_value(before, ("theme",), "light") == after


def test_a_value_or_a_table_is_taken_out_and_nothing_else():
    assert lines_changed(TEXT, without_value(TEXT, ("theme",))) == (['theme = "dark"   # a dim room'], [])
    without = tomllib.loads(without_value(TEXT, ("judges", "near")))
    assert without == {"theme": "dark", "reviewer": "kb", "keys": {"defer": "z"}}


def test_the_place_of_a_name_may_have_dots():
    told = {"judges": {"gpt-4": {"model": "a"}, "gpt-4.1": {"model": "b"}}}

    assert place(told, "judges.gpt-4.1.model") == ("judges", "gpt-4.1", "model")
    assert place(told, "judges.gpt-4.1") == ("judges", "gpt-4.1")
    assert place(told, "judges.gpt-4.2") is None


@pytest.mark.parametrize("content", ["not toml at all", 'keys = "z"\n'])
def test_what_cannot_be_changed_is_said(content):
    with pytest.raises(ValueError, match=r".+"):
        with_value(content, ("keys", "defer"), "z")


_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(
    st.lists(
        st.tuples(st.sampled_from([("a",), ("b",), ("t", "a"), ("t", "b"), ("j", "x.y", "a")]), _WORDS), max_size=6
    ),
    _WORDS,
)
def test_whatever_is_put_in_is_read_again_and_can_be_taken_out(puts, comment):
    content = "".join(f"# {line}\n" for line in comment.splitlines() if line.isprintable())
    for keys, value in puts:
        content = with_value(content, keys, value)
        told = tomllib.loads(content)
        for key in keys:
            told = told[key]
        assert told == value
    for keys in dict.fromkeys(keys for keys, _ in puts):
        content = without_value(content, keys)
        assert place(tomllib.loads(content), ".".join(keys)) is None
