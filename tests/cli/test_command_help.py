"""What ``-h`` shows: the commands in their groups on one screen of 80 columns, every line whole."""

import re
import sqlite3

from medreview.cli.app import GROUPS, every_command
from medreview.cli.command_group import summary
from medreview.study.migrations import NEWEST
from tests.support.commands import Program


def test_the_first_help_is_one_screen_with_every_command_in_its_group(medreview: Program) -> None:
    program = Program(medreview.folder, {"COLUMNS": "80"})
    lines = program("-h").stdout.splitlines()
    shown = [line for line in lines if re.match(r"[A-Z]?[a-z]* +[a-z]+ {2,}\w", line)]
    headings = [line.split()[0] for line in shown if line[0] != " "]

    assert max(map(len, lines)) < 80
    assert len(lines) <= 36
    assert headings == list(GROUPS)
    assert [line[9:].split()[0] for line in shown] == [name for within in GROUPS.values() for name in within]
    assert "130 stopped" in lines[-1]
    assert program(check=2).stderr.splitlines() == lines


def test_every_summary_is_whole_on_its_line(medreview: Program) -> None:
    program = Program(medreview.folder, {"COLUMNS": "80"})
    commands = every_command()
    for name, command in commands.items():
        assert 10 < len(summary(command)) <= 60, name
        assert "..." not in summary(command), name
        if below := [inner for inner in commands if inner.startswith(f"{name} ")]:
            lines = program(name, "-h").stdout.splitlines()
            for inner in below:
                shown = f"{inner.partition(' ')[2]} {summary(commands[inner])}"
                assert [line for line in lines if " ".join(line.split()) == shown], shown


def test_a_narrow_terminal_folds_the_lines(medreview: Program) -> None:
    lines = Program(medreview.folder, {"COLUMNS": "56"})("-h").stdout.splitlines()
    assert all(len(line) < 56 for line in lines[5:-3])


def test_the_version_names_what_an_error_report_needs(medreview: Program) -> None:
    told = medreview("--version").stdout
    assert re.fullmatch(r"medreview \S+ \(Python 3\.\d+\.\S+, SQLite \S+, study format \d+\)\n", told)
    assert told.endswith(f"SQLite {sqlite3.sqlite_version}, study format {NEWEST})\n")
