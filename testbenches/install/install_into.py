#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""install_into.py BUILD PREFIX: a fresh installation. Files that are as they were keep their time, so that what was built
with them stays up to date."""
import pathlib
import subprocess
import sys


def main():
    build, prefix = map(pathlib.Path, sys.argv[1:])
    before = {p for p in prefix.rglob("*") if not p.is_dir()} if prefix.is_dir() else set()
    done = subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        return 1
    lines = [line for line in done.stdout.splitlines() if line.startswith("-- ") and ": " in line]
    installed = {pathlib.Path(line.split(": ", 1)[1]) for line in lines}
    for stale in before - installed:  # of an earlier state of the sources
        stale.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
