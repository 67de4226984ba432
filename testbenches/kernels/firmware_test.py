# SPDX-License-Identifier: Apache-2.0
"""Firmware of the command processor: the one that comes with Spica decides what the block decides; those of others."""
import pathlib
import unittest

from spica_runner import elf, folder, spica, stats

SCHEDULES = ("sequential", "default", "goldyloc", "oracle")
MODES = ("cycle", "fast")
# In no time, as far as can be: what is decided does not depend on when.
QUICK = {"command_processor.clock_mhz": 10000, "command_processor.memory_latency": 0, "command_processor.decision_us": 0}
FIRMWARE = {"command_processor.firmware": "command_processor"}

PRODUCTS = """program: gemm_tile
config: mgpu-4
kernels: [{name: product, kernel: gemm_32x32x16, grid: 1x1}]
streams:
""" + "".join(f"  - {{name: s{i}, steps: [{{launch: product, args: \"m=32,n=32,k=32,a=0xA0{i}00000,c=0xC0{i}00000\", repeat: 2}}]}}\n"
              for i in range(4))

HIGHEST_FIRST = """#include <spica/firmware.h>
using namespace spica::firmware;
int main() {
  for (;; sleep()) {
    take_given(), take_ended();
    take_new();
    if (running() != 0 || unread() != 0) continue;
    unsigned queue = queues();
    while (queue-- > 0)
      if (head(queue).may_begin()) break;
    if (queue < queues()) launch(queue);
  }
}
"""


def options(*settings):
    return [word for these in settings for key, value in these.items() for word in ("--set", f"{key}={value}")]


def concurrent(out, schedule, *more, gemm="32_32_64_00", available=8, rounds=2):
    result = spica("concurrent", "--gemm", gemm, "--available", available, "--schedule", schedule, "--rounds", rounds,
                   "--config", "mgpu-4", "--out", out, *more)
    assert result.code == 0, result.text
    said = stats(out)
    assert said["verified"]
    return said


def decisions(said):
    """Which queue's head was launched when, and as one of how many."""
    return [(one["stream"], one["degree"]) for one in said["launches"]]


class Firmware(unittest.TestCase):
    def build(self, out, text, *more):
        source = pathlib.Path(out, "policy.cpp")
        source.write_text(text)
        program = pathlib.Path(out, "policy.elf")
        result = spica("cc", "--firmware", source, "-o", program, *more)
        self.assertEqual(result.code, 0, result.text)
        return program

    def stream(self, out, program, *more):
        path = pathlib.Path(out, "products.yaml")
        path.write_text(PRODUCTS)
        return spica("stream", path, "--set", f"command_processor.firmware={program}", "--out", out, *more)

    def test_it_decides_what_the_block_decides(self):
        for schedule in SCHEDULES:
            for mode in MODES:
                with self.subTest(schedule=schedule, mode=mode), folder() as out:
                    rounds = 2 if mode == "fast" else 1  # which stream ends first depends on when it began
                    for available in (3, 8, 16) if mode == "fast" else (3, 16):
                        block, firmware = (concurrent(out, schedule, "--mode", mode, *options(QUICK, more), available=available,
                                                      rounds=rounds) for more in ({}, FIRMWARE))
                        self.assertEqual(decisions(firmware), decisions(block))
                        self.assertEqual(len(decisions(block)), rounds * available)

    def test_two_kinds_of_products_and_additions_are_decided_alike(self):
        for schedule in ("goldyloc", "oracle"):
            for mode in MODES:
                with self.subTest(schedule=schedule, mode=mode), folder() as out:
                    block, firmware = (concurrent(out, schedule, "--additions", 2, "--mode", mode, *options(QUICK, more),
                                                  gemm="32_32_64_00,32_32_256_00", available=10, rounds=1)
                                       for more in ({}, FIRMWARE))
                    self.assertEqual(decisions(firmware), decisions(block))
                    self.assertEqual(len(decisions(block)), 12)

    def test_its_instructions_take_time_on_the_clock_of_the_command_processor(self):
        launched, cycles = {}, {}
        for mhz in (400, 800, 1600):
            with folder() as out:
                said = concurrent(out, "goldyloc", *options(FIRMWARE, {"command_processor.clock_mhz": mhz}))
                launched[mhz] = said["launched"]
                cycles[mhz] = said["stats"]["command_processor"]["firmware_cycles"]["value"]
                self.assertEqual(said["stats"]["command_processor"]["decisions"]["value"], 0)
        self.assertGreater(launched[400], 8 * 30 * 5)  # eight heads; a model of 130 words is read
        self.assertAlmostEqual(launched[400] / launched[800], 2, delta=0.05)
        self.assertAlmostEqual(launched[800] / launched[1600], 2, delta=0.05)
        self.assertGreater(cycles[1600], launched[400])

    def test_a_policy_of_ones_own(self):
        with folder() as out:
            program = self.build(out, HIGHEST_FIRST)
            for mode in MODES:
                with self.subTest(mode):
                    result = self.stream(out, program, "--mode", mode)
                    self.assertEqual(result.code, 0, result.text)
                    streams = stats(out)["streams"]
                    runs = sorted((one["launched"], one["ended"], name) for name, stream in streams.items()
                                  for one in stream["launches"])
                    for before, after in zip(runs, runs[1:]):
                        self.assertLessEqual(before[1], after[0])
                    self.assertEqual([name for _, _, name in runs], ["s3", "s3", "s2", "s2", "s1", "s1", "s0", "s0"])

    def test_its_errors_are_faults_of_the_program_with_their_line(self):
        cases = (("launch(31);", "its firmware launches queue 31, which has no kernel to launch at its head"),
                 ("launch(40);", "its firmware launches queue 40, which does not exist"),
                 ("read(0x2FFC);", "command processor"),
                 ("write(FIRMWARE_RUNNING, 1);", "no writable register at +0x10"),
                 ("*reinterpret_cast<volatile int*>(16) = 1;", "unmapped address"),
                 ("*reinterpret_cast<volatile char*>(FIRMWARE_REGISTERS) = 1;", "registers are 4 bytes wide"),
                 ("__asm__ volatile(\"ebreak\");", "an ebreak without a trap handler"))
        for line, message in cases:
            with folder() as out:
                program = self.build(out, "#include <spica/firmware.h>\nusing namespace spica::firmware;\n"
                                          f"int main() {{\n  sleep();\n  {line}\n}}\n")
                for mode in MODES:
                    with self.subTest(line=line, mode=mode):
                        result = self.stream(out, program, "--mode", mode)
                        self.assertEqual(result.code, 1, result.text)
                        self.assertIn(message, result.err)
                        self.assertIn("command processor\n", result.err)
                        self.assertRegex(result.err, r"(in|inlined into) +main, \S*policy.cpp:5\n")

    def test_one_that_never_launches_hangs_and_one_that_never_sleeps_is_told(self):
        with folder() as out:
            program = self.build(out, "#include <spica/firmware.h>\nint main() { return spica::firmware::sleep(), 0; }\n")
            for mode in MODES:
                result = self.stream(out, program, "--mode", mode)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn("its firmware has ended", result.text)
            program = self.build(out, "int main() { for (;;) __asm__ volatile(\"\"); }\n")
            result = self.stream(out, program, "--mode", "fast")
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("has neither slept nor launched a kernel for", result.err)

    def test_a_checkpoint_has_it(self):
        for mode, every in (("cycle", "2000"), ("fast", "5000")):
            with self.subTest(mode), folder() as out:
                saves = pathlib.Path(out, "saves")
                more = ("--mode", mode, "--set", "command_processor.policy=sequential")
                result = self.stream(out, "command_processor", "--checkpoint", f"every={every}", "--checkpoint-dir", saves, *more)
                self.assertEqual(result.code, 0, result.text)
                whole = stats(out)["streams"]
                files = sorted(saves.iterdir())
                self.assertGreater(len(files), 1)
                result = self.stream(out, "command_processor", "--from", files[len(files) // 2], *more)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(stats(out)["streams"], whole)

    def test_a_checkpoint_of_the_fast_mode_goes_on_in_the_cycle_mode(self):
        with folder() as out:
            saves = pathlib.Path(out, "saves")
            result = self.stream(out, "command_processor", "--mode", "fast", "--checkpoint", "every=5000", "--checkpoint-dir", saves)
            self.assertEqual(result.code, 0, result.text)
            for file in sorted(saves.iterdir()):
                result = self.stream(out, "command_processor", "--from", file)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual([len(stream["launches"]) for stream in stats(out)["streams"].values()], [2, 2, 2, 2])

    def test_a_program_that_is_none_is_refused(self):
        with folder() as out:
            result = self.stream(out, "command_processor", "--set", "main_memory.base=0x60000000")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("the memory and registers of a firmware are at 0x70000000", result.err)
            result = self.stream(out, elf("hello"))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("outside of the memory of a firmware, 0x70000000", result.err)
            self.assertIn("spica cc --firmware", result.err)
            result = self.stream(out, "none.elf")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("none.elf", result.err)
            large = "#include <spica/firmware.h>\nint large[20000];\nint main() { return large[spica::firmware::queues()]; }\n"
            source = pathlib.Path(out, "large.cpp")
            source.write_text(large)
            result = spica("cc", "--firmware", source, "-o", pathlib.Path(out, "large.elf"))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("OWN", result.text)


if __name__ == "__main__":
    unittest.main()
