# SPDX-License-Identifier: Apache-2.0
"""Kernels in plain C++ in which lanes part: every result word is the host's. At length: plain_cpp/run_plain.py."""
import functools
import os
import pathlib
import re
import subprocess
import sys
import unittest

from spica_runner import folder, spica

FOLDER = pathlib.Path(__file__).resolve().parent / "plain_cpp"
ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
sys.path[:0] = [str(FOLDER), str(ROOT / "sw")]
import run_plain  # noqa: E402
from kernel_code import functions  # noqa: E402

EVERY = run_plain.LEVELS
TORTURE = [word for option in ("-tail-dup-size=60", "-tail-dup-placement-threshold=60",
                               "-tail-dup-placement-aggressive-threshold=60") for word in ("-mllvm", option)]
OPCODE, SPLIT, JOIN, PRED = 0x0B, 2, 3, 5  # CUSTOM_0 and its functions


def instructions_in(file):
    """How many split, join and pred."""
    found = [word >> 12 & 7 for code in functions(file).values() for _, word in code if word & 0x7F == OPCODE]
    return tuple(found.count(one) for one in (SPLIT, JOIN, PRED))


@functools.cache
def expected(name):
    with folder() as work:
        return run_plain.host_results(FOLDER / name, pathlib.Path(work))


class PlainCpp(unittest.TestCase):
    def run_file(self, name, levels, lanes=("8",), modes=("cycle", "fast"), more=()):
        with folder() as work:
            run_plain.run_source(FOLDER / name, pathlib.Path(work), levels, lanes, modes, more, expected=expected(name))

    def test_every_way_to_part_gives_the_results_of_the_host_at_every_level(self):
        for name in ("cases.cpp", "calls.cpp"):
            self.run_file(name, EVERY)

    def test_every_way_to_part_gives_the_results_of_the_host_with_4_16_and_32_lanes(self):
        for name in ("cases.cpp", "calls.cpp"):
            self.run_file(name, ["-O2"], ["4", "16", "32"])

    def test_every_operation_with_a_branch_in_it_gives_the_results_of_the_host_at_every_level(self):
        self.run_file("operations.cpp", EVERY)

    def test_every_operation_with_a_branch_in_it_gives_the_results_of_the_host_with_4_16_and_32_lanes(self):
        self.run_file("operations.cpp", ["-O2"], ["4", "16", "32"])

    def test_double_and_64_bits_give_the_results_of_the_host_at_every_level_and_with_4_16_and_32_lanes(self):
        self.run_file("numbers.cpp", EVERY, modes=["fast"])
        self.run_file("numbers.cpp", ["-O2"], ["4", "16", "32"], modes=["fast"])

    def test_forced_duplication_of_code_leaves_split_and_join_alone(self):
        for name in ("cases.cpp", "calls.cpp", "operations.cpp"):
            self.run_file(name, ["-O3", "-O2"], modes=["fast"], more=TORTURE)

    def test_the_object_has_as_many_split_join_and_pred_as_were_inserted(self):
        for name in ("cases.cpp", "calls.cpp", "operations.cpp", "barriers.cpp"):
            for level in EVERY:
                with self.subTest(f"{name} {level}"), folder() as work:
                    file = pathlib.Path(work, "program.o")
                    remarks = run_plain.compile_kernel(FOLDER / name, file, level, ["-c", "-Rpass-analysis=spica", *TORTURE])
                    counts = [tuple(map(int, one)) for one in re.findall(r"remark: (\d+) split, (\d+) join, (\d+) pred",
                                                                        remarks.stderr.decode())]
                    inserted = tuple(sum(column) for column in zip(*counts))
                    self.assertGreater(sum(inserted), 0)
                    self.assertEqual(instructions_in(file), inserted)

    def test_barriers_stay_where_all_lanes_are(self):
        eager = [word for option in ("-jump-threading-threshold=60", "-enable-gvn-hoist", "-enable-gvn-sink",
                                     "-unroll-threshold=1000") for word in ("-mllvm", option)]
        for level in EVERY:
            for more in ((), eager):
                with self.subTest(f"{level} {more}"), folder() as work:
                    elf = pathlib.Path(work, "program.elf")
                    run_plain.compile_kernel(FOLDER / "barriers.cpp", elf, level, more)
                    result = spica("run", "virgo", elf, "--check", "hazards")
                    self.assertEqual(result.code, 0, result.text)

    def run_program(self, name, level, machine, text, modes=("cycle", "fast"), more=(), settings=()):
        with folder() as work:
            elf = pathlib.Path(work, "program.elf")
            run_plain.compile_kernel(FOLDER / name, elf, level, more)
            for mode in modes:
                result = spica("run", machine, elf, "--mode", mode, *(word for one in settings for word in ("--set", one)))
                self.assertEqual(result.code, 0, f"{level} {mode} {settings}: {result.text}")
                self.assertIn(text, result.out)

    def test_every_lock_idiom_ends_at_every_level(self):  # long
        for level in EVERY:
            self.run_program("locks.cpp", level, "virgo", "all sums are right", settings=["run.max_cycles=20000000"])

    def test_every_lock_idiom_ends_with_4_16_and_32_lanes(self):  # long
        for level in ("-O1", "-O2"):
            for lanes in ("4", "16", "32"):
                self.run_program("locks.cpp", level, "virgo", "all sums are right",
                                 settings=[f"cluster.core.lanes={lanes}", "cluster.tensor_core.present=false", "run.max_cycles=40000000"])

    def test_turns_in_all_loops_give_the_results_of_the_host(self):  # long
        turns = ["-mllvm", "-spica-turns-in-all-loops"]
        for name in ("cases.cpp", "calls.cpp"):
            self.run_file(name, ["-O2"], modes=["fast"], more=turns)
        with folder() as work:
            for seed in range(31, 37):
                run_plain.run_random(seed, work, [EVERY[seed % len(EVERY)]], ["8"], ["fast"], turns)

    def test_no_value_of_assembly_in_the_library_is_taken_for_uniform_that_is_not(self):
        for level in ("-O1", "-O2"):
            self.run_program("uniform.cpp", level, "virgo", "all counts are right")
        self.run_program("uniform.cpp", "-O2", "volta-sm", "all counts are right", more=["-DWITH_FRAGMENTS"])

    def test_every_function_of_the_library_with_assembly_and_a_value_is_asked(self):
        headers, missing, functions = ROOT / "sw/lib/include", [], 0
        text = (FOLDER / "uniform.cpp").read_text()
        for file in sorted(headers.rglob("*")):
            function = None
            for line in file.read_text().splitlines() if file.is_file() else ():
                start = re.match(r"\s*(?:template.*>\s*)?(?:SIMT_INLINE|inline|static inline|#define)\s+(.*?)(\w+(?:##\w+)?)\(", line)
                function = start.groups() if start else function
                register = re.match(r"(?:SIMT_READ_CSR)\((\w+),", line)
                name = register[1] if register else function[1] if "__asm__" in line and function and function[0].strip() not in ("", "void") else None
                if name is None or name == "name":
                    continue
                functions += 1
                if not re.search(rf"\b{re.sub('##.*', '[a-z]+', name)}\b", text):
                    missing.append(f"{file.name}: {name}")
        self.assertGreater(functions, 20)
        self.assertEqual(missing, [])

    def test_random_programs_give_the_results_of_the_host(self):  # long
        with folder() as work:
            for seed in range(1, 21):
                run_plain.run_random(seed, work, [EVERY[seed % len(EVERY)]], [run_plain.LANES[seed // len(EVERY) % 4]],
                                     [run_plain.MODES[seed % 2]])
