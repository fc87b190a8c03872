"""Running the workbench in a terminal, from the first screen to what is to be said at the end."""

import gc
import signal
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING

from medreview.config import Config
from medreview.screens.app import Workbench
from medreview.screens.ending import ended_by_error, ended_by_signal
from medreview.screens.environment import check_terminal, look, replace_unencodable
from medreview.study import Study

if TYPE_CHECKING:
    from medreview.review.queue import Queue


def _load_review() -> None:
    """What the next screens and keys are made of, while the reviewer reads the first."""
    import medreview.review.open_session
    import medreview.screens.review
    import medreview.screens.statement_face
    import medreview.statements.sentences  # noqa: F401


def run(
    study: Study,
    config: Config,
    *,
    queue: "Queue | None" = None,
    notice: str = "",
    once_shown: Callable[[], None] = lambda: None,
) -> str:
    """Run the workbench until the reviewer leaves; ``""``, or what is to be said then.

    With a queue the review opens at once, otherwise the home screen; ``once_shown`` is called when it is there. Raises
    :class:`UserError` when there is no suitable terminal or when the settings bind a key to two actions, and
    ``WorkbenchEnded``, with an exit code of its own, when something else than the reviewer ended the workbench.
    """

    def shown() -> None:
        gc.freeze()  # what the workbench is made of is no garbage, and is not looked through while keys are answered
        gc.enable()
        Thread(target=_load_review, name="load-review", daemon=True).start()
        once_shown()

    check_terminal(study.path)
    terminal_look = look(config)
    replace_unencodable()
    app = Workbench(study, config, terminal_look, queue=queue, notice=notice, once_shown=shown)
    before = {number: signal.getsignal(number) for number in (signal.SIGTSTP, signal.SIGCONT)}
    try:
        app.run(mouse=config.mouse)
    except Exception as error:
        app.failure = app.failure or error
    finally:
        for number, handler in before.items():  # Textual's would draw on a terminal that was given back
            signal.signal(number, handler)
        app.parting = " ".join(filter(None, (app.leave_session() or app.parting, app.drafts_elsewhere())))
    kept = app.parting or (f"What you decided is in {study.elsewhere.rescue}." if study.elsewhere else "")
    if app.failure is not None:
        raise ended_by_error(app.failure, kept) from app.failure
    if app.signal:
        raise ended_by_signal(app.signal, kept)
    return app.parting
