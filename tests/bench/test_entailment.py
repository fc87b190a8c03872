"""The bench that a model of entailment is held against, with a server that tells right and one that tells nothing."""

from medreview.judges.entailment import EntailmentByLabel
from tests.bench.entailment import may_order, report
from tests.bench.evidence_fit.cases import Case
from tests.support.entailment_endpoint import EntailmentEndpoint
from tests.support.http_server import answer_json

SOURCE = "Metformin is safe for the liver. The library was closed."
CASES = [("Metformin is not safe for the liver.", "contradicted"), ("Metformin is safe for the liver.", "supported")]


def test_a_model_is_held_against_the_rules_set_by_set() -> None:
    rows = [Case(name, text, SOURCE, [], [], label, ["verdict"]) for name in "ab" for text, label in CASES]
    with EntailmentEndpoint() as server:
        model = EntailmentByLabel(server.settings("predict"))
        told = report([*rows, rows[0]._replace(name="one label")], model, 9)
        server.routes["/predict"] = answer_json([[{"label": "contradiction", "score": 0.5}]] * 2)
        nothing = report(rows, model, 9)

    assert [line.split()[:2] for line in told[2:-1]] == [["a", "2"], ["b", "2"]], "a set with one label is passed over"
    assert {line.split()[3] for line in told[2:-1]} == {"1.000"}
    assert {line.split()[3] for line in nothing[2:-1]} == {"0.500"}
    assert nothing[-1].startswith("Set entailment_orders = false")


def test_it_may_order_where_it_gains_on_the_mean_and_loses_nowhere() -> None:
    def rows(*gains: float) -> dict[str, dict[str, float]]:
        return {str(at): {"rules": 0.6, "both": 0.6 + gain} for at, gain in enumerate(gains)}

    assert may_order(rows(0.1, -0.005))
    assert not may_order(rows(0.1, -0.02))
    assert not may_order(rows(0.0, 0.0))
    assert not may_order({})
