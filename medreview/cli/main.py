"""The command line: its entry, and one sentence for every error."""

import sys

from medreview.errors import UserError


def _say(message: str) -> None:
    from medreview.cli.output import say

    say(f"medreview: {message}")


def main() -> None:
    """Run a command. A mistake the user can mend is one sentence on standard error and exit code 2."""
    try:
        if sys.argv[1:] == ["evidence", "--jsonl"]:
            # A filter is started for a handful of lines as well: it does without the other commands.
            from medreview.cli.jsonl import answer_lines

            answer_lines()
        else:
            from medreview.cli.app import app

            app()
    except UserError as error:
        _say(str(error))
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        _say("stopped; what was done is saved, the same command goes on from there.")
        raise SystemExit(130) from None
    except BrokenPipeError:
        # The reader of our output went away (`medreview ... | head`): no error, and nothing left to flush to.
        sys.stdout = None
        raise SystemExit(141) from None


if __name__ == "__main__":
    main()
