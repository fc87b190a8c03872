"""Who a reviewer is: asked once, given or passed over, the newest word counts."""

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.label_rows import reviewer_rows
from medreview.review.background import read_background, set_background
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.study_acts import Background, background_of, backgrounds, is_asked


def test_asked_once_also_when_nothing_is_said_and_the_newest_word_counts(study: Study) -> None:
    assert not is_asked(study.reader, "kb")
    set_background(study, "kb", Background())
    assert is_asked(study.reader, "kb")
    set_background(study, "kb", Background())
    said = read_background({"role": " physician ", "years": "12", "specialty": "intensive  care"})
    set_background(study, "kb", said)
    decide_in_script(study, "anna", "s1", "supported")

    assert background_of(study.reader, "kb").line == "physician, intensive care, 12 years of practice"
    assert [(name, one.line) for name, one, _ in backgrounds(study.reader)] == [("anna", ""), ("kb", said.line)]
    assert len(study.reader.execute("SELECT 1 FROM event WHERE kind = 'background'").fetchall()) == 2
    rows = [tuple(row) for row in reviewer_rows(study.reader)]
    assert rows[0] == ("anna", None, None, None, None, None, 1, 0, 0, 0)
    assert rows[1][:5] == ("kb", "physician", 12, "intensive care", None)


@pytest.mark.parametrize("given", [{"years": "many"}, {"years": "-1"}, {"years": "81"}, {"role": "x" * 201}])
def test_what_is_no_answer_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(UserError):
        read_background(given)
