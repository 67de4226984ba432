#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what is in models/ small enough to read: prints each file, class and function that is too large.

* A file has at most 250 lines, a class at most 25 data members, a function at most 50 lines.
* Tables may be longer: parameters, statistics and registers that are a list, functions that are one list or one switch (LISTS),
  and lane kernels and loops, which are .inc files.

Usage: check_sizes.py [root]     Exit code: 0 clean, 1 something is too large. Needs Universal Ctags.
"""
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

MOST_LINES, MOST_MEMBERS, MOST_IN_FUNCTION = 250, 25, 50
LIST_FILES = ("_params.h", "_stats.h", "_regs.h")
LISTS = {("models/isa/csr.cpp", "name"),
         ("models/tensor_core/warp_mma/operation.cpp", "turing")}


def tags(root, files):
    command = ["ctags", "--languages=C++", "--map-C++=+.h", "--kinds-C++=fm", "--fields=+nesKZ", "--output-format=json", "-f", "-", "-L", "-"]
    done = subprocess.run(command, input="\n".join(map(str, files)), capture_output=True, text=True, cwd=root, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    files = sorted(path.relative_to(root) for path in (root / "models").rglob("*") if path.suffix in (".h", ".cpp"))
    problems = []
    for file in files:
        lines = (root / file).read_text().count("\n")
        if lines > MOST_LINES and not file.name.endswith(LIST_FILES):
            problems.append(f"{file}: {lines} lines, at most {MOST_LINES}")
    members = Counter()
    for tag in tags(root, files):
        path = tag["path"]
        if path.endswith(LIST_FILES):
            continue
        if tag["kind"] == "member" and tag.get("scopeKind") in ("class", "struct"):
            members[path, tag["scope"]] += 1
        elif tag["kind"] == "function" and "end" in tag and (path, tag["name"]) not in LISTS:
            length = tag["end"] - tag["line"] + 1
            if length > MOST_IN_FUNCTION:
                problems.append(f"{path}:{tag['line']}: {tag['name']} has {length} lines, at most {MOST_IN_FUNCTION}")
    problems += [f"{path}: {scope} has {count} members, at most {MOST_MEMBERS}" for (path, scope), count in sorted(members.items())
                 if count > MOST_MEMBERS]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
