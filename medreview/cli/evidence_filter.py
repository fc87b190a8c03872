"""The evidence engine as a filter, apart from the commands so that ``main`` can start it without them."""

import sys


def answer_lines() -> None:
    """Answer each line of standard input on standard output, as it comes."""
    from medreview.config import load_config
    from medreview.evidence.jsonl_filter import serve
    from medreview.evidence.terms import vocabulary

    words = vocabulary(load_config().synonyms_file)

    # A byte that is no UTF-8 must not end a long run: its line is answered, marked by the lone surrogate it becomes.
    lines = (line.decode("utf-8-sig" if number == 0 else "utf-8", "surrogateescape") for number, line in
             enumerate(sys.stdin.buffer))  # fmt: skip
    for answer in serve(lines, words):
        print(answer, flush=True)
