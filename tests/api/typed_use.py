"""Not run: read by mypy with all other modules, which must see of the API what is written here.

It is strict: a "type: ignore" that nothing needs is an error, so that the mistakes below are found ones.
"""

from datetime import datetime
from typing import assert_type

import medreview


def use(path: str) -> None:
    with medreview.open_study(path, read_only=True) as study:
        assert_type(study, medreview.OpenStudy)
        for statement in study.statements(queue="flagged"):
            assert_type(statement.sources, tuple[medreview.Source, ...])
            assert_type(statement.passages[0].text, str)
            assert_type(statement.verdict, medreview.Verdict | None)
            assert_type(statement.labels["anna"].label, str | None)
        row = study.labels()[0]
        assert_type(row.decided_utc, datetime | None)
        assert_type(study.pairs()[0].supported, bool | None)
        assert_type(study.agreement("judges")[0].estimate("Cohen's kappa"), medreview.Estimate)
        assert_type(study.support()[0].strata[0].clustered, tuple[medreview.Estimate, ...])
        study.agreement("judge")  # type: ignore[arg-type]
        study.fetch(scope="everything")  # type: ignore[arg-type]
    assert_type(medreview.ground_quote("a", "b").spans, tuple[medreview.Span, ...])
    assert_type(medreview.extract_citations("a"), list[medreview.Citation])
    medreview.open_studdy(path)  # type: ignore[attr-defined]
