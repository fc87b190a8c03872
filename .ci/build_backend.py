"""Builds with setuptools, and puts a list of what was tested with it into the wheel: ``.dist-info/sboms`` (PEP 770).

The list is CycloneDX 1.5 in JSON, made of ``constraints.txt``: every package that a plain install brings on Linux or
macOS, with its version, and which versions of Python it is for. It has no time and no random number, so that the same
tree gives the same file.
"""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable", "get_requires_for_build_sdist",
    "get_requires_for_build_wheel", "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel",
]  # fmt: skip
"""The hooks of PEP 517 and 660: two are made here, the others are those of setuptools."""
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?: ; ([^\\\n]+))?", re.MULTILINE)
_ELSEWHERE = re.compile("sys_platform == '(?:win32|emscripten)'")


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """The folder ``.dist-info`` with the list in it."""
    name = build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
    place = Path(metadata_directory, name, "sboms", "medreview.cdx.json")
    place.parent.mkdir()
    place.write_text(json.dumps(_components(name), indent=1) + "\n", encoding="utf-8")
    return name


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """The wheel, with that folder."""
    if metadata_directory is not None:
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    with TemporaryDirectory() as folder:
        name = prepare_metadata_for_build_wheel(folder, config_settings)
        return build_meta.build_wheel(wheel_directory, config_settings, str(Path(folder, name)))


def _components(dist_info: str) -> dict[str, object]:
    name, version = dist_info.removesuffix(".dist-info").rsplit("-", 1)
    pins = _PIN.findall(Path("constraints.txt").read_text(encoding="utf-8"))
    pins = [pin for pin in pins if not _ELSEWHERE.search(pin[2])]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": _component("application", name, version)},
        "components": [_component("library", *pin) for pin in pins],
        # What needs what is in the metadata of each; all that is known here is that this needs them.
        "dependencies": [{"ref": _purl(name, version), "dependsOn": [_purl(*pin[:2]) for pin in pins]}],
    }


def _component(kind: str, name: str, version: str, marker: str = "") -> dict[str, object]:
    purl = _purl(name, version)
    told: dict[str, object] = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if marker:
        told["properties"] = [{"name": "python:marker", "value": marker.strip()}]
    return told


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"
