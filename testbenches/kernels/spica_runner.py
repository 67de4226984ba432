# SPDX-License-Identifier: Apache-2.0
"""Starts the built program for the tests of this folder."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BINARY = os.environ["SPICA_BINARY"]
KERNELS = pathlib.Path(os.environ["SPICA_KERNELS"])
COMPILERS = ("clang", "gcc") if shutil.which("riscv64-unknown-elf-gcc") else ("clang",)
needs_gcc = unittest.skipUnless("gcc" in COMPILERS, "needs the Debian package gcc-riscv64-unknown-elf")


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        self.text = process.stdout + process.stderr


def spica(*arguments, timeout=280, cwd=None):
    """Runs `spica arguments...` and returns exit code, output and error output."""
    return Result(subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=timeout, cwd=cwd))


def elf(name):
    return KERNELS / f"{name}.elf"


def line_of(source, mark):
    """Place of the line of `source` that has this comment, as a report names it."""
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if f"/* {mark} */" in line:
            return f"{source.name}:{number}"
    raise ValueError(mark)


def folder():
    return tempfile.TemporaryDirectory(prefix="spica-test-")


def stats(out):
    return json.loads((pathlib.Path(out) / "stats.json").read_text())


def level_2(data):
    """Counters of the level 2 cache, summed over its slices."""
    sums = collections.Counter()
    for name, block in data["stats"].items():
        if name == "l2" or name.startswith("l2_"):
            sums.update({counter: row["value"] for counter, row in block.items() if "value" in row})
    return sums
