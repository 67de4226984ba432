# SPDX-License-Identifier: Apache-2.0
"""The way back from many places of each kind of kernel: what a step has done is undone, and the run ends as it would have."""
import pathlib
import random
import subprocess
import tempfile
import unittest

from gdb_runner import BINARY, FAST, ROOT, Spica, elf
from protocol_test import Client

PLACES = 27
SOURCES = ROOT / "testbenches" / "kernels"
CLUSTERS = ("--set", "clusters=2", "--set", "dispatcher.present=true")
STREAMS = """program: {program}
config: mgpu-2
streams:
  - name: left
    steps: [{{launch: step, grid: 4, args: "factor=3,addend=1,x=a"}}, {{record: done}}, {{launch: add, grid: 4, args: "x=a,y=b"}}]
  - name: right
    steps: [{{launch: step, grid: 4, args: "factor=5,addend=2,x=b"}}, {{wait: done}}, {{launch: add, grid: 4, args: "x=c,y=a"}}]
"""
MODE = ["--mode", "fast"] if FAST else []


class Back(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="spica-test-")
        cls.work = pathlib.Path(cls.folder.name)
        for name in ("work_groups/groups", "streams/streams"):
            source = SOURCES / f"{name}.cpp"
            subprocess.run([BINARY, "cc", source, "-I", ROOT, "-g", "-o", cls.work / f"{source.stem}.elf"], check=True)
        (cls.work / "streams.yaml").write_text(STREAMS.format(program=cls.work / "streams.elf"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def executed(self, *command):
        """The program counters of an undisturbed run, and the memory that it leaves."""
        log, memory = self.work / "run.log", self.work / "memory"
        subprocess.run([BINARY, *map(str, command), *MODE, "--trace", log, "--save-memory", memory, "-q"], check=True, capture_output=True)
        lines = (line.split() for line in log.read_text().splitlines() if not line.startswith("#"))
        return [int(words[3], 16) for words in lines], memory.read_bytes()

    def stop(self, packet):
        """Lets it go; the thread that it stops at, None when it has ended."""
        self.client.send(packet)
        reply = self.client.wait_for_stop()
        self.assertIsNotNone(reply, f"the connection broke at {packet}: {self.spica.err}")
        if not reply.startswith(b"T"):
            return None
        self.reply = reply
        return next(int(field[7:], 16) for field in reply[3:].split(b";") if field.startswith(b"thread:"))

    def registers(self, thread):
        self.client.ask(b"Hg%x" % thread)
        return self.client.ask(b"g")

    @staticmethod
    def pc(registers):
        return int.from_bytes(bytes.fromhex(registers[256:264].decode()), "little")

    def reads_csr(self, registers):
        """What it reads may depend on when it does."""
        word = bytes.fromhex(self.client.ask(b"m%x,4" % self.pc(registers)).decode())
        return word[0] & 0x7F == 0x73

    def step_back_and_forth(self, thread, steps):
        """So many times an instruction of a thread back, the same again with all others held, and back once more."""
        self.client.ask(b"Hc%x" % thread)
        for _ in range(steps):
            after = self.registers(thread)
            there = self.stop(b"bs")
            if b"replaylog:begin" in self.reply:
                return
            self.assertEqual(there, thread)
            before = self.registers(thread)
            self.assertNotEqual(before, after)
            self.stop(b"vCont;s:%x" % thread)
            if self.client.ask(b"T%x" % thread) != b"OK":
                continue  # it has ended, and nobody starts it again while all are held
            again = self.registers(thread)
            if again == before:
                continue  # it waits for the others
            self.assertEqual(self.pc(again), self.pc(after))
            if not self.reads_csr(before):
                self.assertEqual(again, after)
            self.assertEqual(self.stop(b"bs"), thread)
            self.assertEqual(self.registers(thread), before)

    def visit(self, pc, number):
        """Goes on to a place, and back from it. False: the program has ended."""
        at = b"0,%x,4" % pc
        self.client.ask(b"Z" + at)
        thread = self.stop(b"vCont;c")
        if thread is None:
            return False
        if number % 3 == 2:
            thread = self.stop(b"bc")
            if b"replaylog:begin" not in self.reply:
                self.assertEqual(self.pc(self.registers(thread)), pc)
        self.client.ask(b"z" + at)
        if b"replaylog:begin" not in self.reply:
            self.step_back_and_forth(thread, 4 if number % 3 == 1 else 1)
        return True

    def go_back_from_many_places(self, *command):
        pcs, memory = self.executed(*command)
        rng = random.Random(1)
        left = self.work / "left"
        visited = 0
        while visited < PLACES:
            start = visited
            with Spica(*command, "--gdb", "0", "--save-memory", left) as self.spica:
                self.client = Client(self.spica.port)
                self.addCleanup(self.client.close)
                for place in sorted(rng.sample(range(len(pcs)), PLACES - visited)):
                    if not self.visit(pcs[place], visited):
                        break  # a loop that waits does not always
                    visited += 1
                else:
                    self.assertIsNone(self.stop(b"vCont;c"))
                self.assertEqual(self.spica.wait(), 0, self.spica.err)
            self.assertTrue(left.read_bytes() == memory, "memory differs from that of an undisturbed run")
            self.assertGreater(visited, start, "the program has become too short for this test")

    def test_a_grid(self):
        self.go_back_from_many_places("run", "virgo", self.work / "groups.elf", "--set", "dispatcher.present=true", "--kernel", "sums",
                                      "--grid", "5", "--block", "24")

    def test_a_grid_on_two_clusters(self):
        self.go_back_from_many_places("run", "virgo", self.work / "groups.elf", *CLUSTERS, "--kernel", "sums", "--grid", "5", "--block", "24")

    def test_streams(self):
        self.go_back_from_many_places("stream", self.work / "streams.yaml")

    def test_streams_that_a_firmware_launches(self):
        self.go_back_from_many_places("stream", self.work / "streams.yaml", "--set", "command_processor.firmware=command_processor")

    def test_two_clusters(self):  # long
        self.go_back_from_many_places("run", "virgo", elf("power_clusters"), "--set", "clusters=2")

    def test_tensor_cores_of_each_style(self):  # long
        for config, program in (("virgo", "wmma_fragments"), ("volta-sm", "wmma32_fragments"), ("turing-sm", "wmma32_fragments"),
                                ("ampere-sm", "wmma32_fragments"), ("fp16-hopper", "hgmma")):
            with self.subTest(config=config):
                self.go_back_from_many_places("run", config, elf(program))

    def test_asynchronous_copies(self):
        self.go_back_from_many_places("run", "ampere-sm", elf("async_copy"))

    def test_matrix_units_and_dma(self):
        self.go_back_from_many_places("run", "virgo", elf("matrix_commands_64k"))


if __name__ == "__main__":
    unittest.main()
