"""What holds for every test."""

import pytest

pytest.register_assert_rewrite("tests.support")
