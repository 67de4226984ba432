# SPDX-License-Identifier: Apache-2.0
"""Several watchpoints that one instruction, one DMA transfer or one piece of work of a matrix unit touches: none is
lost."""
import unittest

from gdb_runner import DebugTest, Spica, elf, gdb, needs_gdb


@needs_gdb
class Watchpoints(DebugTest):
    def gemm(self, script):
        with Spica("gemm", "--size", "128x64x128", "--gdb", "0") as spica:
            text = gdb(spica.port, elf("gemm_virgo_dma"), script)
            self.code = spica.wait()
            self.out = spica.out
        return text

    def test_a_transfer_stops_for_what_it_writes_and_for_what_it_reads(self):
        text = self.gemm("watch *(int*)0xff000000\nwatch *(int*)0xff000004\nawatch *(int*)0xff000000\nrwatch *(int*)0xa0000000\n"
                         "continue\ninfo registers pc\ncontinue\ninfo registers pc\ncontinue\ninfo registers pc\ndelete\ncontinue")
        self.assert_order(text, "write to 0xff000000 by a DMA load", r"watchpoint 1: [^\n]*ff000000\n\nOld value = 0\n",
                          r"\(read/write\) watchpoint 3: [^\n]*ff000000\n\nOld value = 0\n", r"pc +(0x\w+)",
                          "write to 0xff000004 by a DMA load", r"watchpoint 2: [^\n]*ff000004\n\nOld value = 0\n", r"pc +0x",
                          "read of 0xa0000000 by a DMA load", r"read watchpoint 4: [^\n]*a0000000\n\nValue = ", r"pc +0x",
                          "exited normally")
        self.assertEqual(text.count("by a DMA load"), 3)
        pcs = [line.split()[1] for line in text.splitlines() if line.startswith("pc ")]
        self.assertEqual(len(set(pcs)), 1, "all these stops are at the end of the same transfer")
        self.assertEqual(self.code, 0)
        self.assertIn("verified", self.out)

    def test_a_watchpoint_that_is_deleted_before_its_turn_does_not_stop(self):
        text = self.gemm("watch *(int*)0xff000000\nwatch *(int*)0xff000004\nrwatch *(int*)0xa0000000\ncontinue\n"
                         "delete 2\ncontinue\ndelete 3\ndelete 1\ncontinue")
        self.assert_order(text, "write to 0xff000000 by a DMA load", "read of 0xa0000000 by a DMA load", "exited normally")
        self.assertNotIn("0xff000004 by", text)

    def test_a_matrix_unit_stops_for_all_it_reads(self):
        text = self.gemm("rwatch *(int*)0xff000000\nawatch *(int*)0xff000008\nrwatch *(int*)0xff000000\n"
                         "tbreak main\ncontinue\ndelete 2\ncontinue\nawatch *(int*)0xff000008\ncontinue\ncontinue\ndelete\ncontinue")
        self.assert_order(text, "read of 0xff000000 by a (preload|compute)", "read watchpoint 1", "Value =", "read watchpoint 3",
                          "Value =", r"read of 0xff00000[08] by a (preload|compute)", r"read of 0xff00000[80] by a (preload|compute)",
                          "exited normally")

    def test_one_store_stops_for_the_elements_of_several_lanes(self):
        text = self.debug("debugger_lanes", "watch results[9]\nwatch results[11]\nawatch results[13]\ncontinue\ninfo registers pc\n"
                          "continue\ninfo registers pc\ncontinue\ninfo registers pc\ndelete\ncontinue")
        self.assert_order(text, "write to 0x[^\n]*, lanes 1\n", r"watchpoint 1: results\[9\]\n\nOld value = 0\nNew value = 1\n",
                          "write to 0x[^\n]*, lanes 3\n", r"watchpoint 2: results\[11\]\n\nOld value = 0\nNew value = 1\n",
                          "write to 0x[^\n]*, lanes 5\n", r"watchpoint 3: results\[13\]\n\nOld value = 0\nNew value = 1\n",
                          "exited with code 0100")
        pcs = [line.split()[1] for line in text.splitlines() if line.startswith("pc ")]
        self.assertEqual(len(set(pcs)), 1, "the warp has not gone on between these stops")

    def test_an_atomic_operation_is_a_write_and_a_read(self):
        for others in ("", "rwatch total\n", "awatch total\nrwatch total\n"):
            text = self.debug("debugger_lanes", f"watch total\n{others}continue\ncontinue\ndelete\ncontinue")
            stops = ["write to 0x", "Hardware watchpoint 1: total\n\nOld value = 0\nNew value = 8\n"]
            if "awatch" in others:
                stops.append(r"access \(read/write\) watchpoint 2: total\n\nOld value = 0\nNew value = 8\n")
            if "rwatch" in others:
                stops += ["read of 0x", r"read watchpoint \d: total\n\nValue = 8\n"]
            with self.subTest(others):
                self.assert_order(text, *stops, "exited with code 0100")

    def test_loads_and_stores_stop_for_the_kinds_that_want_them(self):
        text = self.debug("debugger_steps", "rwatch counter\nawatch counter\ncontinue\ncontinue\ncontinue\ncontinue\ndelete\ncontinue")
        self.assert_order(text, *[part for new in (3, 6, 9) for part in ("write to", r"\(read/write\) watchpoint 2", f"New value = {new}")],
                          "read of", "read watchpoint 1: counter\n\nValue = 9", r"watchpoint 2: counter\n\nValue = 9", "code 07")


if __name__ == "__main__":
    unittest.main()
