# SPDX-License-Identifier: Apache-2.0
"""The timing fuzz itself: what takes part, what it finds, and that it says so."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from spica_runner import BINARY, KERNELS, elf, folder, line_of, spica

HERE = pathlib.Path(__file__).parent / "fuzz"
sys.path.insert(0, str(HERE))
import parameter_sets  # noqa: E402
import shipped_kernels  # noqa: E402
import timing_fuzz  # noqa: E402


def fuzz(*arguments):
    command = [sys.executable, "-B", HERE / "timing_fuzz.py", "--spica", BINARY, "--kernels", KERNELS, *arguments]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=280)


class Parameters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.listed = json.loads(spica("config", "--list", "--as", "json").out)
        cls.timing = {p["key"] for p in cls.listed if p["timing"]}

    def test_latencies_queues_and_arbitration_take_part(self):
        for key in ("cluster.core.alu_latency", "cluster.core.load_store.queue_depth", "cluster.dcache.hit_latency",
                    "cluster.shared_memory.arbitration", "l2.mshrs", "main_memory.dram.scheduling", "run.quantum",
                    "run.warp_order", "cluster.matrix_units[N].busy_latency", "bus.request_latency"):
            self.assertIn(key, self.timing)

    def test_what_programs_see_does_not_take_part(self):
        for key in ("cluster.cores", "cluster.core.lanes", "cluster.core.warps", "cluster.core.sfu_lanes", "clock_mhz",
                    "cluster.shared_memory.size", "cluster.memory_map.shared_base", "cluster.tensor_core.style",
                    "cluster.matrix_units[N].command_queue", "cluster.core.barrier_waits_for_memory", "run.mode",
                    "main_memory.size", "power.table", "l2.ways", "l2.partitions"):
            self.assertIn(key, {p["key"] for p in self.listed})
            self.assertNotIn(key, self.timing)

    def test_every_latency_takes_part(self):
        """A new one does so by itself: it would have to be named not to."""
        for p in self.listed:
            if p["unit"] == "cycles" and not p["key"].startswith(("run.", "power.")):
                self.assertIn(p["key"], self.timing)

    def test_a_set_is_legal_and_the_same_for_the_same_seed(self):
        sets = parameter_sets.Parameters(BINARY)
        one = sets.draw("virgo-dual", "7")
        self.assertEqual(one, parameter_sets.Parameters(BINARY).draw("virgo-dual", "7"))
        self.assertNotEqual(one, sets.draw("virgo-dual", "8"))
        self.assertTrue(sets.is_legal("virgo-dual", one))
        self.assertFalse(sets.is_legal("virgo", ["cluster.core.alu_latency=0"]))
        self.assertTrue(any(word.startswith("cluster.matrix_units[1].") for word in one))

    def test_what_the_command_sets_is_a_constraint_and_not_drawn(self):
        sets = parameter_sets.Parameters(BINARY)
        fixed = ["cluster.icache.mshr_requests=3", "cluster.matrix_units.0.busy_latency=1", "main_memory.dram={}"]
        for seed in range(4):
            drawn = sets.draw("virgo", f"constraint {seed}", fixed)
            self.assertFalse([word for word in drawn if word.startswith(("cluster.icache.mshr_requests=", "main_memory.dram.",
                                                                         "cluster.matrix_units[0].busy_latency="))])
            self.assertTrue(sets.is_legal("virgo", [*drawn, *fixed]))


class Kernels(unittest.TestCase):
    def test_every_design_and_configuration_takes_part(self):
        designs = spica("config", "--kind", "design", "--names").out.split()
        self.assertEqual(sorted(designs), sorted(shipped_kernels.GEMM))
        configs = set(spica("config", "--names").out.split())
        self.assertEqual({c.config for c in shipped_kernels.cases(KERNELS, configs)}, configs)

    def test_every_kernel_takes_part(self):
        folder = pathlib.Path(os.environ["SPICA_ROOT"]) / "sw" / "kernels"
        small = {name.split("_")[0] for name in shipped_kernels.SMALL} | {"library_check", "wmma_probe", "fragment_probe"}
        small |= {"tensor_loop"}  # prints nothing but its time
        with tempfile.TemporaryDirectory() as files:
            small |= {case.name.split()[0] for case in [*shipped_kernels.of_grids(KERNELS, pathlib.Path(files)),
                                                        *shipped_kernels.of_networks(pathlib.Path(files))]}
        for kernel in folder.iterdir():
            if kernel.name.endswith("_common"):
                continue
            used = kernel.name in small or kernel.name.startswith(("gemm_", "gemv_", "attention_"))
            self.assertTrue(used, kernel.name)


class Programs(unittest.TestCase):
    """Programs of users."""

    def test_a_race_that_timing_shows_is_found_made_small_and_named(self):
        result = fuzz("--sets", "1", "--seed", "1", "--", "run", "virgo", elf("last_store"))
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"DIFFERENCE: .*last_store.elf, set \S+, (cycle|fast) mode: \d+ bytes of memory")
        self.assertIn("--check hazards names a race", result.stdout)
        self.assertIn(line_of(HERE / "last_store.cpp", "race"), result.stdout)

    def test_a_program_without_a_race_has_no_differences(self):
        result = fuzz("--sets", "2", "--seed", "1", "--", "run", "virgo", elf("race_example_fixed"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("0 differences", result.stdout)

    def test_a_kernel_that_is_not_there_is_said(self):
        self.assertNotEqual(fuzz("--sets", "1", "--only", "no such kernel").returncode, 0)

    def test_kernels_in_queues_and_grids_on_several_clusters_take_part(self):
        firmware = ["--set", "command_processor.firmware=command_processor"]
        with folder() as out:
            names = [case.command for case in shipped_kernels.of_queues(pathlib.Path(out))[:1]]
            products = ["concurrent", "--config", "mgpu-2", "--gemm", "32_32_32_00", "--available", "2"]
            for command in (*names, [*names[0], *firmware], products, [*products, *firmware, "--schedule", "goldyloc"],
                            ["gemm", "--design", "gemm-tile", "--size", "64x64x32", "--set", "l2.hit_latency=7"]):
                with self.subTest(" ".join(command)):
                    result = fuzz("--sets", "1", "--seed", "4", "--", *command)
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                    self.assertIn("x 1 programs x 2 modes: 0 differences", result.stdout)

    def test_a_set_that_the_program_refuses_is_no_difference(self):
        """As one whose shared memory is too small for its tile: the machine alone allows it."""
        options = argparse.Namespace(spica=BINARY, seed=1, command=["run", "virgo", str(elf("hello")), "-q"])
        tried = timing_fuzz.Fuzz(options)
        case = tried.own_case()
        sets = iter([["cluster.cores=3", "no.such.key=1"], ["cluster.core.alu_latency=9"]])
        tried.draw = lambda *_: next(sets)
        self.assertIsNone(tried.check_set(case, 0, "cycle", tried.run(case, "cycle", [])))
        self.assertEqual(tried.refused, 1)

    def test_what_the_fuzz_cannot_do_is_said_in_a_sentence(self):
        for words, sentence in ((("run", "virgo", elf("hello"), "--out", "x"), "--out: the fuzz gives it to each run"),
                                (("run", "virgo", "no.elf"), "does not run as it is"),
                                (("stream", "no.yaml"), "does not run as it is"), (("--sets",), "does not run as it is")):
            result = fuzz("--sets", "1", "--", *words)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn(sentence, result.stderr)
            self.assertNotIn("Traceback", result.stderr)

    def test_a_barrier_that_a_hang_leaves_open_is_no_race(self):
        """Else a machine that stands still by a mistake of its own would pass for a mistake of the program."""
        hung = spica("run", "virgo", elf("hang_2"), "--check", "hazards")
        self.assertIn("have arrived when the run ends", hung.text)
        self.assertEqual(timing_fuzz.races(hung.text), [])
        found = timing_fuzz.races(spica("run", "virgo", elf("hang_5"), "--check", "hazards").text)
        self.assertEqual(len(found), 1)
        self.assertIn("the second for", found[0])


class BusyBit(unittest.TestCase):
    """The range of busy_latency: what one poll behind a command covers, whatever the other latencies are."""
    FASTEST = [f"cluster.{key}=1" for key in
               ("core.decode_latency", "core.operand_latency", "core.sfu_latency", "core.csr_latency",
                "core.alu_latency",
                "core.load_store.request_latency", "core.load_store.response_latency", "icache.hit_latency",
                "peripheral_bus.request_latency", "peripheral_bus.response_latency")] + ["cluster.core.commit_latency=0"]
    # The program's paths: the command through the CSR or a register, then the poll through a register or the CSR. The
    # last one is not covered where the special-function unit comes at once, as with one warp, and nobody uses it: the CSR
    # tells the bit a cycle late.
    REGISTER_THEN_CSR = 8

    def poll(self, latency, *more):
        words = [word for one in (*more, f"cluster.matrix_units.0.busy_latency={latency}") for word in ("--set", one)]
        return spica("run", "virgo", elf("poll_once"), "-q", *words)

    def test_one_poll_covers_the_largest_latency_on_the_fastest_machine(self):
        for latency in (0, 2, 4):
            result = self.poll(latency, *self.FASTEST)
            self.assertIn(result.code, (0, self.REGISTER_THEN_CSR), result.text)

    def test_a_larger_latency_is_refused(self):
        result = self.poll(5)
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("busy_latency", result.err)
        self.assertIn("0..4", result.err)

    def test_the_program_notices_a_bit_that_comes_too_late(self):
        one_warp = "cluster.core.warps=1"
        self.assertEqual(self.poll(4, one_warp).code, self.REGISTER_THEN_CSR)
        self.assertEqual(self.poll(0, one_warp).code, 0)


class Memory(unittest.TestCase):
    def test_all_of_memory_is_saved_in_both_modes(self):
        for mode in ("cycle", "fast"):
            with self.subTest(mode), folder() as out:
                path, data = pathlib.Path(out) / "memory", pathlib.Path(out) / "in.bin"
                data.write_bytes(bytes(range(1, 256)))
                result = spica("run", "virgo", elf("vecadd"), "--mode", mode, "--load", f"{data}@0xF0000FF0",
                               "--load", f"{data}@0xFF000100", "--save-memory", path)
                self.assertEqual(result.code, 0, result.text)
                memory, step = path.read_bytes(), 8 + 4096
                self.assertEqual(len(memory) % step, 0)
                pages = {int.from_bytes(memory[i:i + 8], "little"): memory[i + 8:i + step]
                         for i in range(0, len(memory), step)}
                self.assertEqual(list(pages), sorted(pages))
                self.assertEqual(pages[0xF0000000][0xFF0:] + pages[0xF0001000][:239], bytes(range(1, 256)))
                self.assertEqual(pages[1 << 40 | 0xFF000000][0x100:0x1FF], bytes(range(1, 256)))
                self.assertNotIn(0xF0002000, pages)


if __name__ == "__main__":
    unittest.main()
