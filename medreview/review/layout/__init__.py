"""Where a text breaks into screen rows: ``wrap`` for long texts, with ``tables`` lined up; ``prose`` for short ones.

``cells`` measures text in terminal cells.
"""
