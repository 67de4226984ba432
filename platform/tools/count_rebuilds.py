#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many steps does a build take after a change in a file?

    count_rebuilds.py BUILD FILE [--most N] [--list]

BUILD is a folder that ninja has built; nothing in it is touched. Counted are the compilations that read FILE, by what
the compilers said when they ran, and the libraries and programs made of them. Exit code: 0, 1 if there are more than N,
2 if that is no such folder."""
import argparse
import re
import subprocess
import sys
from pathlib import Path


def compiled_from(build, file):
    """The objects (and precompiled headers) whose compilation read `file`."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found, current = set(), None
    for line in listing.splitlines():
        if line.startswith("    "):
            # Only a path with the name of the file is worth a look at the file system.
            if current and line.endswith(file.name) and (build / line.strip()).resolve() == file:
                found.add(current)
        else:
            current = line.split(":")[0] if "(VALID)" in line else None
    return found


def steps_of(build):
    """[(outputs, inputs)] of the links in build.ninja; what only has to be there before does not count."""
    steps = []
    text = (build / "build.ninja").read_text().replace("$\n", "")
    for outputs, rule, inputs in re.findall(r"^build ([^:\n]+): (\S+) ?(.*)$", text, re.M):
        if "LINKER" in rule:
            steps.append((outputs.replace("|", " ").split(), inputs.split("||")[0].replace("|", " ").split()))
    return steps


def rebuilt(build, file):
    changed = compiled_from(build, file)
    objects = sorted(changed)
    links, grown = [], True
    steps = steps_of(build)
    while grown:
        grown = False
        for step in list(steps):
            outputs, inputs = step
            if changed.intersection(inputs):
                changed.update(outputs)
                links.append(outputs[0])
                steps.remove(step)
                grown = True
    return objects, links


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("--list", action="store_true", help="name the steps")
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / ".ninja_deps").is_file():
        print(f"count_rebuilds.py: {build} is no folder that ninja has built", file=sys.stderr)
        return 2
    objects, links = rebuilt(build, options.file.resolve())
    if options.list:
        print("\n".join(objects + links))
    steps = len(objects) + len(links)
    print(f"{options.file}: {steps} steps: {len(objects)} compilations, {len(links)} libraries and programs")
    return 1 if options.most is not None and steps > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
