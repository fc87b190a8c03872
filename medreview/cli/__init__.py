"""The command line, one of the two faces of the core.

``main`` is the entry and ``app`` the list of the commands. ``commands`` holds them by topic, ``reports`` what they
print at length. What several commands share stands here, so that no command needs another one: how they speak
(``output``), their options and what these stand for (``options``, ``network``, ``verdict_access``), and their work
(``importing``, ``ask_models``, ``jsonl_filters``; ``opening`` a review, in the workbench or ``plain``).
"""
