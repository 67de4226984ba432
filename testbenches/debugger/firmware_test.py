# SPDX-License-Identifier: Apache-2.0
"""The firmware of the command processor under gdb."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from gdb_runner import BINARY, FAST, KERNELS, ROOT, DebugTest, Spica, elf, gdb, needs_gdb

FIRMWARE = KERNELS / "debugger_firmware.elf"
SYMBOLS = f"add-symbol-file {FIRMWARE}"


def block(text, language, number=0):
    """A block of the page docs/howto/firmware.md."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)[number]


@needs_gdb
class FirmwareUnderGdb(DebugTest):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory(prefix="spica-test-")
        self.addCleanup(self.work.cleanup)
        self.page = (ROOT / "docs/howto/firmware.md").read_text()
        self.streams = pathlib.Path(self.work.name, "both.yaml")
        self.streams.write_text(block(self.page, "yaml"))

    def run_gdb(self, firmware, script, expect=0):
        with Spica("stream", self.streams, "--gdb", "0", "--set", f"command_processor.firmware={firmware}") as spica:
            text = gdb(spica.port, elf("gemm_tile"), script)
            self.assertEqual(spica.wait(), expect, text + spica.out + spica.err)
        self.spica = spica
        return text

    def test_the_page_shows_what_happens(self):
        source, program = (pathlib.Path(self.work.name, f"last_first{end}") for end in (".cpp", ".elf"))
        source.write_text(block(self.page, "cpp"))
        subprocess.run([BINARY, "cc", "--firmware", "--compiler", "gcc", "-Og", source, "-o", program], check=True)
        shown = self.page[self.page.index("(gdb) break launch_last"):].splitlines()
        commands = [line[6:] for line in shown if line.startswith("(gdb) ")]
        text = self.run_gdb(program, f"add-symbol-file {program}\n" + "\n".join(commands))
        said = [line for line in shown if line and not line.startswith(("(gdb)", "```"))]
        self.assert_order(text, *(re.escape(line).replace("at\\ ", r"at \S*") for line in said), "exited normally")
        self.assertIn(f"-ex 'add-symbol-file {program}'", self.spica.err)

    def test_steps_registers_memory_and_watchpoints(self):
        text = self.run_gdb(FIRMWARE, f"{SYMBOLS}\nbreak begin\ncontinue\nbt\nprint/x known\nprint/x $sp < 0x70002000\n"
                            "delete\nwatch turn\ncontinue\nprint turn\ndelete\ntbreak begin\ncontinue\nstepi\nstepi\nx/2i $pc\n"
                            "set var known = 0\nset var known = 3\nprint known\nkill", expect=1)
        self.assert_order(text, "Breakpoint 1, .*?begin", r"#1 .*main \(\) at sw/firmware/command_processor/main.cpp:\d+",
                          r"\$1 = 0x\w", r"\$2 = 0x1", r"Hardware watchpoint 2: turn", r"\$3 = \d", "Temporary breakpoint 3",
                          "=> 0x7000", r"\$4 = 3")
        self.assertIn("write to 0x7000", text)
        self.assertIn("by command processor, pc 0x7000", text)

    def test_kernels_and_firmware_have_breakpoints_side_by_side(self):
        text = self.run_gdb(FIRMWARE, f"{SYMBOLS}\nbreak simt_start_group\ntbreak begin\ncontinue\ncontinue\ninfo threads\n"
                            "delete\ncontinue")
        self.assert_order(text, "Temporary breakpoint 2, .*?begin", '"cluster \\d core \\d+ warp \\d+" hit Breakpoint 1',
                          "exited normally")
        self.assertRegex(text, r'Thread 257 "command processor" \(lanes 0; runs\)')

    def test_a_fault_stops_in_the_firmware(self):
        source, program = (pathlib.Path(self.work.name, f"bad{end}") for end in (".cpp", ".elf"))
        source.write_text("#include <spica/firmware.h>\nint main() {\n  spica::firmware::sleep();\n  __asm__ volatile(\"ebreak\");\n"
                          "  return 0;\n}\n")
        subprocess.run([BINARY, "cc", "--firmware", source, "-o", program], check=True)
        text = self.run_gdb(program, f"add-symbol-file {program}\ncontinue\ninfo threads\nkill", expect=1)
        self.assert_order(text, "SIGTRAP", r"bad.cpp:4", "command processor")

    @unittest.skipIf(FAST, "instructions are told apart by cycles")
    def test_it_goes_back(self):
        text = self.run_gdb(FIRMWARE, f"{SYMBOLS}\nbreak begin\ncontinue\nprint turn\ncontinue\nprint turn\n"
                            "reverse-continue\nprint turn\ndelete\ncontinue")
        self.assert_order(text, r"\$1 = 0", r"\$2 = 1", r"\$3 = 0", "exited normally")


if __name__ == "__main__":
    unittest.main()
