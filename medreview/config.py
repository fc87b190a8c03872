"""The reviewer's settings, from a TOML file, and where medreview keeps things.

Code to read and check such a file is loaded if there is one.
"""

import getpass
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.labels import REVEALS, Reveal
from medreview.setting import SERVICES, about, flat, is_under, settings_in
from medreview.settings_places import find_configs

if TYPE_CHECKING:
    from medreview.llm.settings import JudgeSettings

NCBI_KEY: Final = "NCBI_API_KEY"
OPENALEX_KEY: Final = "OPENALEX_API_KEY"
ENVIRONMENT: Final[Mapping[str, str]] = {
    "NO_COLOR": "Set to anything: no colour at all; states are always words and marks too.",
    NCBI_KEY: "The key that is sent to E-utilities of NCBI, for ten requests a second.",
    OPENALEX_KEY: "The key that is sent to OpenAlex, which answers few questions a day without one.",
}
"""The environment variables that are read, beside those that judges name as ``api_key_env``: what each is for."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings. Each has a default; an unknown key in the file is an error and is not ignored."""

    reviewer: str = field(
        default="",
        metadata=about(
            "Who decides: stored with every decision.",
            more="`--reviewer` on the command line goes before it.",
            unset="the login name",
            example="kb",
        ),
    )
    theme: str = field(
        default="dark",
        metadata=about(
            "The colours of the workbench; `ansi-dark` and `ansi-light` are the terminal's own 16, `mono` are none.",
            more="`ansi` is `ansi-dark`. The line of `:` shows each while the pointer is on it; Enter keeps it here.",
            choices=("dark", "light", "ansi", "ansi-dark", "ansi-light", "mono"),
            example="light",
        ),
    )
    ascii: bool = field(default=False, metadata=about("Draw with ASCII characters only.", example="true"))
    mouse: bool = field(
        default=True,
        metadata=about(
            "The mouse: a click on an item, a source or a key, and the wheel. Shift and drag selects text.",
            example="false",
            page="../how-to/reviewing.md#set-up-the-workbench",
        ),
    )
    links: bool = field(
        default=False,
        metadata=about(
            "Addresses of sources are links of the terminal (OSC 8), where their host is shown in full.",
            more="A terminal opens them in a browser: the page then learns that it is looked at.",
            example="true",
            page="../how-to/reviewing.md#set-up-the-workbench",
        ),
    )
    output: Literal["changes", "plain"] = field(
        default="changes",
        metadata=about(
            "What the workbench writes to the terminal: the cells that changed, or `plain`, whole rows.",
            more="`plain` is for a terminal on which remains of an earlier screen stay; it takes two to three times as "
            "many bytes.",
            choices=("changes", "plain"),
            example="plain",
        ),
    )
    last_screen: bool = field(
        default=True,
        metadata=about(
            "At the next start, show the screen as it was left until the workbench is there.",
            more="For that the first screen, or the queue that was opened by name, is kept in the folder for the state "
            "of programs, readable by you alone. `false` keeps none, and removes that of the study that is opened.",
            example="false",
            page="../how-to/reviewing.md#set-up-the-workbench",
        ),
    )
    goal: str = field(
        default="",
        metadata=about(
            "What a sitting is to come to: so many decisions (`60`), or a time (`45min`, `1h30`).",
            more="`--goal` on the command line goes before it.",
            unset="none",
            example="60",
            page="../how-to/reviewing.md#open-a-study",
        ),
    )
    copy: Literal["auto", "terminal", "file", "both"] = field(
        default="auto",
        metadata=about(
            "Where `y` puts what it copies.",
            more="`terminal`: to the terminal (OSC 52), which need not take it and does not answer. `file`: into "
            "copied.txt in the folder for the state of programs. `both`. `auto`: to the terminal, and into the file "
            "where the terminal is not known to take it.",
            choices=("auto", "terminal", "file", "both"),
            example="both",
            page="../how-to/reviewing.md#copy-a-statement",
        ),
    )
    reveal: Reveal = field(
        default="block",
        metadata=about(
            "When a blind queue shows the judges: after each `block` of 20, or after `each` decision.",
            choices=REVEALS,
            example="each",
            page="../how-to/reviewing.md#review-blind",
        ),
    )
    learned_order: bool = field(
        default=True,
        metadata=about(
            "Order triage by your own labels, from 25 on.",
            more="`false`: triage has the order of the rules. `F4` turns it off in one study.",
            example="false",
            page="../how-to/reviewing.md#let-triage-learn-from-you",
        ),
    )
    contact: str = field(
        default="",
        metadata=about(
            "An address or web page, sent as part of the user agent when pages are fetched.",
            example="kb@hospital.example",
        ),
    )
    proxy: str = field(
        default="",
        metadata=about(
            "A proxy for fetching, `http://[user:password@]host:port`.",
            more="The environment is never asked for one.",
            example="http://proxy.example:3128",
            guarded=True,
        ),
    )
    respect_robots: bool = field(
        default=False,
        metadata=about("Ask each site's robots.txt before a page is fetched from it.", example="true"),
    )
    ocr: Literal["off", "scans"] = field(
        default="off",
        metadata=about(
            "`scans`: pages of PDFs that have no text are read from their pictures, by `medreview[ocr]`.",
            more="`--ocr` and `--no-ocr` on the command line go before it. A page takes a few seconds.",
            choices=("off", "scans"),
            example="scans",
            page="../how-to/sources.md#scanned-pages",
        ),
    )
    services: Mapping[str, str] = field(
        default_factory=dict,
        metadata=about(
            f"Base addresses in place of the public ones: {', '.join(f'`{name}`' for name in SERVICES)}.",
            unset="the public ones",
            example='{eutils = "https://mirror.example/eutils"}',
            page="../how-to/sources.md#identifiers",
            guarded=True,
        ),
    )
    keys: Mapping[str, str] = field(
        default_factory=dict,
        metadata=about(
            "Action = key, or several keys parted by commas.",
            more="Names of actions stand in `?`. A key is one character, or a name as `?` shows it: Space, Tab, F5. "
            "Digits are for verdicts alone.",
            unset="as in the table of keys",
            example='{defer = "F9"}',
            page="keys-and-labels.md",
        ),
    )
    prompts: str = field(
        default="",
        metadata=about(
            "A folder with prompts of your own: TASK.md there takes the place of the one of this program.",
            more="A relative path begins at the folder of the settings file.",
            example="my-prompts",
            page="../how-to/judges.md#prompts-of-your-own",
            guarded=True,
        ),
    )
    synonyms: str = field(
        default="",
        metadata=about(
            "A TOML file with words of your own that stand for one another.",
            more="They are added to those of the program; pairs that were judged before are not judged again. "
            "A relative path begins at the folder of the settings file.",
            example="own.toml",
            page="../explanation/evidence.md#highlights",
        ),
    )
    references: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=about(
            "What `run` holds references against: `library`, a file or a list of files; with `online` the services.",
            more="`--library` and `--references` on the command line go before it; `parse` asks the library only. "
            "A relative path begins at the folder of the settings file.",
            unset="nothing: they are found only",
            example='{library = "guideline-group.json", online = false}',
            page="../how-to/references.md",
            guarded=True,
        ),
    )
    semantic: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=about(
            "A model of meaning that helps to order the queue: `encoder`, and for an endpoint `model`.",
            more="`entailment` and `entailment_model` ask whether a page contradicts a statement. `--semantic` and "
            "`--no-semantic` on the command line go before it.",
            unset="none: the rules alone",
            example='{encoder = "minilm"}',
            page="../how-to/model-of-meaning.md",
            guarded=True,
        ),
    )
    judges: "Mapping[str, JudgeSettings]" = field(
        default_factory=dict,
        metadata=about(
            "The models that can be asked, one table `[judges.NAME]` each.",
            unset="none",
            example='{near = {model = "llama-3.3-70b", base_url = "http://localhost:8000/v1"}}',
            page="#a-judge",
            guarded=True,
        ),
    )
    models: "Mapping[str, JudgeSettings]" = field(
        default_factory=dict,
        metadata=about(
            "The models that write what is reviewed, one table `[models.NAME]` each, with the fields of a judge.",
            unset="none",
            example='{writer = {model = "llama-3.3-70b", base_url = "http://localhost:8000/v1"}}',
            page="#a-judge",
            guarded=True,
        ),
    )
    untrusted: Mapping[str, Path] = field(default_factory=dict)
    """The settings that say where texts and keys go (``judges.NAME``, ``models.NAME``, ``services.NAME``, ``proxy``,
    ``prompts``, ``references.NAME``, ``semantic.NAME``) and come from a file not trusted yet: known, and not used
    (``medreview.configured``)."""
    origins: Mapping[str, Path] = field(default_factory=dict)
    """The file that each value was taken from, by its full name: ``theme``, ``keys.defer``, ``judges.NAME.model``."""

    @property
    def prompts_folder(self) -> Path | None:
        """The folder of ``prompts``; ``None`` when it is not set."""
        return Path(self.prompts) if self.prompts else None

    @property
    def synonyms_file(self) -> Path | None:
        """The file of ``synonyms``; ``None`` when it is not set."""
        return Path(self.synonyms) if self.synonyms else None

    @property
    def libraries(self) -> tuple[Path, ...]:
        """The files of ``references.library``."""
        named = self.references.get("library", ())
        return tuple(map(Path, (named,) if isinstance(named, str) else named))


SETTINGS: Final = settings_in(Config)
"""Every setting of a file by its name, in order; ``llm.settings`` has those of a judge's or model's table."""
GUARDED: Final = tuple(name for name, setting in SETTINGS.items() if setting.guarded)
"""The settings that say where texts and keys go, and what is asked."""


class SettingsFile(NamedTuple):
    """One settings file as it was read: ``told`` holds its values, ``problems`` a sentence for each mistake."""

    path: Path
    content: str
    told: Mapping[str, Any]
    problems: Sequence[str] = ()

    @property
    def values(self) -> dict[str, Any]:
        """The settings, with its judges, and paths beside the file; raises :class:`UserError` with the first problem"""
        from medreview.llm.settings import TABLES, models_from

        if self.problems:
            raise UserError(self.problems[0])
        # Beside the settings, whatever folder the command is given in.
        beside: dict[str, Any] = {
            key: self._beside(self.told[key]) for key in ("prompts", "synonyms") if self.told.get(key)
        }
        references = self.told.get("references", {})
        if library := references.get("library"):
            named = [library] if isinstance(library, str) else library
            beside["references"] = {**references, "library": [*map(self._beside, named)]}
        asked = {
            table: models_from(self.told[table], self.path, role)
            for role, table in TABLES.items()
            if table in self.told
        }
        return {**self.told, **asked, **beside}

    def _beside(self, name: str) -> str:
        return str(self.path.parent / Path(name).expanduser())


def load_config(path: Path | None = None) -> Config:
    """The settings; raises :class:`UserError` naming the key that is unknown, has a wrong value, or is given twice.

    With a ``path`` only that file is read, which whoever names it is taken to know. Otherwise the user's own and the
    one in the working folder. The latter goes before the user's, but for what says where texts and keys go: there the
    user's own goes before it, and it counts only once it was trusted.
    """
    if path is not None:
        file = read_file(path)
        origins = dict.fromkeys(flat(file.told), path)
        return Config(**{"reviewer": login_name(), **file.values}, origins=origins)
    return config_of(map(read_file, find_configs()))


def config_of(files: Iterable[SettingsFile]) -> Config:
    """The settings of several files, the user's own first; raises :class:`UserError` as :func:`load_config` does."""
    merged: dict[str, Any] = {"reviewer": login_name()}
    untrusted: dict[str, Path] = {}
    origins: dict[str, Path] = {}
    for file in files:
        values = file.values
        guarded = {name: values.pop(name) for name in GUARDED if name in values}
        merged |= values
        added = _added(merged, guarded)
        if added and _needs_trust(file):
            untrusted |= dict.fromkeys(added, file.path)
        taken = [*values, *added]
        origins = {name: place for name, place in origins.items() if not is_under(name, values)}
        origins |= dict.fromkeys((name for name in flat(file.told) if is_under(name, taken)), file.path)
    return Config(**merged, untrusted=untrusted, origins=origins)


def _needs_trust(file: SettingsFile) -> bool:
    from medreview.settings_files import is_own, is_trusted

    return not is_own(file.path) and not is_trusted(file.path, file.content)


def guarded_settings(told: Mapping[str, Any]) -> list[str]:
    """The names of what says where texts and keys go: ``judges.NAME``, ``services.NAME``, ``proxy``, ``prompts``,
    ``references.NAME``, ``semantic.NAME``."""
    names = []
    for name in GUARDED:
        value = told.get(name)
        names += [f"{name}.{key}" for key in value] if isinstance(value, Mapping) else [name] if value else []
    return names


def _added(merged: dict[str, Any], guarded: Mapping[str, Any]) -> list[str]:
    """Add what is not there yet, table by table; the names of what came in."""
    before = set(guarded_settings(merged))
    for name, value in guarded.items():
        if isinstance(value, Mapping):
            merged[name] = {**value, **merged.get(name, {})}
        elif not merged.get(name):
            merged[name] = value
    return [name for name in guarded_settings(merged) if name not in before]


def read_file(path: Path) -> SettingsFile:
    """A settings file with the mistakes in it; raises :class:`UserError` where it cannot be read, or others may write
    what it says of texts and keys."""
    from medreview.settings_files import check_private, problems, read_settings

    try:
        content, about = read_settings(path)
        told = told_in(content, path)
        if guarded_settings(told):
            check_private(path, about)
    except OSError as error:
        raise UserError(f"The settings {path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise UserError(f"The settings {path} are not valid TOML: {error}.") from error
    return SettingsFile(path, content, told, list(problems(told, SETTINGS, path)))


def told_in(content: str, path: Path) -> dict[str, Any]:
    """The values in a settings file, unchecked; raises :class:`UserError` if it is not TOML."""
    import tomllib

    try:
        return tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"The settings {path} are not valid TOML: {error}.") from error


def login_name() -> str:
    """The reviewer where none is set."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "reviewer"
