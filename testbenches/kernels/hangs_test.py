# SPDX-License-Identifier: Apache-2.0
"""A program that hangs ends with the cause in the first sentence, and never passes."""
import pathlib
import re
import shutil
import subprocess
import unittest

from spica_runner import elf, folder, line_of, spica, stats

SOURCE = pathlib.Path(__file__).parent / "hangs" / "hangs.cpp"
ROOT = SOURCE.parents[3]
MODES = ("cycle", "fast")
SOON = ("--set", "run.hang_cycles=50000")


class Hangs(unittest.TestCase):
    def hang(self, number, kind, *expected, options=()):
        """Runs the program; its report begins with `kind`, and its first sentence has all of `expected`, in both
        modes. Returns what the cycle mode said."""
        return [self.hang_in(mode, number, kind, *expected, options=options) for mode in MODES][0]

    def hang_in(self, mode, number, kind, *expected, options=()):
        with folder() as out:
            result = spica("run", "virgo", elf(f"hang_{number}"), "--mode", mode, "--out", out, *options)
            self.assertEqual(result.code, 1, result.text)
            first = result.err.splitlines()[0]
            self.assertTrue(first.startswith(kind + ":"), first)
            for text in expected:
                self.assertIn(text, first)
            hang = stats(out)["hang"]
            self.assertIn(hang["cause"], first)
            self.assertTrue(hang["warps"])
            for noise in ("(anonymous namespace)", "Blocks with work in flight"):
                self.assertNotIn(noise, result.err)
            if kind != "Deadlock: impossible on this machine":
                self.assertNotIn("may have been built for", result.err)
            return result, hang

    def test_warps_at_different_barriers(self):
        self.hang(1, "Deadlock", "different barriers", "core 0, warp 0 at barrier 0", "core 0, warp 4 at barrier 1",
                  line_of(SOURCE, "barrier 0"), line_of(SOURCE, "barrier 1"))

    def test_a_warp_that_ends_before_the_barrier(self):
        result, hang = self.hang(2, "Deadlock", "barrier 1", "1 warp short on core 0", "core 0, warp 2 ended",
                                 line_of(SOURCE, "early"))
        self.assertIn("core 0: 7 of 8 there, ended: warp 2", result.err)
        self.assertEqual(hang["barriers"][0]["cores"][0], {"core": 0, "waiting": 7, "count": 8})

    def test_a_core_that_does_not_come(self):
        self.hang(3, "Deadlock", "barrier 2 waits for core 1", "core 1, warps 0-7 ended", line_of(SOURCE, "core"))

    def test_more_warps_than_the_machine_has(self):
        _, hang = self.hang(4, "Deadlock: impossible on this machine", "waits for 16 warps", "has 8",
                            line_of(SOURCE, "sixteen"))
        self.assertEqual(hang["kind"], "impossible_configuration")

    def test_counts_that_differ(self):
        self.hang(5, "Deadlock", "expect different numbers of warps", "waits for 7", "waits for 8", line_of(SOURCE, "disagree"))

    def test_counts_that_differ_when_all_warps_have_ended(self):
        slow = "--set", "cluster.barrier.response_latency=64"  # the fast mode releases at once
        with folder() as out:
            result = spica("run", "virgo", elf("hang_15"), *slow, "--out", out)
            self.assertEqual(result.code, 1, result.text)
            first = result.err.splitlines()[0]
            self.assertTrue(first.startswith("Deadlock: the warps of core 0 that came to barrier 0 expected different numbers of warps"), first)
            for text in "core 0, warp 0 counted 1", "core 0, warp 1 counted 2", "still waits for cores 1-3":
                self.assertIn(text, first)
            self.assertIn("--check hazards", result.err.splitlines()[1])
            self.assertNotIn("Blocks with work in flight", result.err)
            hang = stats(out)["hang"]
            self.assertEqual((hang["kind"], hang["warps"]), ("deadlock", []))
        checked = spica("run", "virgo", elf("hang_15"), *slow, "--check", "hazards")
        self.assertIn("the first waits for 1 warps, the second for 2", checked.text)

    def test_a_flag_whose_writer_waits(self):
        result, _ = self.hang(6, "Live-lock", "core 0, warp 1 spins", line_of(SOURCE, "flag"), "flag", "always 0x0",
                              "31 other warps wait at a barrier")
        self.assertIn("elsewhere: warp 1", result.err)

    def test_two_locks_in_both_orders(self):
        result, _ = self.hang(7, "Live-lock", "core 0, warp 0 spins", line_of(SOURCE, "lock"), "lock_b", "always 0x1")
        self.assertIn("lock_a", result.err)

    def test_a_poll_that_counts_its_turns_in_memory(self):
        self.hang(8, "Live-lock", "core 0, warp 0 spins", line_of(SOURCE, "counted"), "flag", "no other warp runs")

    def test_a_poll_with_pauses(self):
        self.hang(9, "Live-lock", "core 0, warp 0 spins", line_of(SOURCE, "pause"), "flag")

    def test_a_unit_that_has_nothing_to_do(self):
        self.hang(10, "Live-lock", line_of(SOURCE, "unit"), "matrix_unit_0", "no unit has work", options=SOON)

    def test_a_property_of_the_machine(self):
        self.hang(11, "Deadlock: impossible on this machine", line_of(SOURCE, "cores"), "0xfc2", "always 0x4")

    def test_a_lock_that_is_taken_already(self):
        self.hang(12, "Live-lock", line_of(SOURCE, "lock"), "lock_a", "by an atomic", "always 0x1", options=SOON)

    def test_a_loop_without_a_way_out(self):
        self.hang(13, "Live-lock", "loops forever", line_of(SOURCE, "endless"))

    def test_a_warp_that_spins_while_another_works(self):
        result = spica("run", "virgo", elf("hang_14"), "--set", "run.spin_cycles=2000000", "--set",
                       "run.hang_cycles=100000")
        self.assertEqual(result.code, 1, result.text)
        first = result.err.splitlines()[0]
        self.assertIn("Live-lock: core 0, warp 1 spins", first)
        self.assertIn("1 other warp runs on", first)

    def test_the_split_in_the_example_of_the_guide(self):
        """The second example is lane_0_polls() below."""
        guide = (ROOT / "docs" / "howto" / "read-a-hang-report.md").read_text()
        text = (SOURCE.parent / "outside.cpp").read_text()
        code = re.search(r"```cpp\n(  SIMT_IF.*?)```", guide, re.S)[1]
        for line in code.splitlines():
            self.assertIn(re.sub(r" *//.*", "", line).strip(), text)

    def test_the_example_of_the_guide(self):
        guide = (SOURCE.parents[3] / "docs" / "howto" / "read-a-hang-report.md").read_text()
        result = spica("run", "virgo", elf("example_lost_warp"))
        self.assertEqual(result.code, 1, result.text)
        shown = result.err.splitlines()
        for line in shown[0], shown[1]:
            self.assertIn(line, guide)
        for cell in shown[5].strip().split("  "):
            self.assertIn(cell.strip(), guide)

    def test_a_slow_memory_is_no_deadlock(self):
        """Answers come one at a time: for more than run.hang_cycles no warp issues anything."""
        result = spica("gemm", "--design", "ampere-fp16-async", "--size", "128x128x64", "--set", "bus.max_outstanding=1", "--set",
                       "main_memory.fixed.latency_ns=20000")
        self.assertEqual(result.code, 0, result.text)

    def test_programs_that_work_are_left_alone(self):
        """The watch looks as often as it can, so every phase of these programs is looked at."""
        often = ["--set", "run.hang_cycles=20000"]
        for design in "tc", "virgo", "virgo-dma":
            result = spica("gemm", "--design", design, "--size", "128x128x128", *often)
            self.assertEqual(result.code, 0, result.text)
        for kernel in "collatz", "reduce", "library_check":
            result = spica("run", "virgo", elf(kernel), *often)
            self.assertEqual(result.code, 0, result.text)


class OutsideTheTree(unittest.TestCase):
    """A project in a folder of its own, built by the line of docs/howto/write-a-kernel.md."""

    SOURCE = SOURCE.parent / "outside.cpp"

    @classmethod
    def setUpClass(cls):
        cls.folder = folder()
        cls.addClassCleanup(cls.folder.cleanup)
        project = pathlib.Path(cls.folder.name)
        shutil.copy(cls.SOURCE, project)
        guide = (ROOT / "docs" / "howto" / "write-a-kernel.md").read_text()
        line = re.search(r"^(clang-19 @sw/clang.flags.*?-o my.elf)$", guide, re.S | re.M)[1]
        line = re.sub(r"(?<=[ @I])(sw/|\.(?= ))", rf"{ROOT}/\1", line).replace("my.", "outside.")
        built = subprocess.run(["sh", "-c", line], cwd=project, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
        cls.program = project / "outside.elf"

    def hang(self, number, *expected):
        for mode in MODES:
            with self.subTest(number=number, mode=mode):
                result = spica("run", "virgo", self.program, "--args", f"u32:{number}", "--mode", mode, *SOON)
                self.assertEqual(result.code, 1, result.text)
                first = result.err.splitlines()[0]
                for text in expected:
                    self.assertIn(text, first)
                for place in ("simt.h", "matrix_unit.h", "sw/lib"):
                    self.assertNotIn(place, result.err)
        return result

    def place(self, mark):
        return line_of(self.SOURCE, mark)

    def test_a_lane_that_waits_for_lanes_of_its_own_warp(self):
        result = self.hang(0, "Live-lock: core 0, warp 0, lane 0 spins", f"wait_for_flag, {self.place('poll')}",
                           "reading flag", "always 0x0",
                           f"lanes 1-7 of the same warp wait for it on the other side of the split at lane_0_polls, {self.place('split')}")
        self.assertIn("Lanes of a warp take turns", result.err.splitlines()[1])

    def test_a_lock_that_another_lane_of_the_warp_holds(self):
        self.hang(1, "core 0, warp 0, lanes", "spin at lock_in_a_warp", "lock_word", "always 0x1",
                  "of the same warp waits for them on the other side of the split at lock_in_a_warp, " + self.place("while"))

    def test_a_barrier_in_a_library_function_names_the_callers_line(self):
        self.hang(2, "Deadlock: barrier 0 is 1 warp short on core 0", f"task, {self.place('barrier')}")

    def test_a_poll_behind_a_library_function(self):
        self.hang(3, "Live-lock: core 0, warp 0", f"wait_for_flag, {self.place('poll')}")

    def test_a_poll_in_a_library_function_names_the_callers_line(self):
        self.hang(4, "Live-lock: core 0, warp 0 spins", f"main, {self.place('busy')}", "matrix_unit_0")


if __name__ == "__main__":
    unittest.main()
