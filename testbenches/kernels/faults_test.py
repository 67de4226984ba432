# SPDX-License-Identifier: Apache-2.0
"""A guest's mistake ends the run with a report that names the place; it never passes."""
import pathlib
import unittest

from spica_runner import elf, folder, line_of, spica, stats

SOURCE = pathlib.Path(__file__).parent / "faults" / "faults.c"


class Faults(unittest.TestCase):
    def run_fault(self, number, *expected):
        result = spica("run", "virgo", elf(f"fault_{number}"))
        self.assertEqual(result.code, 1, result.text)
        self.assertIn("about to fail", result.out)
        for text in expected:
            self.assertIn(text, result.err)
        return result

    def test_illegal_instruction(self):
        self.run_fault(1, "an illegal instruction", "illegal_instruction", line_of(SOURCE, "illegal"), "core 0, warp 0",
                       "0xffffff8b", "stopped by the fault")

    def test_misaligned_load(self):
        self.run_fault(2, "misaligned", "misaligned_load", line_of(SOURCE, "misaligned"), "0x80000002")

    def test_unmapped_store(self):
        self.run_fault(3, "an unmapped address", "unmapped_store", line_of(SOURCE, "unmapped"), "0x10000000")

    def test_divergent_branch(self):
        self.run_fault(4, "disagree", "divergent_branch", line_of(SOURCE, "divergent"), "0-7")

    def test_divergent_branch_only_warns_when_told(self):
        result = spica("run", "virgo", elf("fault_4"), "--divergence", "warn")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("disagree", result.err)

    def test_join_without_split(self):
        self.run_fault(5, "join", "join_without_split")

    def test_deadlock_at_a_barrier(self):
        self.run_fault(6, "Deadlock", "barrier 1", "barrier_too_many")

    def test_live_lock_of_a_spinning_warp(self):
        self.run_fault(7, "Live-lock", "spin_for_ever")

    def test_bad_matrix_command(self):
        self.run_fault(8, "matrix", "bad_matrix_command")

    def test_a_fault_is_no_pass_in_the_results(self):
        with folder() as out:
            result = spica("run", "virgo", elf("fault_1"), "--out", out)
            self.assertEqual(result.code, 1)
            self.assertEqual(stats(out)["end"], "fault")

    def test_exit_code_is_that_of_the_guest(self):
        result = spica("run", "virgo", elf("fault_9"))
        self.assertEqual(result.code, 42, result.text)

    def test_a_spawn_of_more_warps_than_there_are_is_told(self):
        result = spica("run", "virgo", elf("fault_10"))
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("16 warps requested, the core has 8", result.err)
        self.assertIn("spawn_too_many", result.err)

    def test_cycle_limit_is_not_a_pass(self):
        result = spica("run", "virgo", elf("fault_7"), "--set", "run.max_cycles=30000")
        self.assertEqual(result.code, 1)
        self.assertIn("30000", result.err)


if __name__ == "__main__":
    unittest.main()
