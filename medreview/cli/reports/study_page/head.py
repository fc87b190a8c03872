"""The head of the report: which study, in which state, by which rules."""

from medreview.cli.output import one_line
from medreview.cli.reports.page_parts import Fields, Section
from medreview.cli.reports.part import part_lines
from medreview.cli.reports.stats_screen import contents
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.words import date
from medreview.words import counted, in_words


def provenance_section(material: Material) -> Section:
    """What to name beside any figure of this report."""
    figures, origin = material.figures, material.figures.provenance
    head = f"{origin.event_head} (newest of {counted(origin.events, 'event')})" if origin.event_head else "no event yet"
    told = [
        f"{one_line(who)}: {', '.join(f'{count:,} {title}' for title, count in groups.items())}"
        for who, groups in origin.labels.items()
        if groups
    ]
    told += [
        f"{one_line(one.rater)}: {one.labels:,} on {kind.title}" for kind in figures.headlines for one in kind.people
    ]
    labels = ", ".join(told)
    rows = [
        ("study", f"{one_line(material.name)}, id {origin.study_id}"),
        ("event head", head),
        ("made", f"{date(origin.made_at)} with medreview {origin.version}"),
        ("contents", contents(figures)),
        *([("part of the study", "; ".join(part_lines(figures.part)))] if figures.part else []),
        ("reviewers", ", ".join(map(one_line, material.reviewers)) or "nobody has decided anything yet"),
        ("labels", f"{labels or 'none'}; label set version {origin.label_set_version}"),
        ("tie rule", in_words(origin.tie_rule)),
        ("resampling", f"{origin.replicates:,} replicates, seed {origin.seed}"),
        ("comparisons", f"{origin.comparisons:,} of two opinions stand side by side in this report"),
    ]
    return Section("provenance", "Where this report comes from", (Fields(tuple(rows)),))
