"""What is known of units is asked one by one while few are asked for, and of all at once when many are."""

from medreview.review.blind_block import FEW, ByUnit


def test_few_are_asked_one_by_one_and_many_at_once():
    there = {f"u{number}": number for number in range(0, 2 * FEW, 2)}
    asked: list[str] = []

    def one(unit: str) -> int | None:
        asked.append(unit)
        return there.get(unit)

    def every() -> dict[str, int]:
        asked.append("all")
        return there

    known = ByUnit(one, every)
    units = [f"u{number}" for number in range(2 * FEW)]
    assert [known.get(unit) for unit in units[:FEW]] == [there.get(unit) for unit in units[:FEW]]
    assert [known.get(unit) for unit in units[:FEW]] == [there.get(unit) for unit in units[:FEW]]
    assert asked == units[:FEW]
    assert not known.whole

    assert [known.get(unit) for unit in units] == [there.get(unit) for unit in units]
    assert asked == [*units[:FEW], "all"]
    assert known.whole

    there["u1"], there["u0"] = 7, 8
    assert (known.get("u1"), known.get("u0")) == (None, 0)
    assert (known.renew("u1"), known.get("u1"), known.get("u0")) == (7, 7, 0)
    assert {unit: here for unit, here in known.all().items() if here is not None} == {**there, "u0": 0}
