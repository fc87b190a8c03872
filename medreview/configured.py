"""The network, its services and the judges as the settings want them: the same for commands and for Python.

Where a file would send texts and keys can be shown before the file is trusted.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import medreview
from medreview.config import NCBI_KEY, OPENALEX_KEY, Config, read_file
from medreview.errors import UserError
from medreview.llm.settings import TABLES, JudgeSettings, Role, as_told, check_settings, choose, keep_local, told_of
from medreview.next_step import command
from medreview.redaction import MARK, remember

if TYPE_CHECKING:
    from medreview.pipeline import Authorities, Choice, Examples, Judges, Meaning, PageProvider
    from medreview.sources.fetching.network import Network, Services


_PASSWORD: Final = re.compile(r"(?<=:)[^:@/][^@/]*(?=@)")


def read_guarded(path: Path) -> tuple[list[str], str]:
    """What a settings file says on where texts and keys go, a line each, and the whole text that says it.

    Raises :class:`UserError` as :func:`load_config` does.
    """
    file = read_file(path)
    told = file.values
    lines = []
    for role, table in TABLES.items():
        for judge in told.get(table, {}).values():
            key = f"the key in {judge.api_key_env}" if judge.api_key_env else "no key"
            lines.append(f"  {role} {told_of(judge)}, {key}")
    lines += (f"  service {name}: {as_told(address)}" for name, address in told.get("services", {}).items())
    if proxy := told.get("proxy"):
        lines.append(f"  proxy: {as_told(without_password(proxy))}")
    if prompts := told.get("prompts"):
        lines.append(f"  prompts: {as_told(prompts)}")
    references = told.get("references", {})
    lines += (f"  library of references: {as_told(name)}" for name in references.get("library", ()))
    if references.get("online"):
        lines.append("  references are looked up at the services")
    semantic = told.get("semantic", {})
    if encoder := semantic.get("encoder"):
        named = f" of the model {as_told(semantic['model'])}" if semantic.get("model") else ""
        lines.append(f"  model of meaning: {encoder}{named}")
    if asked := semantic.get("entailment"):
        lines.append(f"  model of entailment: {asked} of the model {as_told(semantic.get('entailment_model', ''))}")
    return lines, file.content


def without_password(address: str) -> str:
    """An address as it may be shown."""
    return _PASSWORD.sub(MARK, address)


_NCBI: Final = "https://eutils.ncbi.nlm.nih.gov/"
_OPENALEX: Final = "https://api.openalex.org"


class Untrusted(UserError):
    """A settings file says where texts and keys go, and its user did not trust it yet; ``file`` is that one."""

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        self.file = file
        super().__init__(
            f"The settings {file} would say where texts and keys go ({', '.join(names)}), and were not trusted yet, or "
            f"changed since. Read them, then: {command('config', 'trust', file)}"
        )


def _require(config: Config, names: Sequence[str]) -> None:
    """Raise :class:`Untrusted` when one of these settings comes from a file that was not trusted."""
    for file in dict.fromkeys(config.untrusted[name] for name in names if name in config.untrusted):
        raise Untrusted(file, [name for name in names if config.untrusted.get(name) == file])


def make_keys_known(config: Config) -> None:
    """Name every key and password that these settings and the environment hold to ``redaction``, whoever uses them.

    Not those of settings that were not trusted: they could name any variable as a key.
    """
    for name in (NCBI_KEY, OPENALEX_KEY):
        remember(os.environ.get(name, ""))
    for table in TABLES.values():
        for name, judge in getattr(config, table).items():
            if f"{table}.{name}" not in config.untrusted:
                remember(judge.key)
    if "proxy" not in config.untrusted and "@" in config.proxy:
        remember(unquote(config.proxy.rpartition("@")[0].rpartition(":")[2]))


def services_of(config: Config) -> "Services":
    """The services to ask, as the settings name them, and the contact of the settings.

    The keys are those of the environment variables ``NCBI_API_KEY`` and ``OPENALEX_API_KEY``; one goes to NCBI, one to
    OpenAlex, and neither anywhere else. Raises :class:`UserError` for an address without a host.
    """
    from medreview.sources.fetching.network import Services

    _require(config, [f"services.{name}" for name in config.services])
    for name, address in config.services.items():
        if not _has_host(address):
            raise UserError(f"The service {name!r} of the settings must be a web address, such as https://example.org.")
    services = Services(contact=config.contact)
    services = replace(services, **config.services)
    if services.eutils.startswith(_NCBI):
        services = replace(services, ncbi_key=os.environ.get(NCBI_KEY, ""))
    if services.openalex.rstrip("/") == _OPENALEX:
        services = replace(services, openalex_key=os.environ.get(OPENALEX_KEY, ""))
    return services


def network_of(config: Config, proxy: str | None = None, respect_robots: bool | None = None) -> "Network":
    """The network as the settings want it, unless the caller says otherwise: who asks, how, and how far apart."""
    from medreview.sources.fetching.network import Network

    if proxy is None:
        _require(config, ["proxy"])
    make_keys_known(config)
    agent = f"medreview/{medreview.__version__}" + (f" ({config.contact})" if config.contact else "")
    return Network(
        user_agent=agent,
        proxy=config.proxy if proxy is None else proxy,
        respect_robots=config.respect_robots if respect_robots is None else respect_robots,
        delays=services_of(config).delays(),
    )


def pages_of(
    config: Config,
    saved: Path | None = None,
    proxy: str | None = None,
    respect_robots: bool | None = None,
    *,
    ocr: bool | None = None,
) -> "PageProvider":
    """Where pages are taken from: saved ones, else the network of the settings; and whether scans are read."""
    from medreview.pipeline import PageProvider

    read = config.ocr == "scans" if ocr is None else ocr
    if saved is not None:
        return PageProvider(saved, ocr=read)
    return PageProvider(saved, network_of(config, proxy, respect_robots), services_of(config), read)


def authorities_of(
    config: Config,
    libraries: Sequence[Path] = (),
    *,
    ask: bool | None = None,
    proxy: str | None = None,
    say: Callable[[str], None] | None = None,
) -> "Authorities | None":
    """Authorities to check references against: ``libraries``, else the settings', and with ``ask`` the services.

    ``None`` without any. ``say`` gets what is sent where, before the first request. Raises :class:`Untrusted`, and
    :class:`UserError` for a library that cannot be used.
    """
    from medreview.pipeline import Authorities, library_of

    wanted = [name for name, given in (("library", bool(libraries)), ("online", ask is not None)) if not given]
    _require(config, [f"references.{name}" for name in wanted])
    files = libraries or config.libraries
    asks = bool(config.references.get("online")) if ask is None else ask
    if not files and not asks:
        return None
    library = library_of(files) if files else None
    return Authorities(services_of(config), network_of(config, proxy), library, asks, say)


def meaning_of(config: Config, wanted: bool | None = None, *, local_only: bool = False) -> "Meaning | None":
    """The model of meaning that helps to order the queue; ``None`` where it is not wanted.

    ``wanted``: ``None`` is as the settings say; with ``True`` and no model set it is the packaged encoder. Raises
    :class:`Untrusted`, and :class:`UserError` for settings that name no model of theirs, and with ``local_only`` for an
    endpoint that is not on this machine.
    """
    asks = config.semantic.get("encoder") or config.semantic.get("entailment")
    if wanted is False or (not wanted and not asks):
        return None
    from medreview.pipeline import Meaning
    from medreview.semantic.configured import SemanticSettings, endpoint_of, entailment_of

    _require(config, [f"semantic.{name}" for name in config.semantic])
    settings = SemanticSettings(**config.semantic)
    if not asks:
        settings = replace(settings, encoder="minilm")
    endpoint, entailment = (
        model and model_of(config, model.name, local_only=local_only)
        for model in (endpoint_of(settings, config.models), entailment_of(settings, config.models))
    )
    return Meaning(settings, endpoint, entailment=entailment)


def judges_of(
    config: Config,
    wanted: Sequence[str | JudgeSettings],
    *,
    task: str = "",
    again: bool = False,
    local_only: bool = False,
    choice: "Choice | None" = None,
    examples: "Examples | None" = None,
) -> "Judges":
    """The judges to ask, each once: those of the settings by name, others as given; with the user's own prompts.

    ``choice``: the part of the study that they are asked about, by default all of it.
    ``examples``: worked ones to show.

    Raises :class:`Untrusted`, and :class:`UserError` for no judge at all, an unknown name, wrong settings, two judges
    of one name, and with ``local_only`` for a judge that is not on this machine.
    """
    from medreview.judges.tasks.registry import DEFAULT
    from medreview.pipeline import Choice, Judges

    if not wanted:
        raise UserError("Name a judge: one of the tables [judges.NAME] of the settings, or JudgeSettings.")
    chosen = _chosen(config, wanted, "judge", config.judges, local_only)
    return Judges(chosen, task or DEFAULT, prompts_of(config), again, choice or Choice(), examples)


def model_of(config: Config, wanted: str | JudgeSettings, *, local_only: bool = False) -> JudgeSettings:
    """A model that writes: the table ``[models.NAME]``, else ``[judges.NAME]``, since a judge can write as well.

    Raises as :func:`judges_of`.
    """
    judges = {name: replace(judge, role="model") for name, judge in config.judges.items()}
    return _chosen(config, [wanted], "model", {**judges, **config.models}, local_only)[0]


def _chosen(
    config: Config,
    wanted: Sequence[str | JudgeSettings],
    role: Role,
    known: Mapping[str, JudgeSettings],
    local_only: bool,
) -> list[JudgeSettings]:
    given = {judge.name: judge for judge in wanted if isinstance(judge, JudgeSettings)}
    for judge in given.values():
        check_settings(judge, f"{role.capitalize()} {judge.name!r}")
    names = [judge if isinstance(judge, str) else judge.name for judge in wanted]
    if given and len(set(names)) < len(names):
        raise UserError(f"Two {role}s have the name {max(names, key=names.count)!r}; give one of them another name.")
    chosen = choose({**known, **given}, names, role)
    tables = {name: "models" if role == "model" and name in config.models else "judges" for name in names}
    _require(config, [f"{tables[name]}.{name}" for name in names if name not in given])
    make_keys_known(config)
    if local_only:
        keep_local(chosen)
    return chosen


def prompts_of(config: Config) -> Path | None:
    """The folder with the user's own prompts; ``None`` without one. Raises :class:`Untrusted`."""
    _require(config, ["prompts"])
    return config.prompts_folder


def _has_host(address: str) -> bool:
    try:
        host, port = urlsplit(address).hostname, urlsplit(address).port
    except ValueError:
        return False
    return bool(host) and port != 0 and not any(sign.isspace() or ord(sign) < 32 for sign in address)
