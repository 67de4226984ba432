# SPDX-License-Identifier: Apache-2.0
"""A stack that overflows is found where it happens, in both modes and however the program was compiled; the same
program inside its stack is clean."""
import pathlib
import re
import shutil
import subprocess
import unittest

from spica_runner import elf, folder, spica

ROOT = pathlib.Path(__file__).parents[2]
SOURCE = pathlib.Path(__file__).parent / "stacks" / "stacks.cpp"
# Number of the case: function, lanes of the report
CASES = {
    0: ("down", "0"),
    1: ("even|odd", "0"),
    2: ("large", "0"),
    3: ("variable", "0"),
    4: ("to_the_end", "0"),
    5: ("down", "0"),
    6: ("down|trapping_handler", "0"),
    7: ("down", "0"),
    8: ("down", "0|0-7"),  # main() has used some of the stack of lane 0 already; another warp may be the first
    9: ("down", "5"),
    10: ("large", "0-7"),
}


def field(result, name):
    found = re.search(rf"^  {name} +(.*)$", result.err, re.M)
    return found[1] if found else ""


class Stacks(unittest.TestCase):
    def run_case(self, program, case, bug, mode):
        return spica("run", "virgo", program, "--args", f"u32:{case},u32:{bug}", "--mode", mode)

    def check_all(self, program):
        for case, (function, lanes) in CASES.items():
            reports = []
            for mode in ("cycle", "fast"):
                with self.subTest(case=case, mode=mode):
                    result = self.run_case(program, case, 1, mode)
                    self.assertEqual(result.code, 1, result.text)
                    self.assertIn("fault: a stack overflow", result.err)
                    self.assertNotIn("Live-lock", result.text)
                    self.assertRegex(field(result, "in"), rf"^({function})\b.*stacks\.cpp")
                    self.assertRegex(field(result, "lanes"), f"^({lanes})$")
                    used = re.search(r"(\d+) bytes of its stack are in use and (\d+) more are needed, in total (\d+) of 8192",
                                     field(result, "detail"))
                    self.assertTrue(used, result.err)
                    self.assertEqual(int(used[1]) + int(used[2]), int(used[3]))
                    self.assertLessEqual(int(used[1]), 8192)
                    self.assertGreater(int(used[3]), 8192)
                    reports.append([field(result, name) for name in ("pc", "in", "instruction")] +
                                   ([field(result, name) for name in ("lanes", "address", "detail", "called from")]
                                    if case not in (8, 10) else []))  # there another warp may be the first
                    self.assertEqual(self.run_case(program, case, 0, mode).code, 0)
            self.assertEqual(len({tuple(report) for report in reports}), 1, reports)

    def test_each_kind_of_overflow_is_found_in_both_modes(self):
        self.check_all(elf("stacks"))

    def test_the_same_without_optimisation_built_outside_the_tree(self):
        compiler = shutil.which("riscv64-unknown-elf-gcc")
        if compiler is None:
            self.skipTest("no cross compiler in PATH")
        with folder() as out:
            program = pathlib.Path(out) / "stacks.elf"
            subprocess.run([compiler, "@sw/gcc.flags", "-O0", "-Isw/lib/include", "-I.", "-T", "sw/lib/kernel.ld",
                            SOURCE, *sorted((ROOT / "sw" / "lib").glob("*.cpp")),
                            *sorted((ROOT / "sw" / "lib").glob("*.S")), "-o", program], cwd=ROOT, check=True)
            self.check_all(program)

    def test_the_report_counts_the_calls_on_the_stack(self):
        result = self.run_case(elf("stacks"), 0, 1, "cycle")
        count = re.search(r"down \(stacks\.cpp:\d+\) (\d+) times", field(result, "called from"))
        self.assertTrue(count, result.err)
        frame = re.search(r"in use and (\d+) more", field(result, "detail"))
        self.assertAlmostEqual(int(count[1]), 8192 / int(frame[1]), delta=2)

    def test_start_up_code_without_notes_is_recognised(self):
        self.assertEqual(*self.without_notes([]))

    def test_a_program_of_unknown_stacks_is_said_once_and_runs(self):
        """The start-up takes the number of the hart from elsewhere: a word that is not recognised."""
        with_notes, without = self.without_notes(["csrr"])
        self.assertNotEqual(with_notes, without)

    def without_notes(self, hidden):
        """The report of the program as it is, and of one without its notes and perhaps with another start-up."""
        with folder() as out:
            program = pathlib.Path(out) / "stacks.elf"
            image = bytearray(elf("stacks").read_bytes().replace(b"Spica\0", b"Other\0"))
            if hidden:  # sub sp, sp, t0 becomes an addition of the negative number: still the same stacks
                word = (0x40510133).to_bytes(4, "little")
                self.assertEqual(image.count(word), 2)
                for _ in range(2):
                    at = image.find(word)
                    image[at:at + 4] = (0x00000013).to_bytes(4, "little")  # nop: all stacks are that of hart 0
            program.write_bytes(image)
            first = self.run_case(elf("stacks"), 2, 1, "fast")
            second = self.run_case(program, 2, 1, "fast")
            note = "has no information about its stacks"
            self.assertEqual(second.err.count(note), 1 if hidden else 0, second.err)
            self.assertNotIn(note, first.err)
            return field(first, "detail"), field(second, "detail")


if __name__ == "__main__":
    unittest.main()
