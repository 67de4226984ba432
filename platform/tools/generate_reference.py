#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of all keys in docs/reference, and the types of Python's keywords, from their own declarations.

    generate_reference.py SPICA_BINARY           writes the files
    generate_reference.py SPICA_BINARY --check   exit code 1 when one is stale
"""
import json
import keyword
import re
import subprocess
import sys

import generated

FOLDER = generated.ROOT / "docs" / "reference"
HEADER = """# {title}

Generated from the declarations in the code by `platform/tools/generate_reference.py`; do not edit.
`spica config {option}--list` prints the same, `--find WORD` searches.

"""
# Kind of file (`spica config --kind`): name of the page and its title.
PAGES = {
    "configuration": ("parameters", "Parameters"),
    "design": ("design", "Keys of a design"),
    "attention-design": ("attention-design", "Keys of an attention design"),
    "sweep": ("sweep", "Keys of a sweep"),
    "layers": ("layers", "Keys of a list of layers"),
    "gpu": ("gpu", "Keys of a GPU"),
    "stream": ("stream", "Keys of a file of streams"),
    "job": ("job", "Options of runs"),
    "tune": ("tune", "Keys of a list of products to be tuned"),
}


STUB = generated.ROOT / "platform" / "bindings" / "python" / "spica" / "_runs.pyi"
STUB_HEADER = """# SPDX-License-Identifier: Apache-2.0
# Generated from the declarations in the code by platform/tools/generate_reference.py; do not edit.
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Optional, Union

from numpy import ndarray

Text = Union[str, "PathLike[str]", ndarray]
Texts = Union[Sequence[str], Mapping[str, object]]

class Outcome(dict[str, Any]):
    text: str
    energy: Any
    def __getattr__(self, name: str) -> Any: ...

class RunError(RuntimeError):
    outcome: Outcome

class NetworkOutcome(Outcome):
    outputs: dict[str, Any]
    def table(self) -> str: ...
"""
# What functions take by place and return, where it is not as for the others.
BY_PLACE = {"network": ("model: Any", "inputs: Any = ...", "*", "expected: Any = ...", "map: Any = ..."), "opencl": ("program: Any = ...", "*args: Any")}
RETURNS = {"network": "NetworkOutcome"}
TYPES = {"integer": "int", "number": "float", "bool": "bool", "string": "Text", "list": "Texts"}


def listed(kind, form):
    return subprocess.run([sys.argv[1], "config", "--kind", kind, "--list", "--as", form], check=True, capture_output=True, text=True).stdout


def stub():
    """The functions of _runs.py with their keywords. Each has all of them: mypy 1.0.1 of Debian 12 accepts Unpack[TypedDict] only with
    --enable-incomplete-feature=Unpack."""
    groups = {}
    for option in json.loads(listed("job", "json")):
        group, name = option["key"].split(".", 1)
        kind = f"Literal[{', '.join(map(json.dumps, option['choices']))}]" if option["kind"] == "choice" else TYPES[option["kind"]]
        groups.setdefault(group, {})[name] = kind
    text = STUB_HEADER
    for group, options in groups.items():
        if group in ("run", "*"):  # spica.run() is another function; options of every run
            continue
        first = BY_PLACE.get(group, ("*",))
        known = [one.split(":")[0].lstrip("*") for one in first]
        parts = "".join(f"    {one},\n" for one in first)
        for name, kind in {**options, **groups["*"], "allow_plugins": "bool"}.items():
            if name not in known and not keyword.iskeyword(name):  # "from" is given as **{"from": ...}
                parts += f"    {name}: Optional[{kind}] = ...,\n"
        text += f"\ndef {group}(\n{parts}) -> {RETURNS.get(group, 'Outcome')}: ...\n"
    return text


ENTRY_POINTS = generated.ROOT / "platform" / "opencl" / "driver" / "entry_points.inc"
ENTRY_POINT = re.compile(r'^(WORKS|FAILS)\((\w+)(?:, (\w+), "(.*)")?\)$', re.M)
OPENCL_HEADER = """# Entry points of OpenCL

Generated from `platform/opencl/driver/entry_points.inc` by `platform/tools/generate_reference.py`; do not edit.
The dispatch table of the driver follows from the same file. {works} of {all} entry points are implemented.

## Implemented

{names}

## Unsupported

Each returns this error. Functions that create an object return null, and set `errcode_ret`.

| belongs to | entry points | error |
|---|---|---|
"""


def opencl_page():
    """What the OpenCL driver supports."""
    found = ENTRY_POINT.findall(ENTRY_POINTS.read_text())
    works = sorted(name for kind, name, _, _ in found if kind == "WORKS")
    rows = {}
    for kind, name, error, reason in found:
        if kind == "FAILS":
            rows.setdefault((reason, error), []).append(f"`{name}`")
    text = OPENCL_HEADER.format(works=len(works), all=len(found), names=", ".join(f"`{name}`" for name in works))
    return text + "".join(f"| {reason} | {', '.join(names)} | `{error}` |\n" for (reason, error), names in sorted(rows.items()))


def main():
    stale = generated.keep(STUB, stub())
    stale |= generated.keep(FOLDER / "opencl.md", opencl_page())
    for kind, (name, title) in PAGES.items():
        table = listed(kind, "markdown")
        option = "" if kind == "configuration" else f"--kind {kind} "
        text = HEADER.format(title=title, option=option) + table
        target = FOLDER / f"{name}.md"
        stale |= generated.keep(target, text)
    return stale


if __name__ == "__main__":
    sys.exit(main())
