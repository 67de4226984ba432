# SPDX-License-Identifier: Apache-2.0
"""gdb goes back in a run: step by step, to the last write of a variable, to the beginning."""
import pathlib
import subprocess
import tempfile
import unittest

from gdb_runner import BINARY, DebugTest, FAST, elf, needs_gdb

AT_THE_END = "break squares.cpp:23\ncontinue\n"
BEGINNING = "(No more reverse-execution|Reached end of recorded) history"  # gdb to 15, from 16 on


@needs_gdb
class Back(DebugTest):
    def test_three_commands_find_who_wrote_a_wrong_word(self):
        text = self.debug("squares", AT_THE_END + "watch data.checksum\nreverse-continue\nkill", expect=1)
        self.assert_order(text, "the checksum is 65025", "write to 0x80004400 by core 3, warp 7, pc 0x[0-9a-f]* in square",
                          'Thread [^\n]*"core 3 warp 7" hit Hardware watchpoint 2: data.checksum',
                          "Old value = 65025\nNew value = 42\n", "squares.cpp:13")

    def test_each_earlier_write_is_found_and_then_the_beginning(self):
        text = self.debug("squares", AT_THE_END + "watch data.checksum\nreverse-continue\nreverse-continue\nreverse-continue\n"
                          "print data.checksum\ndelete\ncontinue", expect=1)
        self.assert_order(text, "Old value = 65025\nNew value = 42\n", '"core 0 warp 0" hit Hardware watchpoint 2',
                          "Old value = 42\nNew value = 0\n", "squares.cpp:17", BEGINNING,
                          r"_start \(\)", r"\$1 = 0", "exited with code 01")
        self.assertEqual(text.count("the checksum is 65025"), 1, "a line that was shown is not shown again")

    def test_back_and_forth_between_two_writes(self):
        text = self.debug("squares", AT_THE_END + "watch data.checksum\nreverse-continue\ncontinue\nprint data.checksum\n"
                          "reverse-continue\nprint data.checksum\ndelete\ncontinue", expect=1)
        self.assert_order(text, "Old value = 65025\nNew value = 42\n", "Old value = 42\nNew value = 65025\n", r"\$1 = 65025",
                          "Old value = 65025\nNew value = 42\n", r"\$2 = 42", "exited with code 01")

    def test_a_step_back_undoes_a_step(self):
        text = self.debug("squares", "tbreak square\ncontinue\nprint $pc\nprint $v_a0\nstepi\nstepi\nstepi\nreverse-stepi\n"
                          "reverse-stepi\nreverse-stepi\nprint $pc\nprint $v_a0\nkill", expect=1)
        pcs = [line.split("=")[1].split()[-3] for line in text.splitlines() if line.startswith(("$1 =", "$3 ="))]
        self.assertEqual(len(pcs), 2, text)
        self.assertEqual(pcs[0], pcs[1])
        lanes = [line.partition("=")[2] for line in text.splitlines() if line.startswith(("$2 =", "$4 ="))]
        self.assertEqual(lanes[0], lanes[1])

    def test_the_run_goes_back_to_a_breakpoint_with_a_condition(self):
        text = self.debug("squares", AT_THE_END + "break square if id == 171\nreverse-continue\nprint $v_a0\nkill", expect=1)
        self.assert_order(text, "core 1 warp 5: this is lane 3", r"square \(id=171\)", r"\{168, 169, 170, 171, 172, 173, 174, 175\}")

    def test_what_happened_before_a_fault_can_be_looked_at(self):
        text = self.debug("fault_1", "continue\nprint $pc\nreverse-stepi\nprint $pc\nstepi\nstepi\nkill")
        self.assert_order(text, "SIG(SEGV|ILL|TRAP)", r"\$1 = ", r"\$2 = ", "SIG(SEGV|ILL|TRAP)")

    def test_after_a_change_the_past_begins_there(self):
        text = self.debug("squares", "tbreak squares.cpp:21\ncontinue\nset var data.checksum = 7\nbreak squares.cpp:23\ncontinue\n"
                          "watch data.checksum\nreverse-continue\nprint data.checksum\ndelete\ncontinue")
        self.assert_order(text, f"New value = 7|{BEGINNING}", r"\$1 = 7")


@needs_gdb
class FromACheckpoint(DebugTest):
    def test_gdb_begins_at_a_checkpoint_and_the_program_ends_as_without_it(self):
        mode = ["--mode", "fast"] if FAST else []
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BINARY, "run", "virgo", elf("squares"), *mode, "--checkpoint", "every=3000",
                            "--checkpoint-dir", folder], capture_output=True)
            file = min(pathlib.Path(folder).iterdir(), key=lambda file: file.stat().st_mtime_ns)  # the first one
            text = self.debug("squares", "print $pc\nbreak squares.cpp:23\ncontinue\nreverse-stepi\nprint data.checksum\n"
                              "delete\ncontinue", "--from", file, expect=1)
        self.assertNotIn("_start () at", text)
        self.assert_order(text, r"\$1 = ", "the checksum is 65025", r"\$2 = 65025", "exited with code 01")


if __name__ == "__main__":
    unittest.main()
