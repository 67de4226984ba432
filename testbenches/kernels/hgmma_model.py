# SPDX-License-Identifier: Apache-2.0
"""hgmma, element by element, written from the published description (docs/sources.md: vortex-hopper): layouts, rounding, order of sums.

Numbers are Python floats (double precision): products of two FP16 or two FP32 numbers are exact in them, and
a sum of two FP16 or two FP32 numbers rounded to double and then to its format is the sum rounded once.
"""
import math
import struct

CANONICAL_NAN = 0x7FC00000


def half(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def to_format(value, letter):
    """The nearest number of the format, ties to even."""
    try:
        return struct.unpack("<" + letter, struct.pack("<" + letter, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def add(a, b):
    if math.isinf(a) and math.isinf(b) and a != b:
        return math.nan
    return a + b


def multiply(a, b):
    if (math.isinf(a) and b == 0) or (math.isinf(b) and a == 0):
        return math.nan
    return a * b


def single_bits(value):
    return CANONICAL_NAN if math.isnan(value) else struct.unpack("<I", struct.pack("<f", value))[0]


def tree(values, letter):
    while len(values) > 1:
        values = [to_format(add(values[i], values[i + 1]), letter) for i in range(0, len(values), 2)]
    return values[0]


class Format:
    def __init__(self, name):
        self.letter = {"fp16": "e", "fp32": "f"}[name]
        self.bytes = {"fp16": 2, "fp32": 4}[name]
        self.chunk = 16 // self.bytes   # elements of k in a set
        self.k = 4 * self.chunk

    def element(self, tile, row, k):
        """Row of A, or column of B: 32-byte blocks of two rows; eight blocks per set."""
        offset = 32 * (8 * (k // self.chunk) + row // 2) + 16 * (row % 2) + self.bytes * (k % self.chunk)
        raw = tile[offset:offset + self.bytes]
        return half(int.from_bytes(raw, "little")) if self.bytes == 2 else single(int.from_bytes(raw, "little"))


def register_and_lane(row, column):
    return 8 * (column // 4) + 2 * (row // 4) + column % 4 // 2, row % 4 + 4 * (column % 2)


def hgmma(name, tile_a, tile_b, registers):
    """registers[f][lane] as bits; returns the new ones."""
    form = Format(name)
    result = [list(row) for row in registers]
    a = [[form.element(tile_a, row, k) for k in range(form.k)] for row in range(16)]
    b = [[form.element(tile_b, column, k) for k in range(form.k)] for column in range(16)]
    for row in range(16):
        for column in range(16):
            f, lane = register_and_lane(row, column)
            total = single(registers[f][lane])
            for first in range(0, form.k, form.chunk):
                products = [to_format(multiply(a[row][k], b[column][k]), form.letter)
                            for k in range(first, first + form.chunk)]
                total = to_format(add(tree(products, form.letter), total), "f")
            result[f][lane] = single_bits(total)
    return result
