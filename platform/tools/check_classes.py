#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A class is small over all its files, however it is cut into them: counts each class of models/ and platform/.

* A class has at most 400 lines (its body and the definitions of its functions elsewhere), 30 functions, 25 data members
  and two .cpp files.
* Interfaces (...If), parameters and statistics (_params.h, _stats.h, _regs.h) are lists and not counted.
* class_exceptions.txt names the classes that are larger, how large, and the reason, in a line for each:
  `class what=number ...: reason`. Numbers can only shrink: a larger class is an error, a smaller one a note, and --update
  lowers the list to it.

Usage: check_classes.py [--update] [--list] [root]     --list: all that are too large. Exit code: 0 clean, 1 violations. Needs
Universal Ctags.
"""
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

MOST = {"lines": 400, "functions": 30, "members": 25, "cpp": 2}
LISTS = ("_params.h", "_stats.h", "_regs.h")


def tags(root, files):
    command = ["ctags", "--languages=C++", "--map-C++=+.h", "--kinds-C++=fmpcs", "--fields=+nesKZ", "--output-format=json",
               "-f", "-", "-L", "-"]
    done = subprocess.run(command, input="\n".join(map(str, files)), capture_output=True, text=True, cwd=root, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def short(scope):
    return scope[len("spica::"):] if scope.startswith("spica::") else scope


def measure(root):
    """What each class has, by its name without the outermost namespace."""
    files = sorted(path.relative_to(root) for top in ("models", "platform") for path in (root / top).rglob("*")
                   if path.suffix in (".h", ".cpp"))
    all_tags = [tag for tag in tags(root, files) if "__anon" not in tag.get("scope", "") + tag["name"]]
    bodies = {}  # class: its header, first and last line
    for tag in all_tags:
        if tag["kind"] in ("class", "struct") and "end" in tag:
            name = short(tag["scope"] + "::" + tag["name"] if "scope" in tag else tag["name"])
            bodies.setdefault(name, (tag["path"], tag["line"], tag["end"]))
    found = {name: {"lines": end - begin + 1, "functions": 0, "members": 0, "cpp": 0}
             for name, (path, begin, end) in bodies.items() if not path.endswith(LISTS) and not name.endswith("If")}
    cpp = defaultdict(set)
    for tag in all_tags:
        name = short(tag.get("scope", ""))
        if name not in found or tag["kind"] not in ("function", "prototype", "member"):
            continue
        path, begin, end = bodies[name]
        inside = tag["path"] == path and begin <= tag["line"] <= end
        if tag["kind"] == "member":
            found[name]["members"] += 1
        elif inside:
            found[name]["functions"] += 1
        if tag["kind"] == "function" and not inside and "end" in tag:
            found[name]["lines"] += tag["end"] - tag["line"] + 1
            if tag["path"].endswith(".cpp"):
                cpp[name].add(tag["path"])
    for name, paths in cpp.items():
        found[name]["cpp"] = len(paths)
    return found


def over(measured):
    return {what: number for what, number in measured.items() if number > MOST[what]}


def read_exceptions(path):
    """{class: ({what: number}, reason)}."""
    exceptions = {}
    for line in path.read_text().splitlines() if path.is_file() else []:
        if not line or line.startswith("#"):
            continue
        head, _, reason = line.partition(": ")
        name, *numbers = head.split()
        if not reason.strip() or not numbers:
            raise SystemExit(f"{path}: '{line}' is not `class what=number ...: reason`")
        exceptions[name] = ({what: int(number) for what, number in (pair.split("=") for pair in numbers)}, reason)
    return exceptions


def update(path, found, exceptions):
    """Lowers each number to that of today; takes out what needs no exception any more."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("#")]
    for name, (allowed, reason) in sorted(exceptions.items()):
        now = over(found.get(name, {}))
        kept = {what: min(number, now[what]) for what, number in allowed.items() if what in now}
        if kept:
            lines.append(f"{name} {' '.join(f'{what}={number}' for what, number in kept.items())}: {reason}")
    path.write_text("\n".join(lines) + "\n")


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parents[2])
    path = root / "platform/tools/class_exceptions.txt"
    found, exceptions = measure(root), read_exceptions(path)
    if "--list" in sys.argv:
        for name, measured in sorted(found.items()):
            if over(measured):
                print(name, *(f"{what}={number}" for what, number in over(measured).items()))
        return 0
    if "--update" in sys.argv:
        update(path, found, exceptions)
        exceptions = read_exceptions(path)
    none = ({}, "")
    wrong = [f"{name} has {number} {what}, at most {exceptions.get(name, none)[0].get(what, MOST[what])}"
             for name, measured in sorted(found.items()) for what, number in over(measured).items()
             if number > exceptions.get(name, none)[0].get(what, MOST[what])]
    smaller = sum(number > over(found.get(name, {})).get(what, 0) for name, (allowed, _) in exceptions.items()
                  for what, number in allowed.items())
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(found)} classes, {len(wrong)} violations, {len(exceptions)} exceptions")
    if smaller:
        print(f"{smaller} numbers of class_exceptions.txt can be lowered: --update")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
