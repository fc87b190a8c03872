"""Payloads as cells and back, to the letter."""

from hypothesis import given
from hypothesis import strategies as st

from medreview.exchange.files.csv_file import dumps, flatten, unflatten

_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_TEXT, _VALUES, max_size=6))
def test_round_trip(payload: dict[str, object]) -> None:
    names, values = flatten(payload)
    cells = {name: repr(value) if isinstance(value, float) else str(value) for name, value in values.items()}
    assert dumps(unflatten(names, cells)) == dumps(payload)
    assert "\n" not in names


def test_a_decision_is_readable() -> None:
    names, values = flatten(
        {"axis": "evidence", "on": True, "exposure": {"jury": "no"}, "list": [{"a": 1}, {}, []], "": None}
    )
    assert names == "axis:s on:b exposure.jury:s list:a list.0:o list.0.a:i list.1:o list.2:a %:z"
    assert values == {"axis": "evidence", "on": 1, "exposure.jury": "no", "list.0.a": 1}
