# SPDX-License-Identifier: Apache-2.0
"""Random whole-machine programs end on this machine as on qemu-system-riscv32, in both modes.

SPICA_QEMU_SEED     the first seed, default 1
SPICA_QEMU_SECONDS  how long to go on; by default a few programs, the same ones in each run"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import time
import unittest

import random_machine
from riscv_build import FAST, FOLDER, QEMU, build, run

TABLE = random_machine.read_table(FOLDER.parent.parent / "models/isa/instructions.def")
SEED = int(os.environ.get("SPICA_QEMU_SEED", "1"))
SECONDS = float(os.environ.get("SPICA_QEMU_SECONDS", "0"))
PROGRAMS, UNITS = 3, 1500
LOG_BYTES = 1 << 20
RAM = 16 << 20
# No more than RV32IMAF with machine and user mode; and its wfi, which sleeps, is not used.
if QEMU and re.search(r"\brv32i\b", subprocess.run([QEMU, "-cpu", "help"], capture_output=True, text=True, check=True).stdout):
    CPU = "rv32i,m=true,a=true,f=true,zicsr=true,zifencei=true,zicntr=true,u=true"
else:  # before qemu 8.2
    CPU = ("rv32," + ",".join(f"{name}=false" for name in (
        "c", "d", "v", "h", "s", "mmu", "pmp", "zba", "zbb", "zbc", "zbs", "sstc", "Zfh", "Zfhmin", "Zve32f", "Zve64f",
        "svinval", "zmmul")))


class Machine:
    """Runs the programs and reads what they leave: the data and the log."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def program(self, program, units):
        text, elf = self.folder / "units.inc", self.folder / "program.elf"
        text.write_text(program.text(units))
        build(FOLDER / "random_machine.S", elf, f'-DUNITS="{text}"', f"-DDATA={random_machine.DATA:#x}",
              f"-DLOG={random_machine.LOG:#x}", f"-Wl,--section-start=.pool={random_machine.DATA:#x}")
        return elf

    def on_qemu(self, elf):
        memory = self.folder / "memory"
        memory.unlink(missing_ok=True)
        result = subprocess.run(
            [QEMU, "-M", "spike,memory-backend=ram", "-m", str(RAM >> 20), "-cpu", CPU, "-bios", "none", "-display", "none",
             "-monitor", "none", "-serial", "none", "-object",
             f"memory-backend-file,id=ram,size={RAM},mem-path={memory},share=on", "-kernel", elf],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if result.returncode != 0:
            raise AssertionError(f"qemu ended with {result.returncode}: {result.stderr}")
        with memory.open("rb") as file:
            def piece(address, size):
                file.seek(address - 0x80000000)
                return file.read(size)
            return (piece(random_machine.DATA, random_machine.DATA_BYTES), piece(random_machine.LOG, LOG_BYTES))

    def here(self, elf):
        data, log = self.folder / "data", self.folder / "log"
        result = run(elf, "-q", "--set", "cluster.cores=1", "--set", "cluster.core.misaligned=complete", "--save",
                     f"{data}@{random_machine.DATA:#x}+{random_machine.DATA_BYTES}", "--save",
                     f"{log}@{random_machine.LOG:#x}+{LOG_BYTES}")
        if result.code != 0:
            raise AssertionError(f"spica ended with {result.code}: {result.text}")
        return data.read_bytes(), log.read_bytes()

    def compare(self, program, units):
        """What is different, in words; None: nothing."""
        elf = self.program(program, units)
        theirs = self.on_qemu(elf)
        try:
            ours = self.here(elf)
        except AssertionError as error:
            return str(error)
        for name, a, b in zip(("data", "log"), theirs, ours):
            if a != b:
                at = next(i for i in range(0, len(a), 4) if a[i:i + 4] != b[i:i + 4])
                words = [struct.unpack_from("<8I", image, max(at - 12, 0)) for image in (a, b)]
                return f"{name} + {at:#x}: qemu {[f'{w:x}' for w in words[0]]}, here {[f'{w:x}' for w in words[1]]}"
        return None

    def first_difference(self, program):
        same, different = 0, len(program.units)
        while different - same > 1:
            middle = (same + different) // 2
            if self.compare(program, middle):
                different = middle
            else:
                same = middle
        kind, words = program.units[different - 1]
        return (f"unit {different - 1}, {kind}: {' '.join(f'{word:08x}' for word in words)}\n"
                f"{self.compare(program, different)}")


@unittest.skipIf(QEMU is None, "qemu-system-riscv32 (package qemu-system-misc) is not installed")
class WholeMachine(unittest.TestCase):
    def test_random_programs_with_traps_and_modes_end_as_on_qemu(self):
        end = time.monotonic() + SECONDS
        seed = SEED
        with tempfile.TemporaryDirectory(prefix="spica-random-") as folder:
            machine = Machine(folder)
            while seed < SEED + PROGRAMS or time.monotonic() < end:
                program = random_machine.Program(seed, UNITS, TABLE)
                if machine.compare(program, UNITS):
                    self.fail(f"seed {seed}, {'fast' if FAST else 'cycle'} mode: {machine.first_difference(program)}")
                seed += 1
        if SECONDS:
            print(f"seeds {SEED} to {seed - 1}: {UNITS * (seed - SEED)} units, no difference")


if __name__ == "__main__":
    unittest.main()
