# SPDX-License-Identifier: Apache-2.0
"""Control-C, and what editors send in its place, stop a program whatever gdb is at: a continue, or one of the many
steps that make up a `next`."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

from gdb_runner import BINARY, GDB, ROOT, Spica, elf, needs_gdb
from protocol_test import Client

PROMPT = "(gdb) "  # all of it: a read may end before its space


class Terminal:
    """A gdb in a terminal."""

    def __init__(self, *arguments):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "dumb"
            os.chdir(ROOT)
            os.execv(GDB, [GDB, "-nx", "-q", "-ex", "set confirm off", "-ex", "set width 0", *map(str, arguments)])
        self.text = ""
        self.prompt()

    def read(self, seconds):
        """Takes in what comes within that time; False: nothing came."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        self.text += os.read(self.terminal, 65536).decode(errors="replace")
        return True

    def prompt(self, seconds=60):
        """What gdb has said when it waits for a command."""
        end = time.monotonic() + seconds
        while not self.text.endswith(PROMPT):
            if time.monotonic() > end:
                raise TimeoutError(f"no prompt: {self.text}")
            self.read(0.2)
        text, self.text = self.text, ""
        return text

    def ask(self, command):
        self.type(command)
        return self.prompt()

    def type(self, command):
        os.write(self.terminal, command.encode() + b"\n")

    def control_c(self):
        os.write(self.terminal, b"\x03")

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


class Interrupts(unittest.TestCase):
    def start(self):
        """A program that spins in many turns of a call."""
        spica = Spica("debug", "virgo", elf("debugger_loop"), "-q", "--set", "run.hang_cycles=1000000000")
        self.addCleanup(spica.__exit__, None, None, None)
        return spica


@needs_gdb
class ControlC(Interrupts):
    def terminal(self, *arguments):
        spica = self.start()
        terminal = Terminal(*arguments, elf("debugger_loop"))
        self.addCleanup(terminal.close)
        self.assertIn("_start", terminal.ask(f"target remote 127.0.0.1:{spica.port}"))
        return spica, terminal

    def stop_during(self, spica, terminal, command):
        """Types Control-C while a command is at work. gdb itself may take the Control-C between two of its steps: it
        then says "Quit", and the command is given again."""
        for _ in range(40):
            terminal.type(command)
            spica.runs()
            while terminal.read(0):
                pass
            self.assertNotIn(PROMPT, terminal.text, "it has ended by itself")
            terminal.control_c()
            text = terminal.prompt(20)
            if not text.endswith("Quit\r\n" + PROMPT):
                break
        self.assertRegex(text, "received signal SIGINT", command)

    def test_control_c_stops_every_command_that_runs_the_program(self):
        for script in ((), ("-x", ROOT / "platform/observe/debug/spica.gdb")):
            spica, terminal = self.terminal(*script)
            terminal.ask("tbreak spin")
            self.assertIn("spin", terminal.ask("continue"))
            for command in ("next", "stepi 1000000000", "continue", "next"):
                with self.subTest(command, script=script):
                    self.stop_during(spica, terminal, command)
            terminal.ask("set var stop = 1")  # a stop leaves the program as it was
            terminal.ask("kill")
            self.assertEqual(spica.wait(), 1)

    def test_after_control_c_the_program_goes_on_to_its_end(self):
        spica, terminal = self.terminal()
        terminal.ask("tbreak spin")
        terminal.ask("continue")
        self.stop_during(spica, terminal, "next")
        terminal.ask("set var stop = 1")
        self.assertIn("exited with code 05", terminal.ask("continue"))
        self.assertEqual(spica.wait(), 5)

    def test_a_step_over_a_line_without_calls_is_one_request(self):
        _, terminal = self.terminal()
        terminal.ask("tbreak short_spin")
        terminal.ask("continue")
        terminal.ask("set debug remote 1")
        text = terminal.ask("next")
        self.assertRegex(text, r"turns = 7|17\t")
        self.assertLess(len(re.findall(r"Sending packet: \$vCont", text)), 10)


@needs_gdb
class Editors(Interrupts):
    """gdb with its machine interface, as VS Code starts it."""

    def mi(self, *commands):
        spica, process = self.start(), self.gdb()
        for command in (*commands, f"-file-exec-and-symbols {elf('debugger_loop')}",
                        f"-target-select remote 127.0.0.1:{spica.port}", "-break-insert -t spin", "-exec-continue"):
            self.say(process, command)
        self.until(process, r"\*stopped,reason=\"breakpoint-hit\"")
        return spica, process

    def gdb(self):
        process = subprocess.Popen([GDB, "-nx", "--interpreter=mi2"], stdin=subprocess.PIPE, cwd=ROOT,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        return process

    @staticmethod
    def say(process, command):
        process.stdin.write(command + "\n")
        process.stdin.flush()

    def until(self, process, pattern):
        text = ""
        for line in process.stdout:
            text += line
            if re.search(pattern, line):
                return text
        self.fail(f"{pattern} does not come in\n{text}")

    def test_exec_interrupt_stops_a_step_and_a_continue(self):
        spica, process = self.mi("-gdb-set mi-async on")
        for command in ("-exec-next", "-exec-continue", "-exec-next"):
            self.say(process, command)
            self.until(process, r"\^running")
            spica.runs()
            self.say(process, "-exec-interrupt")
            self.until(process, r"\*stopped,.*signal-name=\"SIGINT\"")
        self.say(process, "kill")
        self.assertEqual(spica.wait(), 1)

    def test_a_next_stays_in_its_warp_with_the_file_of_spica_new(self):
        with tempfile.TemporaryDirectory(prefix="spica-test-") as folder:
            subprocess.run([BINARY, "new", f"{folder}/mine"], check=True, capture_output=True)
            one, = json.loads(pathlib.Path(folder, "mine/.vscode/launch.json").read_text())["configurations"]
        console = [f'-interpreter-exec console "{command["text"]}"' for command in one["setupCommands"] + one["postRemoteConnectCommands"]]
        spica = Spica("debug", "virgo", elf("squares"), "-q")
        self.addCleanup(spica.__exit__, None, None, None)
        process = self.gdb()
        for command in (console[0], f"-file-exec-and-symbols {elf('squares')}", f"-target-select remote 127.0.0.1:{spica.port}", console[1],
                        "-break-insert -t square"):
            self.say(process, command)
        threads = []
        for command, reason in (("-exec-continue", "breakpoint-hit"), *[("-exec-next", "end-stepping-range")] * 4):
            self.say(process, command)
            text = self.until(process, rf'\*stopped,reason="{reason}"')
            threads.append(re.findall(r'thread-id="(\d+)"', text)[-1])
        self.assertEqual(len(set(threads)), 1, threads)
        self.say(process, '-interpreter-exec console "warps"')
        self.until(process, r'^@".*thread')
        self.say(process, "kill")
        self.assertEqual(spica.wait(), 1)

    def test_the_signal_of_an_editors_pause_button_stops_a_step(self):
        spica, process = self.mi()
        self.say(process, "-exec-next")
        self.until(process, r"\^running")
        spica.runs()
        process.send_signal(signal.SIGINT)
        self.until(process, r"\*stopped,.*signal-name=\"SIGINT\"")
        self.say(process, "kill")
        self.assertEqual(spica.wait(), 1)


class Bytes(Interrupts):
    """The byte 3 at every place between two packets."""

    def client(self):
        client = Client(self.start().port)
        self.addCleanup(client.close)
        return client

    def test_an_interrupt_while_the_program_stands_stops_what_comes_next_before_it_moves(self):
        c = self.client()
        self.assertTrue(c.ask(b"?").startswith(b"T05"))
        for resume in (b"vCont;c", b"vCont;s:1", b"vCont;r80000000,80000100:1;c", b"s", b"c"):
            pc = c.ask(b"p20")
            c.raw(b"\x03")
            self.assertEqual(c.ask(b"qC"), b"QC1")  # what gdb does between two steps
            c.send(resume)
            self.assertTrue(c.wait_for_stop().startswith(b"T02thread:1;"), resume)
            self.assertEqual(c.ask(b"p20"), pc)
            self.assertTrue(c.ask(b"vCont;s:1").startswith(b"T05"), "it counts once")

    def test_an_interrupt_between_the_steps_of_a_client_that_never_waits_stops_it(self):
        c = self.client()
        for i in range(300):
            if i == 200:
                c.raw(b"\x03")
            c.send(b"vCont;s:1")
            reply = c.wait_for_stop()
            if reply.startswith(b"T02"):
                break
        self.assertEqual(i, 200)

    def test_an_interrupt_before_gdb_asks_why_the_program_stands_has_its_answer(self):
        c = self.client()
        c.raw(b"\x03")  # set remote interrupt-on-connect
        self.assertTrue(c.ask(b"?").startswith(b"T05"))
        self.assertTrue(c.ask(b"vCont;s:1").startswith(b"T05"))

    def test_an_interrupt_stops_a_range_step_that_has_no_end(self):
        spica = self.start()
        c = Client(spica.port)
        self.addCleanup(c.close)
        c.send(b"vCont;r80000000,90000000:1;c")
        spica.runs()
        c.raw(b"\x03")
        self.assertTrue(c.wait_for_stop().startswith(b"T02"))


if __name__ == "__main__":
    unittest.main()
