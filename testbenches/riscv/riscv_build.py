# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the programs of this folder."""
import os
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent / "kernels"))
from spica_runner import spica  # noqa: E402

GCC = os.environ.get("SPICA_RISCV_GCC", "riscv64-unknown-elf-gcc")
QEMU = shutil.which("qemu-system-riscv32")


def build(source, program, *options):
    subprocess.run([GCC, "-march=rv32imaf_zicsr_zifencei", "-mabi=ilp32f", "-nostdlib", "-nostartfiles", "-static",
                    "-Wl,--no-warn-rwx-segments", "-Wl,--build-id=none", "-I", FOLDER.parent.parent, "-T", FOLDER / "link.ld",
                    *options, source, "-o", program], check=True)


FAST = os.environ.get("SPICA_MODE") == "fast"


def run(program, *options, config="virgo"):
    """In the mode of the test."""
    return spica("run", config, program, "--mode", "fast" if FAST else "cycle", *options)


def run_on_qemu(program):
    """Exit code of the same program on an independent machine; None where that is not installed."""
    if QEMU is None:
        return None
    return subprocess.run([QEMU, "-M", "spike", "-bios", "none", "-nographic", "-monitor", "none", "-serial", "none",
                           "-kernel", program], stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode
