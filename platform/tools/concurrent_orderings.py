#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the orderings of arXiv:2409.02227 with the drawn products of the shipped library, and prints the table of docs/results.md.

    concurrent_orderings.py

Each statement of the source is a split of the products at the medians of two quantities, or a difference of each product. A product
agrees, disagrees, or is at a median and counts for neither. p: how likely at least that many would agree by chance (sign test).
"""
import csv
import json
import math
import statistics

import generated

FOLDER = generated.ROOT / "configs" / "concurrent"
DRAWN = 30


def library():
    """{product: {degree: what the library has}}, the drawn ones."""
    products = json.loads((FOLDER / "gemm_tile.json").read_text())["products"][-DRAWN:]
    return {one["gemm"]: {degree["degree"]: degree for degree in one["degrees"]} for one in products}


def trials():
    """{(product, kernel, number at once): cycles}, as tuned on the whole machine."""
    with (FOLDER / "gemm_tile-trials.csv").open() as file:
        return {(row["gemm"], row["kernel"], int(row["available"])): int(row["cycles"]) for row in csv.DictReader(file)}


def extents(gemm):
    return [int(word) for word in gemm.split("_")[:3]]


def tile(kernel):
    m, n, _ = kernel.split("_")[1].split("x") if "x" in kernel else (32, 32, 16)
    return int(m) * int(n)


class Orderings:
    def __init__(self):
        self.of, self.times = library(), trials()

    def gain(self, gemm, degree, kernels="go"):
        """Speed over sequential products, with the kernel for that number or the one that is fastest alone."""
        alone = self.of[gemm][1]
        if kernels == "go":
            return degree * alone["cycles"] / self.of[gemm][degree]["cycles"]
        return degree * alone["cycles"] / self.times[gemm, alone["kernel"], degree]

    def split(self, left, right):
        """Agree if what has more of `left` has more of `right`."""
        lefts, rights = ([quantity(gemm) for gemm in self.of] for quantity in (left, right))
        a, b = statistics.median(lefts), statistics.median(rights)
        signs = [(x - a) * (y - b) for x, y in zip(lefts, rights)]
        return sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)

    def each(self, difference):
        """Agree if the difference of a product is positive."""
        signs = [difference(gemm) for gemm in self.of]
        return sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)

    def changed(self, quantity):
        """The same of the products whose kernel for 16 at once is another than alone: how much larger the quantity is then."""
        return self.each(lambda gemm: 0 if self.of[gemm][16]["kernel"] == self.of[gemm][1]["kernel"] else
                         quantity(self.of[gemm][16]) - quantity(self.of[gemm][1]))

    def rows(self):
        def work(gemm):
            return math.prod(extents(gemm))

        def waves(gemm):
            return self.of[gemm][1]["waves"]

        def of_go(gemm, degree):
            return self.gain(gemm, degree) / self.gain(gemm, degree, "default")
        yield "products with fewer waves alone gain more, 16 at once", self.split(lambda g: -waves(g), lambda g: self.gain(g, 16))
        yield "likewise, 2 at once", self.split(lambda g: -waves(g), lambda g: self.gain(g, 2))
        yield "small products gain less than large ones, 2 at once, kernels of one", self.split(work, lambda g: self.gain(g, 2, "default"))
        yield "the gain falls with k, 16 at once", self.split(lambda g: -extents(g)[2], lambda g: self.gain(g, 16))
        yield "some at once are faster than in sequence, kernels of one: 2", self.each(lambda g: self.gain(g, 2, "default") - 1)
        yield "likewise: 16", self.each(lambda g: self.gain(g, 16, "default") - 1)
        yield "kernels for several at once are faster, 16", self.each(lambda g: of_go(g, 16) - 1)
        yield "their gain is larger with 16 than with 2", self.each(lambda g: of_go(g, 16) - of_go(g, 2))
        yield "their tiles are larger, where the kernel differs", self.changed(lambda one: tile(one["kernel"]))
        yield "their waves are fewer, where the kernel differs", self.changed(lambda one: -one["waves"])

    def means(self):
        for kernels in ("default", "go"):
            yield [math.exp(statistics.fmean(math.log(self.gain(gemm, degree, kernels)) for gemm in self.of)) for degree in (2, 4, 8, 16)]


def chance(agree, disagree):
    total = agree + disagree
    return sum(math.comb(total, i) for i in range(agree, total + 1)) / 2 ** total


def main():
    orderings = Orderings()
    print("| kernels | 2 | 4 | 8 | 16 |\n|---|---:|---:|---:|---:|")
    for name, gains in zip(("fastest alone", "for this number"), orderings.means()):
        print(f"| {name} | {' | '.join(f'{gain:.3f}' for gain in gains)} |")
    print("\n| statement of the source | agree | disagree | p |\n|---|---:|---:|---:|")
    for what, (agree, disagree) in orderings.rows():
        print(f"| {what} | {agree} | {disagree} | {chance(agree, disagree):.4f} |")


if __name__ == "__main__":
    main()
