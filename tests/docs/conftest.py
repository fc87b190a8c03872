"""The sample study, made once."""

from tests.cli.conftest import demo_file

__all__ = ["demo_file"]
