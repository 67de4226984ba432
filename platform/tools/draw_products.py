#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes configs/concurrent/gemm_tile.yaml: small products, and some that are drawn, so that their results depend on no choice.

    draw_products.py           writes the file
    draw_products.py --check   exit code 1 when the file is not what is drawn
"""
import math
import random
import sys

import generated

TARGET = generated.ROOT / "configs" / "concurrent" / "gemm_tile.yaml"
COUNT, SEED = 30, 47
GROUP, CAPACITY = 32 * 32, 8 * 4  # elements of a work group of gemm_32x32x8, and how many mgpu-8 has room for
WAVES, DEPTHS = (1, 30), (16, 256)
LARGEST = 16 << 20  # multiply-adds, 30 waves of 16 along k: tuning takes an hour of two cores
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Products of the library gemm_tile.json. Those in front are small, of transformers and recurrent networks: less than a wave, heads of
# attention, short and long k. The other 30 are drawn by platform/tools/draw_products.py: 1 to 30 waves of gemm_32x32x8 on mgpu-8,
# 16 to 256 along k, wide, square and high, a fifth of them with A or B stored the other way round.
rounds: 1
gemms: [
  32_32_32_00, 64_64_32_00, 64_32_64_00, 128_32_128_00, 32_32_64_00, 32_32_256_00, 64_32_128_00, 64_64_64_00, 128_64_64_00,
  64_64_64_01, 64_64_64_10, 32_64_128_00, 32_128_64_00, 128_64_32_00,
"""


def multiple(value, unit):
    return max(unit, round(value / unit) * unit)


def log_uniform(generator, least, most):
    return math.exp(generator.uniform(math.log(least), math.log(most)))


def drawn(generator):
    elements = GROUP * CAPACITY * log_uniform(generator, *WAVES)
    m = multiple(math.sqrt(elements * 2 ** generator.choice((-2, -1, 0, 1, 2))), 32)
    n = multiple(elements / m, 32)
    least, most = DEPTHS
    k = multiple(log_uniform(generator, least, max(least, min(most, LARGEST / (m * n)))), 16)
    name = f"{m}_{n}_{k}_{generator.choice(['00'] * 8 + ['01', '10'])}"
    return name if m * n * k <= LARGEST else None


def main():
    generator, names = random.Random(SEED), []
    while len(names) < COUNT:
        name = drawn(generator)
        if name and name not in names:
            names.append(name)
    lines = ["  " + ", ".join(names[i:i + 6]) for i in range(0, COUNT, 6)]
    return generated.keep(TARGET, HEAD + ",\n".join(lines) + "]\n")


if __name__ == "__main__":
    sys.exit(main())
