#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/activity.md from the list of events in the code.

    generate_activity.py SPICA_BINARY           writes the file
    generate_activity.py SPICA_BINARY --check   exit code 1 when the file is stale
"""
import subprocess
import sys

import generated

TARGET = generated.ROOT / "docs" / "reference" / "activity.md"
HEADER = """# Events

Everything that costs energy, generated from what the blocks say of themselves (`models/*/*_type*.cpp`) by
`platform/tools/generate_activity.py`; do not edit. `spica power --events` prints the same, `spica power` the energies. Counters are those of `stats.json`; a `*`
stands for any text, "x lanes" for a property of the block. "In the tree" is the place below the block's node in
`energy.json`. "Per line" events are charged to the instruction that caused them. How it is used: [power.md](../power.md).

"""


def main():
    table = subprocess.run([sys.argv[1], "power", "--events"], check=True, capture_output=True, text=True).stdout
    text = HEADER + table
    return generated.keep(TARGET, text)


if __name__ == "__main__":
    sys.exit(main())
