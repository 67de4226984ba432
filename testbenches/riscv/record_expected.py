# SPDX-License-Identifier: Apache-2.0
"""Writes expected.txt: what every case of suite.py leaves in a0 and a1 on qemu-riscv32.

usage: record_expected.py [RISC-V GCC]   (run it after a change of the cases)"""
import pathlib
import struct
import subprocess
import sys
import tempfile

import suite

GCC = sys.argv[1] if len(sys.argv) > 1 else "riscv64-unknown-elf-gcc"


def record(cases, folder):
    source, program = folder / "cases.S", folder / "cases.elf"
    source.write_text(suite.recording_program(cases))
    # One segment that can be written and executed: qemu-riscv32 then lets the program change its own code.
    subprocess.run([GCC, "-march=rv32imaf_zifencei", "-mabi=ilp32f", "-nostdlib", "-static", "-Wl,--omagic",
                    "-Wl,--no-warn-rwx-segments", "-Wl,--no-relax", source, "-o", program], check=True)
    output = subprocess.run(["qemu-riscv32", program], check=True, stdout=subprocess.PIPE).stdout
    return struct.unpack(f"<{len(output) // 4}I", output)


def main():
    version = subprocess.run(["qemu-riscv32", "--version"], check=True, capture_output=True, text=True)
    lines = [f"# a0 and a1 after each case of suite.py, written by record_expected.py with",
             f"# {version.stdout.splitlines()[0]}"]
    with tempfile.TemporaryDirectory() as folder:
        for name, cases in suite.table().items():
            values = record(cases, pathlib.Path(folder))
            assert len(values) == 2 * len(cases), name
            lines.append(f"{name}: " + " ".join(f"{value:x}" for value in values))
    (suite.FOLDER / "expected.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
