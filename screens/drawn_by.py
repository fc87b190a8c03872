"""Which face and which handlers a session has on the screen: by whether it is over statements or over other units."""

from collections.abc import Callable
from functools import partial

from medreview.review.deciding import Deciding
from medreview.review.session import ReviewSession
from medreview.screens.action_handlers import ActionHandlers, ReviewHost
from medreview.screens.face import Face
from medreview.screens.panes import Panes
from medreview.screens.widgets.document import DocumentView

MakeFace = Callable[[DocumentView, DocumentView], Face]
MakeHandlers = Callable[[Panes, ReviewHost], ActionHandlers]


def drawn_by(session: Deciding) -> tuple[MakeFace, MakeHandlers]:
    """How to make both; the modules of the one that is not needed are not loaded."""
    face, handlers = _by_unit(session)
    if session.settles:
        from medreview.review.adjudicating import Adjudicating
        from medreview.screens.conflict_face import ConflictFace

        assert isinstance(session, Adjudicating)
        return partial(ConflictFace, session, face), handlers
    return face, handlers


def _by_unit(session: Deciding) -> tuple[MakeFace, MakeHandlers]:
    if isinstance(session, ReviewSession):
        from medreview.screens.statement_face import StatementFace
        from medreview.screens.statement_handlers import StatementHandlers

        return partial(StatementFace, session), partial(StatementHandlers, session)
    from medreview.review.unit_session import UnitSession
    from medreview.screens.unit_face import UnitFace
    from medreview.screens.unit_handlers import UnitHandlers

    assert isinstance(session, UnitSession)
    return partial(UnitFace, session), partial(UnitHandlers, session)
