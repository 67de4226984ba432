# SPDX-License-Identifier: Apache-2.0
"""Cycles between two issues of a warp, against those that RTL simulation of the published core measures.

The RTL is the module Vortex of hw/rtl/VX_core_wrapper.sv in hansungk/vortex: v1 is commit 4b093e3f, v2 branch asplos-ae. It
ran the programs of core_timing/ alone, with ideal memories and fetches of 7 cycles. Here the first line of code that a
program comes to misses, so distances are those that a program has most often."""
import collections
import pathlib
import re
import statistics
import subprocess
import tempfile
import unittest

from riscv_build import FOLDER, GCC, spica

ISSUE = re.compile(r"(\d+) c0\.w(\d+) #\d+ 0x[0-9a-f]+ \S+ (\S+)")
CONFIGS = ("virgo", "fp16-volta")  # v1, v2


def issues(program, config, warp=None):
    """[(cycle, mnemonic)] of one warp, or of all."""
    with tempfile.TemporaryDirectory() as folder:
        elf, log = pathlib.Path(folder) / "program.elf", pathlib.Path(folder) / "run.log"
        subprocess.run([GCC, "-march=rv32imf_zicsr", "-mabi=ilp32f", "-nostdlib", "-I", FOLDER.parent.parent, "-Wl,-n", "-Wl,-Ttext=0x80000000",
                        "-Wl,--no-warn-rwx-segments", FOLDER / "core_timing" / f"{program}.S", "-o", elf], check=True)
        run = spica("run", config, elf, "--set", "cluster.cores=1", "--trace", log)
        if run.code != 0:
            raise AssertionError(run.text)
        found = [match.groups() for match in map(ISSUE.match, log.read_text().splitlines()) if match]
    return [(int(cycle), name) for cycle, number, name in found if warp is None or int(number) == warp]


def distances(program, config, first, second, warp=0):
    """Between an instruction and the next one of its warp, where their names begin so."""
    rows = issues(program, config, warp)
    return [b - a for (a, one), (b, other) in zip(rows, rows[1:]) if one.startswith(first) and other.startswith(second)]


def usual(values):
    return collections.Counter(values).most_common(1)[0][0]


class OneWarp(unittest.TestCase):
    def check(self, program, first, second, *expected):
        for config, cycles in zip(CONFIGS, expected):
            with self.subTest(first=first, second=second, config=config):
                self.assertEqual(usual(distances(program, config, first, second)), cycles)

    def test_dependent_integer_instructions(self):
        self.check("a_add", "add", "add", 9, 10)
        for name in ("mul", "div", "rem"):
            self.check("a_mul", name, name, 13, 14)

    def test_dependent_floating_point_instructions(self):
        self.check("a_fma", "fmadd.s", "fmadd.s", 12, 13)
        self.check("a_fp", "fmax.s", "fmax.s", 10, 11)
        self.check("a_fp", "fmv", "fmv", 10, 11)
        self.check("a_fp", "fcvt", "fcvt", 13, 14)
        self.check("a_fp", "fdiv.s", "fdiv.s", 34, 35)
        self.check("a_fp", "fsqrt.s", "fsqrt.s", 34, 35)

    def test_a_load_from_shared_memory_and_what_needs_it(self):
        for config, cycles in zip(CONFIGS, (14, 15)):
            with self.subTest(config=config):
                self.assertEqual(distances("a_load", config, "lw", "add")[-4:], [cycles] * 4)

    def test_straight_code_is_fetched_every_7_cycles(self):
        self.check("c_fence", "addi", "addi", 7, 7)

    def test_a_jump_resolves_in_the_integer_unit(self):
        self.check("a_branch", "jal", "jal", 14, 15)

    def test_a_loop_of_an_addition_and_the_branch_that_needs_it(self):
        for config, cycles in zip(CONFIGS, (23, 25)):
            with self.subTest(config=config):
                additions = [cycle for cycle, name in issues("a_branch", config, 0) if name in ("addi", "bne")]
                self.assertEqual(usual(b - a for a, b in zip(additions, additions[2:])), cycles)

    def test_a_status_register_after_another_depends_on_whose_turn_it_is_at_the_unit(self):
        for config in CONFIGS:
            with self.subTest(config=config):
                self.assertIn(usual(distances("a_branch", config, "csrrs", "csrrs")), range(18, 22))

    def test_a_barrier_that_one_warp_comes_to_alone(self):
        # The RTL: 19 to 20. The turn at the unit, one per cycle, makes 18 of it in v2.
        for config, expected in zip(CONFIGS, (range(19, 21), range(18, 21))):
            with self.subTest(config=config):
                for cycles in distances("c_fence", config, "bar", "addi"):
                    self.assertIn(cycles, expected)


    def test_a_product_of_the_tensor_core_takes_two_cycles_per_micro_op(self):
        # The RTL: 64 and 68.
        self.check("t_wmma1", "wmma", "wmma", 64, 67)


class EightWarps(unittest.TestCase):
    def test_products_of_the_tensor_core_keep_its_units_busy(self):
        for config in CONFIGS:
            for warp in (0, 3, 7):
                with self.subTest(config=config, warp=warp):
                    self.assertEqual(distances("t_wmma8", config, "wmma", "wmma", warp), [8 * 32] * 7)

    def test_from_barrier_to_barrier(self):
        for config in CONFIGS:
            for warp in (0, 3, 7):
                with self.subTest(config=config, warp=warp):
                    self.assertEqual(distances("b_bar", config, "bar", "bar", warp)[-4:], [48] * 4)

    def test_the_special_function_unit_takes_a_status_register_every_4_cycles(self):
        for config in CONFIGS:
            with self.subTest(config=config):
                self.assertEqual(usual(distances("b_csr", config, "csrrs", "csrrs")), 8 * 4)

    def test_divides_and_square_roots_overlap(self):
        # The RTL: one per 9.4.
        for config in CONFIGS:
            with self.subTest(config=config):
                cycles = sorted(cycle for cycle, name in issues("b_fdiv", config) if name == "fdiv.s")[-40:]
                self.assertAlmostEqual(statistics.mean(b - a for a, b in zip(cycles, cycles[1:])), 9.4, delta=0.5)

    def test_a_loop_of_four_with_a_branch(self):
        for config, rate in zip(CONFIGS, (0.82, 0.79)):
            with self.subTest(config=config):
                rows = issues("b_bne", config)
                last_start = [cycle for cycle, name in rows if name == "bar"][7]
                loop = [cycle for cycle, name in rows if name in ("addi", "add", "bne") and cycle > last_start]
                steady = loop[len(loop) // 4:-len(loop) // 4]
                self.assertAlmostEqual(len(steady) / (steady[-1] - steady[0] + 1), rate, delta=0.025)


if __name__ == "__main__":
    unittest.main()
