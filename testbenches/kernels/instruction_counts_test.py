# SPDX-License-Identifier: Apache-2.0
"""Kernels that stand for published ones execute as many instructions, phase by phase, as the published sources say.

What a block of k costs is the difference of two runs that differ in the number of blocks, per warp, from the profile of
single instructions. Numbers that depend on the compiler, "about", are met within 10 %; the others follow from the source.
"""
import collections
import json
import pathlib
import unittest

from spica_runner import folder, spica

# early: it stands in front of the first fence of what was counted.
Instruction = collections.namedtuple("Instruction", "function opcode early")

STEPS = 8  # of k in a block, in words / 8
TENSOR = "kernels sgemm_tcore, sgemm_impl.hpp"
TENSOR_CODE = "code of the published programs"
TENSOR_BUILT = "kernels sgemm_tcore, sgemm_impl.hpp, compiled by clang 19 -Os"
HOPPER = "kernels sgemm_tcore with TENSOR_HOPPER, sgemm_impl.hpp"
UNIT = "kernels sgemm_gemmini"
SWISH = "kernels sgemm_gemmini_dma and sgemm_tcore, activation"
FLASH = "kernels flash_attention, flash_impl.hpp"


def multiplies(i):
    """What the loop over the steps of k executes; registers that are loaded from the stack for it do not count."""
    return i.function.startswith(("multiply<", "load_a<", "load_b<", "word<", "tensor_core_load", "tensor_core_multiply")) and i.opcode != "lw"


def opcode(*names, function=""):
    return lambda i: i.opcode in names and i.function.startswith(function)


# Two sizes of one design, and how many blocks (times warps, if they all work) one has more than the other.
Runs = collections.namedtuple("Runs", "design short long blocks")
ONE_TILE, TWO_TILES = "64x64x64", "64x128x64"
FP16_K, FP16_N = ("128x64x128", "128x64x256"), ("128x64x128", "128x128x128")
FP32_K, FP32_N = ("64x64x64", "64x64x128"), ("64x64x64", "64x128x64")
TC, TC_DMA = (Runs(design, *FP32_K, 32) for design in ("tc", "tc-dma"))
TC_SWISH = Runs("tc-dma-swish", *FP32_K, 2 * 16)  # tiles of 64 x 32, half of the warps
VOLTA, AMPERE, QUARTILE = (Runs(design, *FP16_K, 64) for design in ("fp16-volta", "fp16-ampere", "fp16-ampere-quartile"))
AS_PUBLISHED = VOLTA_PUBLISHED, AMPERE_PUBLISHED = [Runs(design, *FP16_K, 64) for design in ("fp16-volta-published", "fp16-ampere-published")]
HOPPERS = [Runs(design, *FP16_K, 32) for design in ("fp16-hopper", "fp16-hopper-quartile")]
VIRGO, SERIAL = (Runs(design, *FP32_K, 32) for design in ("virgo", "virgo-serial"))
TENSOR_CORES = (TC, TC_DMA, TC_SWISH, VOLTA, AMPERE, QUARTILE, *AS_PUBLISHED)


def tiles(runs):
    """The same design with one output tile and two, per warp."""
    return Runs(runs.design, *(FP16_N if runs.design.startswith("fp16") else FP32_N), runs.blocks)


# What is counted, in which runs, how many in the published program, and where it says so.
Case = collections.namedtuple("Case", "what runs select published source about", defaults=(False,))
CASES = [
    *(Case("loads of the steps of k", runs, lambda i: i.opcode == "flw" and multiplies(i), STEPS * 24, TENSOR)
      for runs in TENSOR_CORES),
    *(Case("multiplications of the steps of k", runs, opcode("wmma"), STEPS * 2, TENSOR) for runs in TENSOR_CORES),
    *(Case("instructions of the steps of k", runs, multiplies, STEPS * (24 + 2 + 6), TENSOR_CODE, True)
      for runs in TENSOR_CORES if runs not in AS_PUBLISHED),
    # FP16: rows of A are 128 words, so that offsets do not reach the last words of a step.
    *(Case("instructions of the steps of k", runs, multiplies, 290 if runs.design.startswith("fp16") else 258, TENSOR_BUILT, True)
      for runs in TENSOR_CORES),
    *(Case("fences of a block", runs, opcode("fence"), 2, TENSOR) for runs in (TC, TC_DMA, VOLTA, AMPERE, *AS_PUBLISHED, *HOPPERS)),
    *(Case("barriers of a block", runs, opcode("bar"), 2, TENSOR) for runs in (TC, TC_DMA, VOLTA, AMPERE, *AS_PUBLISHED, *HOPPERS)),
    Case("words copied to shared memory", TC, opcode("fsw"), 16 + 16, TENSOR),
    *(Case("words copied to shared memory", runs, opcode("fsw"), 16 + 8, TENSOR) for runs in (VOLTA, VOLTA_PUBLISHED)),
    # A pointer moves on behind each load and store.
    Case("loads, stores and additions of the copy", VOLTA_PUBLISHED,
         lambda i: i.opcode in ("flw", "fsw", "add", "addi") and i.function.startswith("copy_tile_as_published"),
         2 * (24 + 24), TENSOR, True),
    Case("instructions of the copy", TC, lambda i: i.early, 117, TENSOR_CODE, True),
    Case("instructions of the copy", TC, lambda i: i.early, 126, TENSOR_BUILT, True),
    Case("instructions of the copy", VOLTA, lambda i: i.early, 91, TENSOR_BUILT, True),
    *(Case("stores of C", tiles(runs), opcode("fsw", function="tensor_core_store"), 16, TENSOR)
      for runs in (TC, TC_DMA, VOLTA, AMPERE, *AS_PUBLISHED)),
    *(Case("asynchronous multiplications of a block", runs, opcode("hgmma"), 4, HOPPER) for runs in HOPPERS),
    *(Case("waits of an output tile", tiles(runs), opcode("hgmma_wait"), 1, HOPPER) for runs in HOPPERS),
    *(Case("stores of C", tiles(runs), opcode("fsw"), 32, HOPPER) for runs in HOPPERS),
    *(Case(f"{what} of a tile of k", runs, opcode(name), 32, UNIT)
      for runs in (VIRGO, SERIAL) for what, name in (("loads", "flw"), ("stores", "fsw"))),
    *(Case(f"{name}s of a tile of k", VIRGO, opcode(name), 1, UNIT) for name in ("fence", "bar")),
    *(Case("divisions of a part of 16 x 8", Runs(design, ONE_TILE, TWO_TILES, 32), opcode("fdiv.s"), 16, SWISH)
      for design in ("tc-dma-swish", "virgo-dma-swish")),
    *(Case("divisions of a row of 64 scores", Runs(f"attention {design}", 128, 256, 128 * 2), opcode("fdiv.s"), 8, FLASH)
      for design in ("virgo", "tc")),
]


class InstructionCounts(unittest.TestCase):
    profiles = {}

    def instructions(self, design, size):
        """{(address, function, opcode): how often a warp executed it}"""
        if (design, size) not in self.profiles:
            command = ["gemm", "--design", design, "--size", size]
            if design.startswith("attention "):
                command = ["attention", "--design", design.split()[1], "--queries", 128, "--sequence", size,
                           "--exponential", "polynomial"]
            with folder() as out:
                result = spica(*command, "--profile", out)
                self.assertEqual(result.code, 0, result.text)
                rows = json.loads((pathlib.Path(out) / "profile.json").read_text())["instructions"]
            self.profiles[design, size] = {(int(row["pc"], 16), row["function"], row["text"].split()[0]):
                                           row["instructions"] for row in rows if "pc" in row}
        return self.profiles[design, size]

    def per_block(self, runs):
        """[(Instruction, how often a block executes it)]"""
        short, long = (self.instructions(runs.design, size) for size in (runs.short, runs.long))
        more = {key: count - short.get(key, 0) for key, count in long.items()}
        fences = [pc for (pc, _, name), count in more.items() if name == "fence" and count >= runs.blocks]
        first = min(fences, default=0)
        return [(Instruction(function, name, pc < first), count / runs.blocks)
                for (pc, function, name), count in more.items() if count]

    def test_kernels_execute_as_many_instructions_as_the_published_ones(self):
        for case in CASES:
            with self.subTest(f"{case.runs.design}: {case.what}"):
                measured = sum(count for instruction, count in self.per_block(case.runs) if case.select(instruction))
                allowed = 0.1 * case.published if case.about else 0
                self.assertAlmostEqual(measured, case.published, delta=allowed, msg=case.source)


if __name__ == "__main__":
    unittest.main()
