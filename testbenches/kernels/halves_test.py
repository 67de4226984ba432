# SPDX-License-Identifier: Apache-2.0
"""_Float16, __bf16 and atomic operations of 64 bits, which the machine has no instructions for, against this host, bit by bit."""
import array
import math
import os
import pathlib
import random
import struct
import subprocess
import unittest

from spica_runner import BINARY, folder, spica

LIBRARY = pathlib.Path(os.environ["SPICA_ROOT"]) / "testbenches/kernels/library"
COUNT = 4096


def half_value(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def half_bits(value):
    """Rounded once, ties to even."""
    if math.isnan(value):
        return None
    if abs(value) >= 65520:
        return 0x7C00 | (0x8000 if value < 0 else 0)
    return struct.unpack("<H", struct.pack("<e", value))[0]


def bfloat_bits(value):
    """Rounded once, ties to even: the numbers of 16 bits around it, as exact fractions."""
    if math.isnan(value):
        return None
    sign = 0x8000 if math.copysign(1, value) < 0 else 0
    if math.isinf(value):
        return sign | 0x7F80
    fraction, exponent = math.frexp(abs(value))
    unit = max(exponent - 8, -133)  # of the last bit
    scaled = math.ldexp(abs(value), -unit) if unit > -1000 else 0.0
    whole = round(scaled)  # ties to even
    if whole == 0:
        return sign
    if whole >= 256:
        whole, unit = whole // 2, unit + 1
    if whole < 128:
        return sign | whole  # subnormal
    biased = unit + 7 + 127
    return sign | (0x7F80 if biased >= 255 else biased << 7 | whole - 128)


def is_half_nan(bits):
    return bits & 0x7FFF > 0x7C00


def quotient(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


class Halves(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        r = random.Random(16)
        special = [0, 0x8000, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0x3C00, 0x8001]
        cls.a = special * len(special) + [r.getrandbits(16) for _ in range(COUNT - len(special) ** 2)]
        cls.b = [s for s in special for _ in special] + [r.getrandbits(16) for _ in range(COUNT - len(special) ** 2)]
        floats = [0, 0x80000000, 1, 0x7F800000, 0x7FC00000, 0x7F800001, 0x477FEFFF, 0x477FF000, 0x33000000, 0x33000001, 0x7F7FFFFF, 0x38800000, 0x387FFFFF]
        # Around the halfway points of numbers of 16 bits.
        near = [float_bits(half_value(r.randrange(0x7C00))) + r.choice([0xFFF, 0x1000, 0x1001, 0x3000, 0]) for _ in range(2000)]
        near += [r.getrandbits(15) << 16 | r.choice([0x7FFF, 0x8000, 0x8001, 0x18000]) for _ in range(1000)]
        cls.x = (floats + near + [r.getrandbits(32) for _ in range(COUNT)])[:COUNT]
        doubles = []
        for i in range(COUNT):
            base = struct.unpack("<f", struct.pack("<I", cls.x[i]))[0]
            doubles.append(base if i % 3 == 0 or not math.isfinite(base) else math.nextafter(base, r.choice([-math.inf, math.inf])))
        cls.d = doubles

    def run_on_the_machine(self, level, mode):
        with folder() as work:
            built = subprocess.run([BINARY, "cc", LIBRARY / "halves.cpp", level, "-Wall", "-Werror", "-o", f"{work}/h.elf"], capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stderr)
            for name, kind, values in (("a", "H", self.a), ("b", "H", self.b), ("x", "I", self.x), ("d", "d", self.d)):
                pathlib.Path(f"{work}/{name}.bin").write_bytes(array.array(kind, values).tobytes())
            kinds = {"from_half": "I", "from_bfloat": "I", "relations": "B", "to_int": "i", "total": "q", "masks": "Q", "swapped": "q", "least": "q",
                     "greatest": "q", "slots": "Q", "real": "d", "stored": "I"}
            kinds.update({name: "H" for name in ("to_half", "to_half_d", "sum", "difference", "product", "quotient", "from_int", "to_bfloat", "to_bfloat_d",
                                                 "bfloat_product", "vectors")})
            options = [option for name in "abxd" for option in ("--load", f"{work}/{name}.bin@{name}")]
            options += [option for name in kinds for option in ("--save", f"{work}/{name}.out@{name}")]
            result = spica("run", "virgo", f"{work}/h.elf", "--mode", mode, *options)
            self.assertEqual(result.code, 0, result.text)
            return {name: array.array(kind, pathlib.Path(f"{work}/{name}.out").read_bytes()) for name, kind in kinds.items()}

    def compare(self, found, wanted, what):
        """None: any NaN."""
        for i, (one, must) in enumerate(zip(found, wanted)):
            if must is None:
                self.assertTrue(one & 0x7FFF > 0x7C00, f"{what} {i}: {one:#x} is no NaN")
            else:
                self.assertEqual(one, must, f"{what} {i}: {one:#x}, must be {must:#x}")

    def check(self, level, mode):
        out = self.run_on_the_machine(level, mode)
        for bits in range(65536):
            value, found = half_value(bits), out["from_half"][bits]
            if math.isnan(value):
                self.assertEqual(found, (bits & 0x8000) << 16 | 0x7FC00000 | (bits & 0x3FF) << 13)
            else:
                self.assertEqual(found, float_bits(value), hex(bits))
            found = out["from_bfloat"][bits]
            self.assertEqual(found & ~0x400000 if bits & 0x7FFF > 0x7F80 else found, (bits & ~0x40 if bits & 0x7FFF > 0x7F80 else bits) << 16, hex(bits))
        floats = [struct.unpack("<f", struct.pack("<I", bits))[0] for bits in self.x]
        self.compare(out["to_half"], [half_bits(v) for v in floats], "half of a float")
        self.compare(out["to_half_d"], [half_bits(v) for v in self.d], "half of a double")
        self.compare(out["to_bfloat"], [bfloat_bits(v) for v in floats], "bfloat of a float")
        self.compare(out["to_bfloat_d"], [bfloat_bits(v) for v in self.d], "bfloat of a double")
        bfloats = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in out["to_bfloat"]]
        self.compare(out["bfloat_product"], [bfloat_bits(v * 1.5) for v in bfloats], "product of bfloats")
        a, b = [half_value(v) for v in self.a], [half_value(v) for v in self.b]
        for name, operation in (("sum", lambda p, q: p + q), ("difference", lambda p, q: p - q), ("product", lambda p, q: p * q), ("quotient", quotient)):
            self.compare(out[name], [half_bits(operation(p, q)) for p, q in zip(a, b)], name)
        self.compare(out["from_int"], [half_bits(i * 31 - 60000) for i in range(COUNT)], "half of an integer")
        # One expression is computed with floats, as C says, and rounded once.
        single = lambda v: struct.unpack("<f", struct.pack("<f", v))[0]
        self.compare(out["vectors"], [half_bits(single(single(p * q) + p)) for p, q in zip(a, b)], "vectors")
        for i, (p, q) in enumerate(zip(a, b)):
            self.assertEqual(out["relations"][i], (p < q) | (p <= q) << 1 | (p == q) << 2 | (p != q) << 3 | (p > q) << 4, f"{p} {q}")
            difference = p - q
            if math.isfinite(difference) and abs(difference) < 65520:
                self.assertEqual(out["to_int"][i], int(half_value(half_bits(difference))), f"{p} {q}")
        mine = [i << 30 | i for i in range(256)]
        exclusive = 0
        for one in mine:
            exclusive ^= one
        self.assertEqual(out["total"][0], sum(mine))
        self.assertEqual(list(out["masks"]), [0, sum(1 << i for i in range(1, 64, 2)), exclusive])
        self.assertEqual(out["swapped"][0], sum(mine))
        self.assertEqual(out["least"][0], -mine[255])
        self.assertEqual(out["greatest"][0], mine[255])
        self.assertEqual(out["real"][0], 0.25 * sum(range(256)))
        self.assertEqual(out["stored"][0], 8)
        for slot, value in enumerate(out["slots"]):
            self.assertIn(value - 1, mine[slot::8])

    def test_numbers_of_16_bits_and_atomic_operations_of_64_are_those_of_the_host_at_every_level_of_optimisation(self):
        for level in ("-Og", "-O1", "-O2", "-O3", "-Os", "-Oz"):
            with self.subTest(level):
                self.check(level, "fast")

    def test_numbers_of_16_bits_are_the_same_in_cycle_mode(self):
        self.check("-O2", "cycle")


if __name__ == "__main__":
    unittest.main()
