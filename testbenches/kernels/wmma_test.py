# SPDX-License-Identifier: Apache-2.0
"""Tensor instructions of a real program, bit by bit against a reference that knows only the published description."""
import pathlib
import random
import struct
import unittest

from spica_runner import elf, folder, spica
from wmma_reference import FP16, FP32, INF, wmma

HALVES = [0, 0x8000, 1, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x3C00, 0xBC00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00,
          0xFC00, 0x7C01, 0x7E00, 0xFFFF, 0x1400, 0x5BFF]
FLOATS = [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF,
          0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0xFFFFFFFF, 0x33800000, 0x4B800000]


def half(rng, kind):
    if kind == "edge" and rng.random() < 0.3:
        return rng.choice(HALVES)
    # kind "small": products around the smallest normal number 2^-14, where sums meet subnormals.
    low, high = {"usual": (11, 17), "small": (1, 13), "edge": (0, 30), "large": (20, 30)}[kind]
    return rng.getrandbits(1) << 15 | rng.randint(low, high) << 10 | rng.getrandbits(10)


def single(rng, kind):
    if kind == "edge" and rng.random() < 0.3:
        return rng.choice(FLOATS)
    low, high = {"usual": (120, 130), "small": (103, 120), "edge": (0, 254), "large": (140, 250)}[kind]
    return rng.getrandbits(1) << 31 | rng.randint(low, high) << 23 | rng.getrandbits(23)


def fragment(rng, operand, kind):
    def word(register):
        if operand == "fp16" and register < 16:
            return half(rng, kind) | half(rng, kind) << 16
        return single(rng, kind)
    return [[word(register) for _ in range(8)] for register in range(32)]


class Wmma(unittest.TestCase):
    def check(self, config, operand, kinds, count, *more):
        rng = random.Random(f"{operand} {kinds}")
        fragments = [fragment(rng, operand, kinds[i % len(kinds)]) for i in range(count)]
        with folder() as name:
            given, result = pathlib.Path(name) / "in", pathlib.Path(name) / "out"
            given.write_bytes(b"".join(struct.pack("<256I", *sum(f, [])) for f in fragments))
            run = spica("run", config, elf("wmma_fragments"), "--load", f"{given}@0xA0000000", "--save",
                        f"{result}@0xC0000000+{1024 * count}", "--args", f"u32:{count}", *more)
            self.assertEqual(run.code, 0, run.text)
            data = result.read_bytes()
        for number, registers in enumerate(fragments):
            for bank in (0, 1, 0):
                registers = wmma(registers, bank, operand)
            words = struct.unpack("<256I", data[1024 * number:1024 * number + 1024])
            for register in range(32):
                for lane in range(8):
                    self.assertEqual(f"{words[8 * register + lane]:08x}", f"{registers[register][lane]:08x}",
                                     f"fragment {number}, f{register}, lane {lane}")

    def test_fp16_is_rounded_bit_for_bit_as_the_facts_say(self):
        self.check("fp16-volta", "fp16", ["usual"], 128)

    def test_fp16_with_subnormal_products_and_sums(self):
        self.check("fp16-volta", "fp16", ["small"], 96)

    def test_fp16_with_zeros_infinities_nan_and_overflow(self):
        self.check("fp16-ampere", "fp16", ["edge", "large"], 96)

    def test_fp32_of_the_later_revision(self):
        self.check("fp16-volta", "fp32", ["usual", "small", "edge"], 72, "--set", "cluster.tensor_core.operand=fp32",
                   "--set", "cluster.tensor_core.latency=3")

    def test_fp32_of_the_first_revision(self):
        self.check("virgo", "fp32_v1", ["usual", "small", "edge"], 72)


class Reference(unittest.TestCase):
    """The reference itself, on literals."""

    def test_fp16_rounds_to_even_at_the_middle(self):
        for odd, expected in ((1, 0x3C00), (3, 0x3C02)):  # 1 + odd * 2^-11
            self.assertEqual(FP16.bits(FP16.rounded((0, 2**11 + odd, -11))), expected)

    def test_fp16_overflows_from_65520_on(self):
        self.assertEqual(FP16.bits(FP16.rounded((0, 65519, 0))), 0x7BFF)
        self.assertEqual(FP16.rounded((1, 65520, 0)), (1, INF, 0))

    def test_half_of_the_smallest_subnormal_becomes_zero_and_keeps_its_sign(self):
        self.assertEqual(FP16.bits(FP16.rounded((1, 1, -25))), 0x8000)
        self.assertEqual(FP16.bits(FP16.rounded((1, 3, -26))), 0x8001)

    def test_every_fp16_number_comes_back_from_its_value(self):
        for bits in range(0x10000):
            value = FP16.value(bits)
            self.assertEqual(FP16.bits(value), 0x7E00 if value[1] == "nan" else bits)
            if value[1] not in (INF, "nan"):
                self.assertEqual(struct.unpack("<e", struct.pack("<H", bits))[0], (-1) ** value[0] * value[1] * 2.0 ** value[2])

    def test_fp32_agrees_with_the_host(self):
        rng = random.Random(5)
        for _ in range(20000):
            a, b = rng.uniform(-4, 4) * 2.0 ** rng.randint(-60, 60), rng.uniform(-4, 4)
            for number in (a, a * b):
                mantissa, denominator = number.as_integer_ratio()
                value = (int(mantissa < 0), abs(mantissa), 1 - denominator.bit_length())
                self.assertEqual(FP32.bits(FP32.rounded(value)), struct.unpack("<I", struct.pack("<f", number))[0])


if __name__ == "__main__":
    unittest.main()
