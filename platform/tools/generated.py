# SPDX-License-Identifier: Apache-2.0
"""What the scripts that write a page share."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def keep(target, text):
    """Writes the page, or with --check reports a stale one; returns the exit code."""
    if "--check" not in sys.argv:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return 0
    if target.exists() and target.read_text() == text:
        return 0
    print(f"{target.relative_to(ROOT)} is stale: run {pathlib.Path(sys.argv[0]).name} with the built program")
    return 1
