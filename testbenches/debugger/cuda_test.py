# SPDX-License-Identifier: Apache-2.0
"""A kernel in the style of CUDA under gdb: lines, arguments, shared memory, and the indices of the thread that is looked at."""
import array
import pathlib
import subprocess
import tempfile

from gdb_runner import BINARY, ROOT, DebugTest, needs_gdb

SOURCE = ROOT / "sw/examples/cuda/heat.cu"
TEXT = SOURCE.read_text().splitlines()
LAST = next(number for number, line in enumerate(TEXT, 1) if "if (row < n" in line)


@needs_gdb
class Cuda(DebugTest):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        (cls.work / "plate").write_bytes(array.array("f", [float(i % 100) for i in range(64 * 64)]).tobytes())
        for name, level in (("heat", "-O2"), ("kept", "-Og")):
            subprocess.run([BINARY, "cc", SOURCE, level, "-o", cls.work / f"{name}.elf"], check=True)

    def heat(self, script, config="virgo", name="heat"):
        return self.debug(self.work / name, script, "--set", "dispatcher.present=true", "--grid", "4x4", "--block", "16x16", "--args", "now=before,next=after,n=64",
                          "--load", f"{self.work}/plate@before", config=config)

    def test_a_breakpoint_is_in_the_kernel_and_threads_have_their_indices(self):
        for config, lanes in (("virgo", 8), ("volta-sm", 32)):
            text = self.heat("break heat\ncontinue\ninfo args\nprint threadIdx\nprint blockDim\nprint gridDim.x\nmonitor lane 2\nmaintenance flush register-cache\n"
                             "print threadIdx.x\nprint blockIdx\nkill", config)
            last = lanes - 1  # gdb shows the highest lane
            self.assert_order(text, r"hit Breakpoint 1, heat \(now=0x\w+ <before>, next=0x\w+ <after>, n=64\) at \S*heat\.cu:\d+", "n = 64",
                              rf"= \{{x = {last % 16}, y = {last // 16}, z = 0\}}", r"= \{x = 16, y = 16, z = 1\}", r"= 4\n", r"= 2\n", r"= \{x = 0, y = 0, z = 0\}")

    def test_a_condition_finds_the_thread(self):
        text = self.heat(f"break heat.cu:{LAST} if threadIdx.x == 3 && threadIdx.y == 5 && blockIdx.y == 2\ncontinue\nprint threadIdx\nprint blockIdx.y\nprint tile[6][4]\n"
                         "print column\nkill")
        value = ((2 * 16 + 5) * 64 + 3) % 100  # of block (0, 2), or of the one beside it
        self.assert_order(text, rf"hit Breakpoint 1, heat .* at \S*heat\.cu:{LAST}", r"= \{x = 3, y = 5, z = 0\}", r"= 2\n", r"= \d+", r"= \d+\n")
        column = int(text.rsplit("= ", 1)[1].split()[0])
        self.assertEqual(column % 16, 3)
        self.assertIn(f"= {(value + column - 3) % 100}\n", text)

    def test_code_for_a_debugger_has_every_variable(self):
        text = self.heat(f"tbreak heat.cu:{LAST} if x == 6 && y == 3 && blockIdx.x == 0\ncontinue\ninfo args\ninfo locals\nbacktrace\n"
                         "print around == tile[y][5] + tile[y][7] + tile[2][x] + tile[4][x]\nkill", name="kept")
        self.assert_order(text, "n = 64\n", "column = 5\n", r"row = \d+\n", "x = 6\n", "y = 3\n", "is_inside = ", r"around = \d+",
                          r"#1 .* heat\[entry\]", r"\$1 = true\n")
        self.assertNotIn("optimized out", text)

    def test_indices_are_not_written_and_not_watched(self):
        text = self.heat("break heat\ncontinue\nset var threadIdx.x = 5\nkill")
        self.assertIn("Cannot access memory", text)
        text = self.heat("break heat\ncontinue\nwatch threadIdx.x\ncontinue\nkill")
        self.assertRegex(text, "Could not insert hardware watchpoint|Cannot")
