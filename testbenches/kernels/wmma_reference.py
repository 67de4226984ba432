# SPDX-License-Identifier: Apache-2.0
"""What a wmma does, from the published description alone (docs/sources.md: vortex core/VX_tensor_core.sv): a number is a sign and an integer times a
power of two, so everything is exact until it is rounded, and rounding is written out.

A value is (sign, magnitude, exponent): (-1)^sign * magnitude * 2^exponent, or (sign, INF, 0), or (0, NAN, 0).
"""

INF, NAN = "inf", "nan"


class Format:
    def __init__(self, precision, exponent_bits):
        self.precision = precision                     # with the hidden bit
        self.largest = 2 ** (exponent_bits - 1) - 1    # exponent of the largest number
        self.quantum = 2 - self.largest - precision    # exponent of the smallest subnormal
        self.fraction_bits = precision - 1
        self.special = 2 ** exponent_bits - 1          # exponent field of infinities and NaN
        self.sign_bit = exponent_bits + precision - 1

    def value(self, bits):
        sign = bits >> self.sign_bit & 1
        field = bits >> self.fraction_bits & self.special
        fraction = bits & (1 << self.fraction_bits) - 1
        if field == self.special:
            return (sign, INF, 0) if fraction == 0 else (0, NAN, 0)
        if field == 0:
            return (sign, fraction, self.quantum)
        return (sign, fraction | 1 << self.fraction_bits, self.quantum + field - 1)

    def rounded(self, value):
        """To the nearest number of the format, ties to even; too large ones become infinite."""
        sign, magnitude, exponent = value
        if magnitude in (INF, NAN) or magnitude == 0:
            return value
        quantum = max(magnitude.bit_length() + exponent - self.precision, self.quantum)
        if quantum > exponent:
            shift = quantum - exponent
            rest, middle = magnitude & (1 << shift) - 1, 1 << shift - 1
            magnitude >>= shift
            if rest > middle or (rest == middle and magnitude & 1):
                magnitude += 1
            exponent = quantum
        if magnitude.bit_length() + exponent > self.largest + 1:
            return (sign, INF, 0)
        return (sign, magnitude, exponent)

    def bits(self, value):
        """Of a value that the format has; NaN is the canonical one."""
        sign, magnitude, exponent = value
        if magnitude == NAN:
            return self.special << self.fraction_bits | 1 << self.fraction_bits - 1
        sign <<= self.sign_bit
        if magnitude == INF:
            return sign | self.special << self.fraction_bits
        if magnitude == 0:
            return sign
        shift = max(magnitude.bit_length() + exponent - self.precision, self.quantum) - exponent
        assert magnitude & (1 << max(shift, 0)) - 1 == 0
        magnitude = magnitude >> shift if shift >= 0 else magnitude << -shift
        exponent += shift
        if magnitude < 1 << self.fraction_bits:
            return sign | magnitude
        return sign | exponent - self.quantum + 1 << self.fraction_bits | magnitude - (1 << self.fraction_bits)


FP16, FP32 = Format(11, 5), Format(24, 8)


def product(a, b):
    sign = a[0] ^ b[0]
    if NAN in (a[1], b[1]):
        return (0, NAN, 0)
    if INF in (a[1], b[1]):
        return (0, NAN, 0) if 0 in (a[1], b[1]) else (sign, INF, 0)
    return (sign, a[1] * b[1], a[2] + b[2])


def total(a, b):
    if NAN in (a[1], b[1]):
        return (0, NAN, 0)
    if INF in (a[1], b[1]):
        if a[1] == b[1] and a[0] != b[0]:
            return (0, NAN, 0)
        return a if a[1] == INF else b
    exponent = min(a[2], b[2])
    left, right = a[1] << a[2] - exponent, b[1] << b[2] - exponent
    number = (-left if a[0] else left) + (-right if b[0] else right)
    if number == 0:  # -0 only from two negative zeros
        return (a[0] & b[0] if left == 0 else 0, 0, 0)
    return (int(number < 0), abs(number), exponent)


def add(a, b, format):
    return format.rounded(total(a, b))


def elements(word, operand):
    if operand == "fp16":
        return [FP16.value(word & 0xFFFF), FP16.value(word >> 16)]
    return [FP32.value(word)]


def set_sum(a, b, operand):
    """Two words of A times two words of B, given as lists of elements."""
    format = FP16 if operand == "fp16" else FP32
    p = [format.rounded(product(x, y)) for x, y in zip(a, b)]
    if operand == "fp16":
        return add(add(p[0], p[1], FP16), add(p[2], p[3], FP16), FP16)
    pair = add(p[0], p[1], FP32)
    return add(pair, (0, 0, 0), FP32) if operand == "fp32_v1" else pair  # tree with two inputs of 0


def places(lane):
    """Row and column of f16..f23 (f24..f31), the published list."""
    r, c = 4 * (lane // 4) + lane % 2, 2 * (lane % 4 // 2)
    return [(r, c), (r, c + 1), (r + 2, c), (r + 2, c + 1), (r, c + 4), (r, c + 5), (r + 2, c + 4), (r + 2, c + 5)]


def wmma(registers, bank, operand):
    """registers[f][lane], 32 x 8 words; returns them as the instruction leaves them."""
    a = [[elements(registers[i][row], operand) for i in range(8)] for row in range(8)]
    b = [[elements(registers[8 + i][column], operand) for i in range(8)] for column in range(8)]
    result = [list(register) for register in registers]
    for lane in range(8):
        for i, (row, column) in enumerate(places(lane)):
            c = FP32.value(registers[16 + 8 * bank + i][lane])
            for s in range(4):
                dot = set_sum(a[row][2 * s] + a[row][2 * s + 1], b[column][2 * s] + b[column][2 * s + 1], operand)
                c = add(dot, c, FP32)
            result[16 + 8 * bank + i][lane] = FP32.bits(c)
    return result
