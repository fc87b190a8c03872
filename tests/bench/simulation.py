"""What simulations ask for on the command line."""

import argparse


def arguments(about: str | None, *, studies: int) -> argparse.ArgumentParser:
    """A parser with ``--studies`` and ``--seed``; ``about``: the text of the program."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=studies)
    parser.add_argument("--seed", type=int, default=1)
    return parser
