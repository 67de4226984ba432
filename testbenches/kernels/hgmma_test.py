# SPDX-License-Identifier: Apache-2.0
"""The decoupled tensor core in a whole machine: a program against a model of its own, and its matrix product."""
import pathlib
import random
import struct
import unittest

from hgmma_model import hgmma
from spica_runner import elf, folder, spica, stats

WARPS = 32
HALF_EDGES = [0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 1, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3C00, 0x1400]
SINGLE_EDGES = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 1, 0x80000001, 0x007FFFFF,
                0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0x20000000]


def random_half(rng, edges):
    if edges and rng.random() < 0.2:
        return rng.choice(HALF_EDGES)
    return rng.getrandbits(1) << 15 | (rng.randrange(0x7C00) if edges else rng.randrange(0x2800, 0x4800))


def random_single(rng, edges):
    if edges and rng.random() < 0.2:
        return rng.choice(SINGLE_EDGES)
    exponent = rng.randrange(1, 255) if edges else rng.randrange(110, 140)
    return rng.getrandbits(1) << 31 | exponent << 23 | rng.getrandbits(23)


def random_tile(rng, name, edges):
    if name == "fp16":
        return struct.pack("<512H", *(random_half(rng, edges) for _ in range(512)))
    return struct.pack("<256I", *(random_single(rng, edges) for _ in range(256)))


class Hgmma(unittest.TestCase):
    def compare(self, name, *options):
        rng = random.Random(name)
        cases = []
        for warp in range(WARPS):
            edges = warp % 2 == 1
            registers = [[random_single(rng, edges) for _ in range(8)] for _ in range(32)]
            cases.append((random_tile(rng, name, edges), random_tile(rng, name, edges), registers))
        with folder() as out:
            operands, results = pathlib.Path(out, "operands"), pathlib.Path(out, "results")
            operands.write_bytes(b"".join(a + b + b"".join(struct.pack("<8I", *row) for row in registers)
                                          for a, b, registers in cases))
            run = spica("run", "fp16-hopper", elf("hgmma"), "--load", f"{operands}@0xA0000000",
                        "--save", f"{results}@0xC0000000+{1024 * WARPS}", "--out", out, *options)
            self.assertEqual(run.code, 0, run.text)
            counters = stats(out)["stats"]["cluster_0"]["decoupled_tensor_core_0"]
            self.assertEqual(counters["instructions"]["value"], 2 * WARPS // 4)
            words = struct.unpack(f"<{256 * WARPS}I", results.read_bytes())
        for warp, (a, b, registers) in enumerate(cases):
            expected = hgmma(name, b, a, hgmma(name, a, b, registers))
            for f in range(32):
                got = list(words[256 * warp + 8 * f:256 * warp + 8 * f + 8])
                self.assertEqual([f"{x:08x}" for x in got], [f"{x:08x}" for x in expected[f]],
                                 f"warp {warp} f{f}")

    def test_fp16_program_equals_the_model_bit_by_bit(self):
        self.compare("fp16")

    def test_fp32_program_equals_the_model_bit_by_bit(self):
        self.compare("fp32", "--set", "cluster.tensor_core.operand=fp32", "--set",
                     "cluster.tensor_core.latency=4")


    def test_hgmma_is_refused_on_a_machine_with_synchronous_tensor_cores(self):
        for mode in ("cycle", "fast"):
            run = spica("run", "virgo", elf("hgmma"), "--mode", mode)
            self.assertEqual(run.code, 2, run.text)
            self.assertIn("it uses decoupled tensor cores; this machine has tensor cores of another style", run.err)
            self.assertRegex(run.err, "Configurations it fits: .*fp16-hopper")

    def test_operand_tile_off_a_block_is_a_fault_with_its_line(self):
        run = spica("run", "fp16-hopper", elf("hgmma_misaligned"))
        self.assertEqual(run.code, 1)
        self.assertRegex(run.err, "0xff00[0-9a-f]{4}")
        self.assertIn("multiple of 32", run.err)
        self.assertIn("decoupled_tensor_core.h", run.err)


class Gemm(unittest.TestCase):
    def run_size(self, size, *more):
        with folder() as out:
            result = spica("gemm", "--design", "fp16-hopper", "--size", size, "--out", out, *more)
            self.assertEqual(result.code, 0, result.text)
            return stats(out)

    def test_hopper_tile_verifies(self):
        self.assertTrue(self.run_size("128x64x128")["verified"])

    def test_hopper_rectangle_verifies(self):
        self.assertTrue(self.run_size("256x192x384")["verified"])

    def test_hopper_utilisation_refers_to_64_multiply_adds_per_core(self):
        data = self.run_size("256x256x256")
        self.assertTrue(data["verified"])
        self.assertAlmostEqual(data["utilisation"], 256**3 / 256 / data["cycles"], places=9)
        for core in range(4):
            reasons = data["stats"]["cluster_0"][f"decoupled_tensor_core_{core}"]["dot_product"]["reasons"]
            self.assertEqual(reasons["computing"], 256**3 / 256)

    def test_hopper_reads_two_kilobytes_of_operands_for_each_instruction(self):
        counters = self.run_size("128x128x256")["stats"]["cluster_0"]
        instructions = 128 * 128 * 256 // (16 * 16 * 32)
        for port in range(8):  # A and B of four cores
            name = "tensor_core" + (f"_{port}" if port else "")
            self.assertEqual(counters["shared_memory"][f"{name}_words_read"]["value"], 256 * instructions // 4)
            self.assertEqual(counters["shared_memory"][f"{name}_words_written"]["value"], 0)

    def test_hopper_design_on_a_machine_with_other_tensor_cores_is_refused(self):
        result = spica("gemm", "--design", "fp16-hopper", "--config", "virgo", "--size", "128x64x128")
        self.assertEqual(result.code, 2)
        self.assertIn("--set cluster.tensor_core.operand=fp16", result.err)

    def test_more_decoupled_tensor_cores_than_shared_memory_has_ports_for_are_refused(self):
        result = spica("gemm", "--design", "fp16-hopper", "--set", "cluster.cores=22")
        self.assertEqual(result.code, 2)
        self.assertIn("cluster.tensor_core.style", result.err)
        self.assertIn("64 ports", result.err)
