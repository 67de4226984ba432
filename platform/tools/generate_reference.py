#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of all keys in docs/reference from their own declarations.

    generate_reference.py SPICA_BINARY           writes the files
    generate_reference.py SPICA_BINARY --check   exit code 1 when one is stale
"""
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
    "tune": ("tune", "Keys of a list of products to be tuned"),
}


def main():
    stale = 0
    for kind, (name, title) in PAGES.items():
        table = subprocess.run([sys.argv[1], "config", "--kind", kind, "--list", "--format", "markdown"], check=True,
                               capture_output=True, text=True).stdout
        option = "" if kind == "configuration" else f"--kind {kind} "
        text = HEADER.format(title=title, option=option) + table
        target = FOLDER / f"{name}.md"
        stale |= generated.keep(target, text)
    return stale


if __name__ == "__main__":
    sys.exit(main())
