"""Of the commands ``plan ...`` those of rules: its audit, guidelines, right labels, axes, second passes, reviewers."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from medreview.cli.completion import judges, studies
from medreview.cli.options import Json, Map, Reviewer, StudyFile, decider, only_one, open_study, read_mapping
from medreview.cli.output import bad_records, counted, one_line, progress, result, say
from medreview.cli.verdict_access import looked
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.cli.reports.layout import Part
    from medreview.review.guidelines import Guidelines
    from medreview.study.own_axes import OwnAxis


def audit(
    study: StudyFile,
    size: Annotated[
        int | None, Option(min=1, metavar="N", help="Draw until there are N (of each stratum), or all.")
    ] = None,
    rate: Annotated[
        float | None, Option(metavar="R", help="Draw every statement with this probability, above 0 up to 1.")
    ] = None,
    by: Annotated[
        Literal["all", "model", "origin", "flagged"], Option(help="Strata, each with a rate of its own.")
    ] = "all",
    assist: Annotated[
        Literal["half", "none"] | None,
        Option(
            help="Set before the first label. half: the audit shows each reviewer the judges on a random half of its "
            "statements, to estimate automation bias."
        ),
    ] = None,
    release: Annotated[
        bool, Option("--release", help="Give what is reserved back to triage: its labels are assisted then.")
    ] = False,
    plan: Annotated[
        float | None,
        Option(
            metavar="POINTS", help="Set a plan: the audit ends when its interval is this many points to either side."
        ),
    ] = None,
    plan_labels: Annotated[
        int | None, Option(min=1, metavar="N", help="Set a plan: the audit ends at this many labels.")
    ] = None,
    points: Annotated[
        float | None,
        Option(
            metavar="POINTS",
            help="Show how many labels an interval of this many points to either side takes; default: the "
            "plan's, or 5.",
        ),
    ] = None,
    assisted: Annotated[
        bool, Option("--assisted", help="With the verdicts also where labels were given with these in sight.")
    ] = False,
    judge: Annotated[
        str | None,
        Option(
            metavar="NAME", autocompletion=judges, help="Whose verdicts help and come first; default: all together."
        ),
    ] = None,
    weight: Annotated[
        float | None, Option("--lambda", metavar="W", help="Weight of the verdicts; default: the best by the labels.")
    ] = None,
    full: Annotated[
        bool,
        Option("--full", help="Print every figure of each reviewer and why any is undefined, instead of one screen."),
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show the random audit, plan its end, or draw more.

    Without options, one screen: what is drawn at which rate, what each reviewer's labels say of the whole study (with
    the judges' verdicts where these help), and what to do next. --release gives back what is reserved. --full has every
    figure: by the audit alone, with the verdicts of each judge, how many labels these are worth, and how many more
    labels you need. With a plan, intervals are interim until you reach it. Without a plan, they hold for one look only.
    Members of the audit are kept from every queue that shows the judges until the reviewer has decided them in the
    queue "audit". A statement that is drawn stays in the audit. With --assist half, that queue shows each reviewer the
    judges on half of them. Figures of the study then use the other half only.

    Example: medreview plan audit sepsis.medreview --size 30 --by model
    """
    from medreview.review import audit as draws
    from medreview.stats.reports.audit_report import audit_report, plan_before_labels
    from medreview.stats.reports.audit_verdicts import every_judge, led_by
    from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
    from medreview.study.study_acts import set_assistance, set_stopping_plan

    if size is not None and rate is not None:
        raise UserError("Give --size or --rate, not both.")
    if rate is not None and not 0 < rate <= 1:
        raise UserError("A rate is above 0 and up to 1, 0.1 for a tenth of the statements.")
    for name, given in (("--plan", plan), ("--points", points)):
        if given is not None and not 0 < given < 50:
            raise UserError(f"Give more than 0 and less than 50 points to either side: {name} 5.")
    if plan is not None and plan_labels is not None:
        raise UserError("Give --plan or --plan-labels, not both.")
    if by != "all" and size is None and rate is None:
        raise UserError("Say how much to draw of each stratum: --size N or --rate R.")
    wanted = size is not None or rate is not None
    planning = plan is not None or plan_labels is not None
    who = decider(reviewer)
    with open_study(study, read_only=not (wanted or release or planning or assist)) as opened:
        if wanted:
            drawn = draws.draw(opened, who, size=size, rate=rate, by=by)
            more = f"{counted(drawn.new, 'statement')} more drawn" if drawn.event_id else "so much is drawn already"
            say(f"{more}: {drawn.members:,} in the audit")
        if release:
            say(f"{counted(draws.release(opened, who), 'statement')} given back to triage")
        if assist:
            set_assistance(opened, who, half=assist == "half")
            say(f"the audit shows the judges on {'a random half' if assist == 'half' else 'none'} of its statements")
        if planning:
            set_stopping_plan(opened, who, half_width=None if plan is None else plan / 100, labels=plan_labels)
        reader = opened.reader
        names = [reviewer] if reviewer else reviewers(reader)
        aim = None if points is None else points / 100
        report = audit_report(
            reader,
            {name: reviewer_labels(reader, name) for name in names},
            led_by(every_judge(reader), judge),
            assisted=assisted,
            weight=weight,
            points=aim,
        )
        first_plan = None if report.figures else plan_before_labels(reader, aim)
        if report.figures:  # they say how often the judges are right
            looked(opened, "audit", "totals")
        reserved = len(draws.reserved(reader, who))
    if as_json:
        result(
            {"reviewer": who, "reserved": reserved, **asdict(report), "plan": first_plan and asdict(first_plan)},
            "",
            as_json=True,
        )
        return
    from medreview.cli.reports.audit import audit_parts, audit_screen, next_step, plan_parts
    from medreview.cli.reports.terminal import show

    # Of whoever only reads the figures of others, nothing is reserved that would be missed.
    told = reserved and (wanted or not names or who in names)
    kept = f"{counted(reserved, 'statement')} reserved: kept from {who}'s triage until decided in the queue “audit”"
    below: list[Part] = ["", one_line(kept)] if told else []
    if (points is not None or planning) and first_plan is not None:
        below += ["", *plan_parts(first_plan)]
    if not full:
        print(audit_screen(report, below, study, points=points is not None), end="")
        return
    parts = [*audit_parts(report), *below]
    for figures in report.figures[-1:]:
        parts += ["", *next_step(figures, study)]
    show(parts)


def guidelines(
    study: StudyFile,
    set_file: Annotated[
        Path | None, Option("--set", metavar="FILE.md", help="Put the text of a file in force.")
    ] = None,
    edit: Annotated[bool, Option("--edit", help="Change the text in force in $VISUAL or $EDITOR.")] = False,
    diff: Annotated[
        bool, Option("--diff", help="What the version in force changed in the one before, line by line.")
    ] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show the guidelines for labelling, or set a new version.

    Every label carries the version it was given by. Each reviewer is shown a new version before the first decision;
    F2 shows it at any time. Until a study sets its own, each kind of unit has the definitions of its labels.

    Example: medreview plan guidelines sepsis.medreview --set guidelines.md
    """
    from medreview.review import guidelines as texts

    only_one({"--set": set_file, "--edit": edit, "--diff": diff})
    with open_study(study, read_only=True) as opened:
        now, found = texts.in_force_for_all(opened.reader), texts.versions(opened.reader)
        shown = texts.with_axes(opened.reader, now.text)
    if set_file or edit:
        new = _read_text(set_file, 4 * texts.LONGEST) if set_file else _edited(now.text)
        with open_study(study) as opened:
            after = texts.set_guidelines(opened, decider(reviewer), new)
            found = texts.versions(opened.reader)
        say(f"guidelines {after.name} {'were' if after.sha256 == now.sha256 else 'are'} in force")
        now, shown = after, shown.replace(now.text, after.text, 1)
    if diff:
        _show_diff(found, as_json=as_json)
        return
    origin = f"set by {now.set_by}, {now.set_at[:16]}" if now.number else "the definitions of the labels"
    told = asdict(now) | {"stamp": now.stamp, "versions": [asdict(one) for one in found]}
    result(told, f"{now.name}, {origin}", "", *shown.splitlines(), as_json=as_json)


def consent(
    study: StudyFile,
    file: Annotated[
        Path | None, Argument(metavar="[FILE]", help="Put the text of this file in force.", show_default=False)
    ] = None,
    none: Annotated[bool, Option("--none", help="Take the text back: nobody is asked any more.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the text that every reviewer consents to.

    The workbench and line mode show it once, before the first decision. Until the reviewer consents, nothing is saved.
    A changed text asks again. Without FILE it prints the text, and the reviewers who consented. A study without a text
    asks nobody.

    Example: medreview plan consent sepsis.medreview consent.txt
    """
    from medreview.review import consent as texts

    only_one({"FILE": file, "--none": none})
    with open_study(study, read_only=file is None and not none) as opened:
        if file is not None or none:
            new = _read_text(file, 4 * texts.LONGEST) if file else ""
            if file and not new.strip():
                back = command("plan", "consent", study, "--none")
                raise UserError(f"{file} is empty. `{back}` takes the text back.")
            texts.set_consent(opened, decider(reviewer), new)
        now, given = texts.consent_text(opened.reader), texts.consents(opened.reader)
    lines = ["No text is set: reviewers are not asked."]
    if now is not None:
        lines = [f"{now.stamp}, set by {one_line(now.set_by)}, {now.set_at[:16]}", "", *now.text.splitlines(), ""]
        lines += [
            f"{one_line(one.reviewer)} consented, {one.at[:16]}"
            + ("" if one.sha256 == now.sha256 else " (to an earlier text)")
            for one in given
        ] or ["Nobody has consented yet."]
    told = {"text": asdict(now) if now else None, "consented": [asdict(one) for one in given]}
    result(told, *lines, as_json=as_json)


def _read_text(path: Path, most: int, *, toml: bool = False) -> str:
    """The text of a user's file, of ``most`` bytes; raises :class:`UserError` where it cannot be read."""
    from medreview.bounded_reading import read_bounded, read_toml

    try:
        return read_toml(path, most)[0] if toml else read_bounded(path, most)[0].decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8. Save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _edited(text: str) -> str:
    from medreview.review.guidelines import LONGEST
    from medreview.review.text_entry import write_outside

    back = write_outside(text.rstrip(), "guidelines.md", LONGEST)
    if back.fault:
        raise UserError(f"The guidelines stay as they are: {back.fault}.")
    if back.text == text.rstrip():
        raise UserError("Nothing was changed in the editor; the guidelines stay as they are.")
    return back.text


def _show_diff(found: "list[Guidelines]", *, as_json: bool) -> None:
    from difflib import unified_diff

    if len(found) < 2:
        raise UserError("There are no two versions to compare; `--set FILE.md` sets one.")
    old, new = found[-2:]
    lines = list(unified_diff(old.text.splitlines(), new.text.splitlines(), old.name, new.name, lineterm=""))
    result({"from": old.stamp, "to": new.stamp, "lines": lines}, *lines, as_json=as_json)


def gold(
    study: StudyFile,
    file: Annotated[
        Path | None, Option("--import", metavar="FILE", help="Columns unit (or response, statement), label, why.")
    ] = None,
    add: Annotated[
        tuple[str, str] | None,
        Option(metavar="UNIT LABEL", help="Add one: R07 S3, the id of a unit or of its record, and the label."),
    ] = None,
    remove: Annotated[str | None, Option(metavar="UNIT", help="Make it an ordinary unit again.")] = None,
    axis: Annotated[str | None, Option(help="With --add: the axis of the label; default: that of its kind.")] = None,
    why: Annotated[str, Option(help="With --add: what is said of it when the block is done.")] = "",
    attention: Annotated[
        bool, Option("--attention", help="With --add: a check of attention, which needs no judgement.")
    ] = False,
    mapping: Map = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """List, add or remove units whose right label is known.

    These are gold items. Reviewers see nothing of it until the block is done. The list tells it: it is for whoever runs
    the study.

    Example: medreview plan gold sepsis.medreview --add "R07 S3" contradicted --why "It says 30 mL/kg." --attention
    """
    from medreview.review.gold import import_gold, remove_gold, set_gold
    from medreview.units.kind import Gold
    from medreview.units.label_comparisons import gold_items
    from medreview.units.registry import asks_of, find_unit

    only_one({"--import": file, "--add": add, "--remove": remove})
    if add is None and (axis or why or attention):
        raise UserError("--axis, --why and --attention go with --add UNIT LABEL; a file has columns for them.")
    who = decider(reviewer)
    with open_study(study, read_only=not (file or add or remove)) as opened:
        if file:
            with progress() as bar:
                done = import_gold(opened, file, who, read_mapping(mapping), bar)
            bad_records(done.bad, file)
            known = f", {done.known} known already" if done.known else ""
            left = f", {len(done.bad)} left out" if done.bad else ""
            result(done, f"{counted(done.added, 'gold item')} added{known}{left}", as_json=as_json)
            return
        try:
            named = add[0] if add else remove or ""
            unit = find_unit(opened.reader, named) if named else ""
        except LookupError as error:
            raise UserError(f"Of the gold item: {error.args[0]}.") from None
        if add:
            set_gold(opened, unit, Gold(axis or asks_of(unit).axis, add[1], (), why, attention), who)
            say(f"{unit} is a gold item: {add[1]}")
        elif remove and not remove_gold(opened, unit):
            raise UserError(f"{unit} is not a gold item.")
        found = gold_items(opened.reader)
    lines = [
        f"{one.unit}  {one.gold.axis}: {one.gold.label}{'  attention' if one.gold.attention else ''}  {one.gold.why}"
        for one in found
    ]
    result([asdict(one) for one in found], *(lines or ["There are no gold items."]), as_json=as_json)


def second_pass(
    study: StudyFile,
    share: Annotated[
        float | None, Option(metavar="R", help="How much of what was decided comes back: 0.1 is a tenth, 0 nothing.")
    ] = None,
    after: Annotated[int | None, Option(metavar="DAYS", help="Days after the first decision; at first 14.")] = None,
    seed: Annotated[str | None, Option(metavar="TEXT", help="Draws it; default: the id of the study.")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the second pass of a reviewer over own labels.

    It measures how well reviewers agree with themselves (intra-rater). What is due waits in the queue "second", blind,
    with your labels, notes and spans of the first pass hidden.

    Example: medreview plan second-pass sepsis.medreview --share 0.1 --after 14
    """
    from medreview.review import repeat_annotation as passes

    who = decider(reviewer)
    setting = (share, after, seed) != (None, None, None)
    with open_study(study, read_only=not setting) as opened:
        if setting:
            passes.set_second_pass(opened, who, share=share, after_days=after, seed=seed)
        now = passes.second_pass(opened.reader)
        found = passes.pass_progress(opened.reader, who)
    if now.share:
        days = counted(now.after_days, "day")
        lines = [f"{now.share:.1%} of what is decided comes back after {days}",
                 f"{who}: {found.drawn} drawn, {found.due} due, {found.later} later, {found.done} done"]  # fmt: skip
    else:
        lines = ["There is no second pass; `--share 0.1` brings a tenth of what is decided back."]
    if found.done:
        lines.append(f"the same label both times: {found.same} of {found.done}")
    result({"reviewer": who, **asdict(now), **asdict(found)}, *lines, as_json=as_json)


def share(
    study: StudyFile,
    kind: Annotated[
        str | None, Option(metavar="KIND", help="Of which kind of unit: statement, pair, qa, ranking, ...")
    ] = None,
    rate: Annotated[
        float | None, Option(metavar="R", help="How much: 0.45 is 45 of a hundred. It can only be raised.")
    ] = None,
    seed: Annotated[int | None, Option(metavar="N", help="Draws it; default 0. The first one stays.")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the share of units that two reviewers label.

    The second reviewer does not see the first one's labels. What another reviewer has decided of it waits in the queue
    "share", blind: others' labels, notes and spans are hidden. Who is drawn stays drawn when the share is raised, and
    is the same in every copy of the study.

    Example: medreview plan share sepsis.medreview --kind qa --rate 0.45
    """
    from medreview.review import repeat_annotation as second

    who = decider(reviewer)
    if rate is None and seed is not None:
        raise UserError("A seed comes with a share: --rate 0.45 --seed 7.")
    if rate is not None and kind is None:
        raise UserError("Say of which kind of unit: --kind statement --rate 0.45.")
    with open_study(study, read_only=rate is None) as opened:
        if rate is not None and kind is not None:
            second.set_share(opened, who, kind, rate, seed)
        study_id, every = opened.meta("study_id"), second.shares(opened.reader)
        found = [
            second.share_progress(opened.reader, study_id, one, who)
            for one in every.values()
            if kind in (None, one.kind)
        ]
    lines = [
        f"{one.kind}: {one.rate:.0%} (seed {one.seed}), {one.drawn} of {counted(one.units, 'unit')} drawn; "
        f"{one.waiting} wait for {who}, {one.twice} decided by {who} and another"
        for one in found
    ]
    none = "Nothing is annotated a second time; `--kind statement --rate 0.45` draws 45 of a hundred statements."
    result({"reviewer": who, "shares": [asdict(one) for one in found]}, *(lines or [none]), as_json=as_json)


def background(
    study: StudyFile,
    role: Annotated[str | None, Option(help="Physician, nurse, medical student, ...")] = None,
    years: Annotated[str | None, Option(metavar="N", help="Years of practice.")] = None,
    specialty: Annotated[str | None, Option(help="What you work in.")] = None,
    words: Annotated[str | None, Option(help="Anything else that bears on your labels.")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show who the reviewers are, or say who you are.

    The workbench asks each reviewer once. What is said goes into reviewers.csv of an export, and replaces what was said
    before; an empty value takes a field back.

    Example: medreview plan background sepsis.medreview --role physician --years 12 --specialty "intensive care"
    """
    from medreview.review.background import read_background, set_background
    from medreview.study.study_acts import background_of, backgrounds

    given = {"role": role, "years": years, "specialty": specialty, "words": words}
    new = {name: value for name, value in given.items() if value is not None}
    with open_study(study, read_only=not new) as opened:
        if new:
            who = decider(reviewer)
            before = {name: "" if value is None else str(value)
                      for name, value in asdict(background_of(opened.reader, who)).items()}  # fmt: skip
            set_background(opened, who, read_background(before | new))
        found = [one for one in backgrounds(opened.reader) if reviewer in (None, one[0])]
    lines = [f"{name}: {said.line or 'nothing is said'}" for name, said, _ in found]
    told = [{"reviewer": name, **asdict(said), "said_at": at} for name, said, at in found]
    result(told, *(lines or ["Nobody has reviewed this study yet."]), as_json=as_json)


Said = str | None


def declare(
    study: StudyFile,
    ethics: Annotated[Said, Option(metavar="TEXT", help="Ethics committee, number, consent.")] = None,
    privacy: Annotated[Said, Option(metavar="TEXT", help="How patient data were protected.")] = None,
    funding: Annotated[Said, Option(metavar="TEXT", help="Who paid, and their role in the study.")] = None,
    conflicts: Annotated[Said, Option(metavar="TEXT", help="Conflicts of interest of every author.")] = None,
    registration: Annotated[
        Said, Option(metavar="TEXT", help="Register and number, or that it was not registered.")
    ] = None,
    protocol: Annotated[
        Said, Option(metavar="TEXT", help="Where readers find the protocol, or that there is none.")
    ] = None,
    data: Annotated[Said, Option(metavar="TEXT", help="Where readers can get the data, or why not.")] = None,
    code: Annotated[Said, Option(metavar="TEXT", help="Where readers can get the code, or why not.")] = None,
    patients: Annotated[
        Said, Option(metavar="TEXT", help="Which patients or members of the public took part, in what.")
    ] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the declarations that a journal asks for.

    They are ethics, funding, registration and others. medreview stores who wrote each text and when. The report prints
    the texts at its end, checklists use them (`report --checklist`), and every copy and merge keeps them. An empty text
    clears a field.

    Example: medreview plan declare sepsis.medreview --funding "None." --registration "Not registered."
    """
    from medreview.study.study_acts import DECLARED, declarations
    from medreview.study.study_acts import declare as say_of

    given = {
        "ethics": ethics, "privacy": privacy, "funding": funding, "conflicts": conflicts, "registration": registration,
        "protocol": protocol, "data": data, "code": code, "patients": patients,
    }  # fmt: skip
    new = {name: text for name, text in given.items() if text is not None}
    with open_study(study, read_only=not new) as opened:
        if new:
            who = decider(reviewer)
            changed = sum(say_of(opened, who, name, text) for name, text in new.items())
            say(f"{counted(changed, 'field')} changed")
        found = declarations(opened.reader)
    lines = [f"{one.field}: {one_line(one.text)} ({one_line(one.by)}, {one.at[:10]})" for one in found]
    open_fields = [one.name for one in DECLARED if one.name not in (each.field for each in found)]
    if open_fields:
        lines.append(f"not declared yet: {', '.join(open_fields)}")
    result([asdict(one) for one in found], *lines, as_json=as_json)


def axes(
    study: Annotated[
        Path | None, Argument(metavar="[STUDY]", autocompletion=studies, help="The study.", show_default=False)
    ] = None,
    file: Annotated[
        Path | None, Argument(metavar="[FILE.toml]", help="Set the axes from this file.", show_default=False)
    ] = None,
    add: Annotated[
        str | None, Option(metavar="NAME", help="Add an axis that medreview ships: harm (severity of harm).")
    ] = None,
    example: Annotated[bool, Option("--example", help="Print a commented example file to start from.")] = False,
    text: Annotated[bool, Option("--text", help="Print the file that the study uses.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """List or set the study's own questions beside the verdict.

    Each such axis has its levels and keys. In the workbench, press z to label on them. medreview saves, undoes, hides,
    compares, exports and counts these labels like all others. You can set a changed file later: reword anything, add
    levels and axes. An axis or a level that has labels must stay.

    Example: medreview plan axes sepsis.medreview --add harm
    """
    from medreview.study import own_axes as found_in

    only_one({"FILE.toml": file, "--add": add, "--text": text, "--example": example})
    if example:
        print(found_in.shipped_text(found_in.EXAMPLE), end="")
        return
    if study is None:
        raise UserError("Name the study: `medreview plan axes STUDY`. Only --example works without one.")
    with open_study(study, read_only=file is None and add is None) as opened:
        if file is not None:
            found = found_in.set_axes(
                opened,
                decider(reviewer),
                _read_text(file, found_in.LONGEST, toml=True),
                one_line(str(file)),
            )
        elif add is not None:
            found = found_in.add_axis(opened, decider(reviewer), add)
        else:
            found = found_in.own_axes(opened.reader)
        now = found_in.axes_text(opened.reader)
    if text:
        result({"text": now}, *now.splitlines(), as_json=as_json)
        return
    if file or add:
        say("axes set; in the workbench, press z to label on them")
    none = "This study has no axes of its own. --add harm adds severity of harm; --example prints a file to start from."
    lines = [line for one in found.values() for line in _axis_lines(one)]
    told = [{**asdict(one), "axis": one.axis, "levels": [each._asdict() for each in one.levels]}
            for one in found.values()]  # fmt: skip
    result({"axes": told}, *(lines or [none]), as_json=as_json)


def _axis_lines(axis: "OwnAxis") -> list[str]:
    how = "any number" if axis.many else "one, in order" if axis.ordered else "one"
    return [
        f"{axis.name}: {axis.title} ({', '.join(axis.units)}; {how})",
        *([f"  {axis.about}"] if axis.about else []),
        *(f"  {level.key}  {level.name}" + (f": {level.definition}" if level.definition else "")
          for level in axis.levels),
    ]  # fmt: skip
