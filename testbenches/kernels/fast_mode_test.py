# SPDX-License-Identifier: Apache-2.0
"""The fast mode gives the results of the cycle mode: memory, console, exit codes, reports of faults."""
import os
import pathlib
import re
import unittest
import unittest.mock

from spica_runner import elf, folder, spica, stats

GLOBAL = "0xA0000000+0x400000"  # operands A
RESULT = "0xC0000000+0x200000"
SHARED = "0xFF000000+0x10000"


def without_times(text):
    """What does not depend on the mode: cycles are different, and so is how long a run took."""
    text = re.sub(r"cycles: \d+", "cycles: N", text)
    return re.sub(r"  time         cycle .*", "", text)


class SameResults(unittest.TestCase):
    def run_both(self, name, *options):
        """Exit code, console and memory of a kernel in both modes."""
        found = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                saves = {place: pathlib.Path(out) / f"{i}.bin" for i, place in enumerate((GLOBAL, RESULT, SHARED))}
                arguments = [word for place, path in saves.items() for word in ("--save", f"{path}@{place}")]
                result = spica("run", "virgo", elf(name), "--mode", mode, "--out", out, *arguments, *options)
                console = (pathlib.Path(out) / "console.txt").read_text()
                self.assertEqual(stats(out)["mode"], mode)
                found.append((result.code, sorted(without_times(console).splitlines()),
                              [path.read_bytes() for path in saves.values()]))
        self.assertEqual(found[0][:2], found[1][:2])
        self.assertEqual(found[0][2], found[1][2])
        return found[0]

    def test_small_kernels(self):
        for name in ("hello", "vecadd", "saxpy", "reduce", "softmax", "elementwise", "collatz", "library_check"):
            with self.subTest(name):
                code, console, _ = self.run_both(name)
                self.assertEqual(code, 0)
                self.assertNotEqual(console, [])

    def test_kernels_of_the_units(self):
        for name in ("gemm_tc", "gemm_tc_dma", "gemm_virgo", "gemm_virgo_dma", "gemm_virgo_dma_swish",
                     "gemm_virgo_dma_swish_overlapped", "gemm_simt"):
            with self.subTest(name):
                self.assertEqual(self.run_both(name, "--args", "gemm:64x64x64")[0], 0)

    def test_code_for_every_host_leaves_the_same_bits(self):
        for name in ("gemm_tc", "gemm_virgo_dma", "gemm_simt"):
            with self.subTest(name):
                fastest = self.run_both(name, "--args", "gemm:64x64x64")
                with unittest.mock.patch.dict(os.environ, SPICA_HOST_CODE="baseline"):
                    self.assertEqual(self.run_both(name, "--args", "gemm:64x64x64"), fastest)

    def test_memory_of_products_bit_by_bit(self):
        for design in ("tc", "virgo"):
            results = []
            for mode in ("cycle", "fast"):
                with folder() as out:
                    operands = pathlib.Path(out) / "a.bin"
                    operands.write_bytes(bytes(range(1, 65)) * 256)
                    c = pathlib.Path(out) / "c.bin"
                    result = spica("run", "virgo", elf(f"gemm_{design}"), "--mode", mode, "--args", "gemm:64x64x64",
                                   "--load", f"{operands}@0xA0000000", "--load", f"{operands}@0xA1000000", "--save",
                                   f"{c}@0xC0000000+16384")
                    self.assertEqual(result.code, 0, result.text)
                    results.append(c.read_bytes())
            self.assertEqual(results[0], results[1])
            self.assertNotEqual(results[0], bytes(16384))

    def test_a_warp_with_a_long_turn_that_waits_for_another_one_is_no_hang(self):
        """Core 0 polls until the others, whose turn comes later, are done."""
        for quantum in (4_000_000, 1_000_000_000):
            result = spica("run", "virgo", elf("vecadd"), "--mode", "fast", "--set", f"run.quantum={quantum}")
            self.assertEqual(result.code, 0, result.text)

    def test_another_quantum_gives_the_same_results(self):
        found = set()
        for quantum in (1, 7, 1000, 1000000):
            with folder() as out:
                result = spica("run", "virgo", elf("reduce"), "--mode", "fast", "--set", f"run.quantum={quantum}",
                               "--out", out)
                self.assertEqual(result.code, 0, result.text)
                found.add(without_times((pathlib.Path(out) / "console.txt").read_text()))
        self.assertEqual(len(found), 1)

    def test_two_runs_are_the_same(self):
        def once():
            with folder() as out:
                self.assertEqual(spica("run", "virgo", elf("hello"), "--mode", "fast", "--out", out).code, 0)
                data = stats(out)
                return (pathlib.Path(out) / "console.txt").read_text(), data["simulated_cycles"], data["cores"]
        self.assertEqual(once(), once())


class AllMachines(unittest.TestCase):
    def test_every_configuration_multiplies(self):
        for config in ("virgo", "virgo-16k", "virgo-dual", "fp16-quartile", "fp16-virgo", "fp16-volta", "fp16-ampere",
                       "fp16-hopper", "fp16-volta-quartile", "fp16-ampere-quartile", "fp16-hopper-quartile",
                       "attention"):
            with self.subTest(config), folder() as out:
                result = spica("gemm", "--config", config, "--size", "256x256x256", "--mode", "fast", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("verified", result.out)
                self.assertIn("fast mode: not timed", result.out)
                self.assertTrue(stats(out)["verified"])

    def test_every_design_multiplies(self):
        for design in ("simt", "tc", "tc-dma", "virgo", "virgo-serial", "virgo-dma", "tc-dma-swish", "virgo-dma-swish",
                       "tc-dma-swish-overlapped", "virgo-dma-swish-overlapped", "virgo-v2", "fp16-virgo-simt", "dual-serial", "dual-parallel"):
            with self.subTest(design):
                result = spica("gemm", "--design", design, "--mode", "fast")
                self.assertEqual(result.code, 0, result.text)

    def test_attention(self):
        for design in ("virgo", "tc", "virgo-overlapped", "tc-overlapped", "fp16-tc", "fp16-tc-overlapped",
                       "fp16-virgo-overlapped", "fp16-hopper"):
            for exponential in ("exact", "polynomial"):
                result = spica("attention", "--design", design, "--exponential", exponential, "--mode", "fast",
                               "--sequence", "256")
                self.assertEqual(result.code, 0, result.text)

    def test_warps_of_other_sizes(self):
        for lanes in (1, 4, 16, 32):
            result = spica("run", "virgo", elf("vecadd"), "--mode", "fast", "--set", f"cluster.core.lanes={lanes}",
                           "--set", "cluster.tensor_core.present=false", "--set", "cluster.core.sfu_lanes=1")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("PASS", result.out)

    def test_two_clusters(self):
        result = spica("run", "virgo", elf("hello"), "--mode", "fast", "--set", "clusters=2")
        reference = spica("run", "virgo", elf("hello"), "--set", "clusters=2")
        lines = [sorted(line for line in each.out.splitlines() if "task" in line) for each in (result, reference)]
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(len(lines[0]), 128)


class Mistakes(unittest.TestCase):
    def test_faults_read_the_same(self):
        for fault in (1, 2, 3, 4, 5, 8):
            with self.subTest(fault):
                texts = []
                for mode in ("cycle", "fast"):
                    result = spica("run", "virgo", elf(f"fault_{fault}"), "--mode", mode)
                    self.assertEqual(result.code, 1)
                    texts.append(without_times(result.err.split("All warps")[0]))
                self.assertEqual(texts[0], texts[1])
                self.assertIn("core 0", texts[0])

    def test_a_deadlock_and_a_spinning_warp_are_told(self):
        for fault, words, function in ((6, "Deadlock", "barrier_too_many"), (7, "Live-lock", "spin_for_ever")):
            result = spica("run", "virgo", elf(f"fault_{fault}"), "--mode", "fast")
            self.assertEqual(result.code, 1)
            self.assertIn(words, result.err)
            self.assertIn(function, result.err)

    def test_a_limit_of_cycles_ends_the_run(self):
        result = spica("run", "virgo", elf("fault_7"), "--mode", "fast", "--set", "run.max_cycles=30000")
        self.assertEqual(result.code, 1)
        self.assertIn("run.max_cycles", result.err)

    def test_options_that_need_cycles_are_refused_together(self):
        result = spica("run", "virgo", elf("hello"), "--mode", "fast", "--energy", "--lines", "--report", "x.html",
                       "--activity", "x.yaml")
        self.assertEqual(result.code, 2)
        for option in ("--energy", "--lines", "--report", "--activity", "cycle mode"):
            self.assertIn(option, result.err)
        self.assertEqual(spica("annotate", "virgo", elf("hello"), "--mode", "fast").code, 2)


class Howto(unittest.TestCase):
    def test_the_worked_example_prints_what_the_page_shows(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        page = (root / "docs/howto/fast-mode.md").read_text()
        commands = re.findall(r"^\$ \./spica (.*)$", page, re.M)
        self.assertGreaterEqual(len(commands), 3)
        for command in commands:
            words = [str(elf(pathlib.Path(word).stem)) if word.endswith(".elf") else word for word in command.split()]
            if words[0] == "bench":
                continue
            result = spica(*words)
            self.assertEqual(result.code, 0, command + result.text)
            shown = page.split(f"$ ./spica {command}\n")[1].split("```")[0]
            for line in shown.splitlines():
                if line.strip() and "simulated in" not in line and "cycles" not in line and line[0] not in "$.":
                    self.assertIn(line.strip(), result.out, command)


if __name__ == "__main__":
    unittest.main()
