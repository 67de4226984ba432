#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/parameters.md from the parameters' own declarations.

    generate_reference.py SPICA_BINARY           writes the file
    generate_reference.py SPICA_BINARY --check   exit code 1 when the file is stale
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "reference" / "parameters.md"
HEADER = """# Parameters

Generated from the declarations in the code by `platform/tools/generate_reference.py`; do not edit.
`spica config --list` prints the same, `--find WORD` searches.

"""


def main():
    table = subprocess.run([sys.argv[1], "config", "--list", "--format", "markdown"], check=True,
                           capture_output=True, text=True).stdout
    text = HEADER + table
    if "--check" not in sys.argv:
        TARGET.parent.mkdir(parents=True, exist_ok=True)
        TARGET.write_text(text)
        return 0
    if TARGET.exists() and TARGET.read_text() == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is stale: run {pathlib.Path(__file__).name} with the built program")
    return 1


if __name__ == "__main__":
    sys.exit(main())
