"""The only module that knows the order of the stages, and what must be made again after each of them.

import -> citations -> sources -> statements -> judges (recorded ones, the offline judge, a model of meaning where one
is set) -> verdicts; models that judge are asked when they are named, since that costs money.

After every function here the table of verdicts is right and the frame of the audit complete, whatever came in between:
it is rolled up when something has changed that it is made from, also after an interruption, and when an earlier one was
killed before it came to that.
"""

from medreview.judges.llm_stage import Interrupted
from medreview.pipeline.asking import (
    Generated,
    Generating,
    JudgedBy,
    Judges,
    batch_in,
    batch_out,
    generate,
    judge_by,
    plan_for,
    plan_generation,
)
from medreview.pipeline.attaching import Attached, GivenText, attach, bytes_of, look_at
from medreview.pipeline.choosing import Choice, Only
from medreview.pipeline.drawing_examples import Examples
from medreview.pipeline.preparing import (
    Judged,
    Meaning,
    PageProvider,
    Prepared,
    bring_facts,
    bring_in,
    check_references,
    fetch,
    find_references,
    judge,
    order_by_rules,
    parse,
    plan_meaning,
    run,
    save_pages,
)
from medreview.pipeline.rolling_up import (
    Edited,
    edit,
    edit_here,
    merge,
    promote,
    promote_here,
    roll_up,
    set_tie_rule,
)
from medreview.references.library import LibraryOfFiles, library_of
from medreview.references.stage import Authorities, CheckSummary

__all__ = [
    "Attached",
    "Authorities",
    "CheckSummary",
    "Choice",
    "Edited",
    "Examples",
    "Generated",
    "Generating",
    "GivenText",
    "Interrupted",
    "Judged",
    "JudgedBy",
    "Judges",
    "LibraryOfFiles",
    "Meaning",
    "Only",
    "PageProvider",
    "Prepared",
    "attach",
    "batch_in",
    "batch_out",
    "bring_facts",
    "bring_in",
    "bytes_of",
    "check_references",
    "edit",
    "edit_here",
    "fetch",
    "find_references",
    "generate",
    "judge",
    "judge_by",
    "library_of",
    "look_at",
    "merge",
    "order_by_rules",
    "parse",
    "plan_for",
    "plan_generation",
    "plan_meaning",
    "promote",
    "promote_here",
    "roll_up",
    "run",
    "save_pages",
    "set_tie_rule",
]
