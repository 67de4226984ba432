# SPDX-License-Identifier: Apache-2.0
"""NaN, infinities, overflow and subnormal numbers in operands of files: kept and right to the bit, or refused by place."""
import math
import pathlib
import struct
import unittest

from formats_test import read_npy, write_npy
from spica_runner import folder, spica, stats

IEEE = ("fp32", "tf32", "bf16", "fp16", "fp8_e5m2")
INFINITY, NAN = math.inf, math.nan
ROWS, K, COLUMNS = 20, 64, 24


def matrix(path, rows, columns, special, base=0.5):
    """`base` but for {(row, column): value}."""
    values = [special.get((row, column), base if (row + column) % 3 else -base) for row in range(rows) for column in range(columns)]
    write_npy(path, "<f4", (rows, columns), struct.pack(f"<{len(values)}f", *values))


class SpecialValues(unittest.TestCase):
    def setUp(self):
        self.temporary = folder()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)

    def gemm(self, design, special, *options, base=0.5):
        a, b = self.root / "a.npy", self.root / "b.npy"
        matrix(a, ROWS, K, special, base)
        matrix(b, K, COLUMNS, {}, base)
        return spica("gemm", "--design", design, "--a", a, "--b", b, "--c", self.root / "c.npy", "--out", self.root / "out",
                     "--mode", "fast", *options)

    def result(self, code="f"):
        shape, values = read_npy(self.root / "c.npy", code)
        return [values[row * shape[1]:(row + 1) * shape[1]] for row in range(shape[0])]

    def test_infinities_and_nan_stay_what_they_are_in_formats_that_have_them(self):
        for name in IEEE:
            with self.subTest(format=name):
                run = self.gemm("virgo-dma", {(3, 5): INFINITY, (7, 1): -INFINITY, (9, 0): NAN}, "--format", name)
                self.assertEqual(run.code, 0, run.text)
                self.assertIn("verified", run.out)
                self.assertIn(f"of C {2 * COLUMNS} elements are infinite, {COLUMNS} elements are NaN", run.out)
                c = self.result()
                self.assertTrue(all(math.isinf(value) for value in c[3] + c[7]))
                self.assertTrue(all(map(math.isnan, c[9])))
                self.assertTrue(all(map(math.isfinite, c[0] + c[4])))
                self.assertTrue(math.isfinite(stats(self.root / "out")["max_error"]))

    def test_a_value_that_a_format_lacks_is_refused_with_its_place(self):
        for name, value, what in (("fp8_e4m3", INFINITY, "infinite"), ("fp6_e3m2", NAN, "NaN"), ("fp6_e2m3", INFINITY, "infinite"),
                                  ("fp4_e2m1", NAN, "NaN"), ("int8", NAN, "NaN"), ("int8", -INFINITY, "infinite")):
            with self.subTest(format=name, value=value):
                run = self.gemm("virgo-dma", {(3, 5): value}, "--format", name)
                self.assertEqual((run.code, run.out), (2, ""), run.text)
                self.assertIn(f"a.npy: element [3][5] is {what}, which {name} does not have; formats that have it: fp32, tf32", run.err)

    def test_blocks_with_special_values_are_nan(self):
        run = self.gemm("virgo-dma", {(3, 5): INFINITY, (9, 0): NAN}, "--format", "mxfp8_e4m3")
        self.assertEqual(run.code, 0, run.text)
        self.assertIn(f"of C {2 * COLUMNS} elements are NaN", run.out)

    def test_operands_that_the_dma_converts_keep_them(self):
        run = self.gemm("virgo-dma", {(3, 5): INFINITY, (9, 0): NAN}, "--format", "bf16", "--a-format", "fp32")
        self.assertEqual(run.code, 0, run.text)
        self.assertIn(f"of C {COLUMNS} elements are infinite, {COLUMNS} elements are NaN", run.out)
        run = self.gemm("virgo-dma", {(3, 5): INFINITY}, "--format", "bf16", "--a-format", "fp8_e4m3")
        self.assertEqual(run.code, 2, run.text)
        self.assertIn("which fp8_e4m3 does not have", run.err)

    def test_overflow_and_subnormal_sums_are_right_in_every_arithmetic(self):
        for design, name in (("virgo-dma", "fp32"), ("virgo-dma", "bf16"), ("fp16-virgo", "fp16"), ("fp16-virgo", "bf16"), ("tc", "fp32"),
                             ("tc", "bf16"), ("fp16-hopper", "fp16"), ("volta-fp16", "fp16"), ("turing-fp32", "fp16"),
                             ("ampere-fp32", "bf16"), ("ampere-fp32", "tf32"), ("simt", "fp32"), ("gemv", "fp32")):
            for base in (1e30, 1e-21, 1e-30, 3e-42, 40000.0, 1e-5):
                with self.subTest(design=design, format=name, base=base):
                    run = self.gemm(design, {(3, 5): INFINITY, (9, 0): NAN}, "--format", name, base=base)
                    self.assertEqual(run.code, 0, run.text)
                    self.assertIn("verified", run.out)

    def test_numbers_beyond_the_largest_of_a_format_are_counted(self):
        run = self.gemm("fp16-virgo", {(3, 5): 1e6, (4, 4): -65520.0, (0, 0): 65504.0})
        self.assertEqual(run.code, 0, run.text)
        self.assertIn("2 numbers of A and B saturated to the largest of the format", run.out)

    def test_finished_elements_have_them(self):
        for activation in ("none", "relu", "gelu", "swish"):
            for output in ("fp32", "fp16", "int8"):
                with self.subTest(activation=activation, output=output):
                    run = self.gemm("virgo-dma", {(3, 5): INFINITY, (7, 1): -INFINITY, (9, 0): NAN}, "--bias", "random",
                                    "--activation", activation, "--output-format", output)
                    self.assertEqual(run.code, 0, run.text)
                    self.assertIn("verified", run.out)

    def test_files_of_other_types_name_the_conversion(self):
        write_npy(self.root / "a.npy", "<f8", (2, 2), bytes(32))
        run = spica("gemm", "--a", self.root / "a.npy", "--b", self.root / "a.npy")
        self.assertEqual(run.code, 2, run.text)
        self.assertIn('save array.astype("f4")', run.err)


if __name__ == "__main__":
    unittest.main()
