"""Every command, over texts and file names that would act on a terminal: what reaches its streams."""

import json
import subprocess
import unicodedata
from pathlib import Path

import pytest

from medreview.cli.app import every_command
from medreview.cli.command_tree import command_of
from tests.support.commands import Done, Program, in_process
from tests.support.ssh_keys import HAS_SSH, new_key

BAD = "\u202eevil\ufff9\ufffa\ufffb\x1b[31m\x9b\u200b\U000e0041\nINJECTED\r\x07"
STUDY = f"study {BAD}.medreview"
HIDDEN = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
COMMANDS = (
    ("run", STUDY, f"answers{BAD}.jsonl", "--pages", "pages"),
    ("import", STUDY, f"answers{BAD}.jsonl", "--map", f"x{BAD}=question"),
    ("import", STUDY, f"answers{BAD}.jsonl"),
    ("import", STUDY, f"missing{BAD}.jsonl"),
    ("import", STUDY, f"broken{BAD}.jsonl"),
    ("fetch", STUDY, "--pages", f"pages{BAD}"),
    ("fetch", STUDY, "--pages", "pages", "--save-pages", f"kept{BAD}"),
    ("sources", "attach", STUDY, BAD, f"missing{BAD}.txt"),
    ("parse", STUDY),
    ("parse", STUDY, "--left-out"),
    ("parse", STUDY, "--promote", BAD),
    ("judge", STUDY),
    ("judge", STUDY, "--judge", BAD),
    ("judge", STUDY, "--judge", "own", "--dry-run"),
    ("judge", STUDY, "--judge", "own", "--batch-out", f"batch{BAD}"),
    ("judge", STUDY, "--judge", "own", "--batch-in", f"missing{BAD}"),
    ("docs", BAD),
    ("judges",),
    ("judges", "list", BAD),
    ("judges", "--study", STUDY),
    ("judges", "choose", STUDY),
    ("papers", "replay", "cds", STUDY),
    ("papers", "replay", "cds", STUDY, f"answers{BAD}.jsonl"),
    ("papers", "replay", BAD, STUDY),
    ("judges", "choose", STUDY, "--reviewer", BAD),
    ("import", "--as", "facts", STUDY, f"facts{BAD}.csv"),
    ("generate", "questions", STUDY, "--model", BAD),
    ("generate", "questions", STUDY, "--model", "own", "--dry-run"),
    ("generate", "questions", STUDY, "--model", "own", "--batch-in", f"missing{BAD}"),
    ("generate", "override-themes", STUDY, "--model", "own", "--reviewer", BAD, "--dry-run"),
    ("report", STUDY),
    ("report", STUDY, "--checklist", "grras"),
    ("report", STUDY, "--checklist", BAD),
    ("report", STUDY, f"report{BAD}.html", "--markdown", f"report{BAD}.md", "--briefs", f"briefs{BAD}.html"),
    ("judges", "batches", STUDY),
    ("judges", "batches", STUDY, "--cancel", BAD),
    ("sources", "diff", STUDY),
    ("sources", "diff", STUDY, "--whole"),
    ("stats", STUDY),
    ("stats", STUDY, "--full"),
    ("plan", "audit", STUDY, "--size", "2", "--reviewer", BAD),
    ("plan", "guidelines", STUDY, "--set", f"rules{BAD}.md", "--reviewer", BAD),
    ("plan", "guidelines", STUDY, "--set", f"missing{BAD}.md"),
    ("plan", "guidelines", STUDY),
    ("plan", "axes", STUDY, f"axes{BAD}.toml", "--reviewer", BAD),
    ("plan", "axes", STUDY, f"missing{BAD}.toml"),
    ("plan", "axes", STUDY, "--add", BAD),
    ("plan", "axes", STUDY),
    ("plan", "background", STUDY, "--role", BAD, "--reviewer", BAD),
    ("plan", "declare", STUDY, "--funding", BAD, "--reviewer", BAD),
    ("plan", "declare", STUDY),
    ("check", "--identifiers", STUDY, "--sent-anyway", "--reviewer", BAD),
    ("check", "--identifiers", STUDY),
    ("plan", "gold", STUDY, "--add", "R01 S1", "supported", "--why", BAD),
    ("plan", "gold", STUDY, "--add", BAD, BAD),
    ("plan", "gold", STUDY, "--import", f"answers{BAD}.jsonl"),
    ("plan", "share", STUDY),
    ("team", "conflicts", STUDY),
    ("team", "package", STUDY, f"package{BAD}.medreview"),
    ("team", "split", STUDY, "2"),
    ("papers", "assisted", STUDY),
    ("papers", "reproduce", "--votes", f"missing{BAD}.json"),
    ("config",),
    ("config", "show"),
    ("config", "set", BAD, BAD),
    ("config", "unset", BAD),
    ("config", "explain", BAD),
    ("review", "--recent"),
    ("review", STUDY, "--picture", f"picture{BAD}.svg", "--filter", BAD),
    ("review", STUDY, "--picture", f"picture{BAD}.svg", "--queue", "responses", "--size", "80x24"),
    ("plan", "draw", STUDY, "statements", "2", "--name", BAD),
    ("plan", "draw", STUDY, "statements", "2", "--seed", BAD, "--name", "some"),
    ("plan", "assign", STUDY, "some", "--to", f"ann,bo{BAD}"),
    ("plan", "show", STUDY),
    ("plan", "retract", STUDY, BAD, "--reason", BAD),
    ("judges", "swap", STUDY),
    ("judges", "runs", STUDY),
    ("judges", "runs", STUDY, BAD, BAD),
    ("plan", "consent", STUDY, f"rules{BAD}.md"),
    ("plan", "consent", STUDY, f"missing{BAD}.md"),
    ("plan", "consent", STUDY),
    ("plan", "consent", STUDY, "--none"),
    ("plan", "second-pass", STUDY, "--seed", BAD, "--reviewer", BAD),
    ("sources", "addresses", STUDY),
    ("sources", "addresses", STUDY, "--paywalled", f"missing{BAD}.toml"),
    ("citations", STUDY),
    ("citations", f"answers{BAD}.jsonl", "--csv", f"cited{BAD}", "--html", f"cited{BAD}.html"),
    ("references", f"list{BAD}.txt", "--library", f"library{BAD}.jsonl", "--csv", f"checked{BAD}.csv", "--all"),
    ("references", f"library{BAD}.jsonl", "--library", f"library{BAD}.jsonl", "--all"),
    ("references", f"answers{BAD}.jsonl", "--offline", "--show", BAD),
    ("references", f"missing{BAD}.txt"),
    ("references", STUDY, "--library", f"library{BAD}.jsonl", "--all"),
    ("references", STUDY, "--offline"),
    ("references", f"list{BAD}.txt", "--library", f"broken{BAD}.jsonl"),
    ("references", "--jsonl", "--library", f"library{BAD}.jsonl"),
    ("evidence", "--jsonl"),
    ("judges", "prompts"),
    ("judges", "prompts", BAD),
    ("export", STUDY, f"labels{BAD}", "--sqlite", f"all{BAD}.db"),
    ("export", STUDY, f"labels{BAD}"),
    ("team", "merge", STUDY, f"missing{BAD}.medreview"),
    ("team", "merge", STUDY, STUDY),
    ("backup", STUDY, f"copy{BAD}.medreview"),
    ("seal", STUDY, "--key", f"key{BAD}", "--reviewer", BAD, "--out", f"seal{BAD}"),
    ("seal", STUDY, "--key", f"missing{BAD}"),
    ("check", STUDY),
    ("config", "trust", f"settings{BAD}.toml"),
    ("config", "trust", f"missing{BAD}.toml"),
    ("config", "where", STUDY),
    ("demo", "--no-open", "--study", f"demo{BAD}.medreview"),
    ("review", STUDY, "--plain", "--filter", BAD),
    ("review", STUDY, "--plain", "--queue", BAD),
    ("review", STUDY, "--plain", "--queue", "responses"),
    ("review", STUDY, STUDY),
    (f"no-such{BAD}",),
    ("stats", STUDY, f"--no-such{BAD}"),
    ("stats", STUDY, f"more{BAD}"),
    ("judge", STUDY, "--limit", BAD),
    ("stats", f"missing{BAD}.medreview"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers, pages and settings that hold it everywhere."""
    folder = tmp_path_factory.mktemp("hostile")
    said = f"Metformin{BAD} is not started below an eGFR of 30. It is {BAD} stopped before contrast."
    answer = {"id": f"r{BAD}", "model": f"atlas{BAD}", "question": f"May I go on{BAD}?", "response": said,
              "citations": ["https://drug.example/metformin", f"https://drug.example/{BAD}", BAD],
              BAD: BAD}  # fmt: skip
    lines = [json.dumps(answer), json.dumps({**answer, "response": f"Aspirin{BAD} is avoided under 16 years."})]
    (folder / f"answers{BAD}.jsonl").write_text("\n".join(lines))
    (folder / f"broken{BAD}.jsonl").write_text(f'{{"response": "{BAD}')
    title = f"Metformin{BAD} in renal{BAD} failure"
    work = {"id": f"w{BAD}", "type": f"article{BAD}", "title": title, "DOI": f"10.5555/x{BAD}", "publisher": BAD,
            "author": [{"family": f"Lee{BAD}", "given": BAD}], "issued": {"raw": f"2019{BAD}"}}  # fmt: skip
    (folder / f"library{BAD}.jsonl").write_text(f"{json.dumps(work)}\n[{BAD}\n")
    (folder / f"list{BAD}.txt").write_text(
        "Lee K\u202e. Metformin\ufff9 in renal\x1b[31m failure. Lan\u200bcet. 2011;1:2-3.\n"
        "Lee\x9b K. Odd\x07. 2001. PMID: 1"
    )
    (folder / f"facts{BAD}.csv").write_text(f"question,fact,category\nQ{chr(0x202E)},eGFR below 30,\u202eodd\n")
    rules = f"# Rules{BAD}\n\n- A rule{BAD}.\n".replace("INJECTED", "that may begin a line: it is a text")
    (folder / f"rules{BAD}.md").write_text(rules)
    if HAS_SSH:
        new_key(folder / f"key{BAD}")
    (folder / "pages").mkdir()
    page = f"<title>Metformin{BAD}</title><p>Do not start metformin below an eGFR of 30{BAD}.</p>" * 20
    (folder / "pages" / "manifest.jsonl").write_text(
        json.dumps({"url": "https://drug.example/metformin", "file": "a.html", "status": 200}) + "\n"
    )
    (folder / "pages" / "a.html").write_text(page)
    (folder / "config" / "medreview").mkdir(parents=True)
    own = '[judges.own]\nmodel = "m\\u202e\\ufff9"\nbase_url = "http://127.0.0.1:9/v1"\n'
    (folder / "config" / "medreview" / "medreview.toml").write_text(
        'reviewer = "kb\\u202e"\n' + own.replace("\\u202e\\ufff9", "")
    )
    (folder / f"settings{BAD}.toml").write_text(own)
    return folder


def assert_safe(done: Done, given: tuple[str, ...]) -> None:
    shown = done.stdout + done.stderr
    assert not {hex(ord(char)) for char in shown if char != "\n" and unicodedata.category(char) in HIDDEN}, (
        given,
        shown,
    )
    if "--plain" in given:  # line mode fills lines: any word may begin one
        return
    assert not [line for line in shown.split("\n") if line.lstrip().startswith("INJECTED")], (given, shown)


def run(medreview: Program, *arguments: str) -> Done:
    """Whatever its exit code, as long as it is one of those that a mistake or a check has."""
    done = in_process(arguments, medreview.folder, medreview.own, "1\nn note\u202e\nq\n")
    assert done.returncode in (0, 1, 2, 3), done.stderr
    return done


def test_nothing_from_outside_acts_on_the_terminal_and_no_name_begins_a_line(folder: Path) -> None:
    medreview = Program(folder)
    commands = every_command()
    walked = {command_of(arguments, commands)[0] for arguments in COMMANDS}
    every = {name for name, one in commands.items() if not hasattr(one, "commands")}
    assert {name for name in every - walked if not name.startswith("generate ")} == set(), "every command is walked"
    for arguments in COMMANDS:
        assert_safe(run(medreview, *arguments), arguments)
        known = commands.get(command_of(arguments, commands)[0])
        if known is not None and any("--json" in option.opts for option in known.params):
            assert_safe(run(medreview, *arguments, "--json"), arguments)


def test_json_says_what_is_there_and_a_command_that_is_printed_can_be_given(folder: Path) -> None:
    medreview = Program(folder)
    run(medreview, "run", STUDY, f"answers{BAD}.jsonl", "--pages", "pages")
    places = json.loads(medreview("config", "where", STUDY, "--json").stdout)
    assert places["study"] == str(folder / STUDY)
    missing = medreview("stats", f"gone{BAD}.medreview", check=2).stderr
    printed = missing.partition("`")[2].partition("`")[0]
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {printed}"], capture_output=True, check=True).stdout
    assert words.decode().split("\0")[:3] == ["medreview", "run", f"gone{BAD}.medreview"]
