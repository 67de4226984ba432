# SPDX-License-Identifier: Apache-2.0
"""Matrix multiply-adds of silicon on numpy arrays."""
import unittest

import numpy as np
import spica
from spica import numerics


class Numerics(unittest.TestCase):
    def fingerprint(self):
        """F6: 1 - 1 + 2^-30 over 16 products."""
        a, b = np.zeros((1, 16), np.float16), np.ones((16, 1), np.float16)
        a[0, [0, 7, 8]] = 1, -1, 2.0**-15
        b[8, 0] = 2.0**-15
        return a, b

    def test_words_and_numbers_give_the_same(self):
        a, b = self.fingerprint()
        for silicon, word in ("volta", 0x30800000), ("ampere", 0x30800000), ("hopper", 0), ("blackwell", 0):
            number = numerics.mma(silicon, a, b, format="fp16")
            self.assertEqual((number.dtype, number.view(np.uint32)[0, 0]), (np.float32, word))
            words = numerics.mma(silicon, a.view(np.uint16), b.view(np.uint16), format="fp16")
            self.assertEqual((words.dtype, words[0, 0]), (np.uint32, word))

    def test_integers_of_small_numbers_are_exact_in_every_format(self):
        random = np.random.default_rng(1)
        a, b, c = (random.integers(-4, 5, shape) for shape in ((8, 32), (32, 16), (8, 16)))
        for silicon, formats in (("ampere", ("fp16", "bf16", "tf32")), ("hopper", ("fp16", "bf16", "tf32")),
                                 ("cdna3", ("fp16", "bf16", "tf32", "fp32", "fp64"))):
            for name in formats:
                d = numerics.mma(silicon, a.astype(float), b.astype(float), c.astype(float), format=name)
                np.testing.assert_array_equal(d, a @ b + c)
        np.testing.assert_array_equal(numerics.mma("ampere", a, b, c, format="int8"), a @ b + c)
        np.testing.assert_array_equal(numerics.mma("ampere", a, b, c, format="int4"), a @ b + c)
        half = numerics.mma("volta", a.astype(float), b.astype(float), c.astype(float), format="fp16", result="fp16")
        self.assertEqual(half.dtype, np.float16)
        np.testing.assert_array_equal(half, a @ b + c)

    def test_numbers_are_rounded_to_nearest_even_once(self):
        for value, word in (1 + 2.0**-8, 0x3F80), (1 + 3 * 2.0**-8, 0x3F82), (1 + 2.0**-8 + 2.0**-40, 0x3F81), (float("nan"), 0x7FC0):
            self.assertEqual(numerics._words("a", np.array([value]), "bf16")[0], word)

    def test_instructions_of_one_silicon_differ(self):
        a, b = np.zeros((1, 32), np.uint8), np.full((32, 1), 0x38, np.uint8)
        a[0, 0], b[0, 0] = 0x03, 0x01
        c = np.array([[0x43000000]], np.uint32)
        words = {name: numerics.mma("blackwell", a, b, c, format="fp8_e4m3", instruction=name)[0, 0] for name in ("tcgen05", "mma")}
        self.assertEqual(words, {"tcgen05": 0x43000000, "mma": 0x43000001})

    def test_blocks_have_scales(self):
        a, b = np.full((2, 64), 2, np.uint8), np.full((64, 3), 2, np.uint8)  # ones
        ones = np.full((2, 4), 0x38, np.uint8), np.full((4, 3), 0x40, np.uint8)  # 1 and 2
        d = numerics.mma("blackwell", a, b, format="nvfp4", scale_a=ones[0], scale_b=ones[1])
        np.testing.assert_array_equal(d.view(np.float32), np.full((2, 3), 128.0))
        for scales, text in (((None, None), "needs scales"), ((ones[0][:, :2], ones[1][:2]), "one byte for each block"),
                             ((ones[0], ones[1].T), "matrices of 2 x blocks and blocks x 3, not (2, 4) and (3, 4)")):
            with self.assertRaises(spica.ConfigError) as caught:
                numerics.mma("blackwell", a, b, format="nvfp4", scale_a=scales[0], scale_b=scales[1])
            self.assertIn(text, str(caught.exception))

    def test_one_element_is_explained(self):
        a, b = self.fingerprint()
        found = numerics.explain("hopper", a[0], b[:, 0], format="fp16")
        self.assertIn("16 products", found["rule"])
        self.assertIn("hardware words", found["evidence"])
        step, = found["steps"]
        self.assertEqual((step["exponent"], step["grid"], step["result"]), (0, -25, 0))
        self.assertEqual([(term["k"], term["value"], term["kept"]) for term in step["terms"]],
                         [(0, 1, 1), (7, -1, -1), (8, 2.0**-30, 0)])
        self.assertIn("UNCERTAIN", numerics.explain("turing", a[0], b[:, 0], format="fp16")["evidence"])

    def test_sums_that_are_aligned_twice_are_explained_in_two_parts(self):
        a, b = self.fingerprint()
        products, sums = numerics.explain("cdna3", a[0, :8], b[:8, 0], 3.0, format="fp16")["steps"]
        self.assertEqual([(term["k"], term["kept"]) for term in products["terms"]], [(0, 1), (7, -1)])
        self.assertIsNone(products["result"])
        self.assertEqual([(term["k"], term["kept"]) for term in sums["terms"]], [(-2, 0), (-1, 3)])
        self.assertEqual(sums["result"], 0x40400000)

    def test_block_scales_are_explained(self):
        two, scales = np.full(64, 4, np.uint8), np.full(4, 0x38, np.uint8)  # 2 and 1
        step, = numerics.explain("blackwell", two, two, format="nvfp4", scale_a=scales, scale_b=scales)["steps"]
        self.assertEqual([(term["k"], term["value"]) for term in step["terms"]], [(first, 64) for first in (0, 16, 32, 48)])
        step, = numerics.explain("blackwell", two[:32], two[:32], format="mxfp6_e2m3", scale_a=np.uint8([128]), scale_b=np.uint8([126]))["steps"]
        self.assertEqual(len(step["terms"]), 32)
        with self.assertRaises(spica.ConfigError) as caught:
            numerics.explain("blackwell", two, two, format="nvfp4", scale_a=scales)
        self.assertIn("scale_b is missing", str(caught.exception))

    def test_products_that_are_added_in_another_order_are_explained_with_their_k(self):
        ones = np.full(64, 0x38, np.uint8)
        for k in 2, 5, 16, 31, 34, 63:
            a = np.zeros(64, np.uint8)
            a[k] = 0x40
            steps = numerics.explain("hopper_mma", a, ones, format="fp8_e4m3")["steps"]
            self.assertEqual([(term["k"], term["value"]) for step in steps for term in step["terms"] if term["k"] >= 0], [(k, 2)])

    def test_what_is_not_possible_is_an_error(self):
        a, b = self.fingerprint()
        for call, text in ((lambda: numerics.mma("pascal", a, b, format="fp16"), "silicon 'pascal' is unknown; known: volta"),
                           (lambda: numerics.mma("volta", a, b, format="bf16"), "volta has no rule for bf16 -> fp32; it has fp16 -> fp32"),
                           (lambda: numerics.mma("volta", a, b, format="fp16", result="fp8"), "result 'fp8' is unknown"),
                           (lambda: numerics.mma("hopper", a[:, :12], b[:12], format="fp16", instruction="mfma"), "hopper (mfma) has no rule"),
                           (lambda: numerics.mma("volta", a[:, :6], b[:6], format="fp16"), "k is 6"),
                           (lambda: numerics.mma("volta", a, b[:8], format="fp16"), "matrices of m x k and k x n"),
                           (lambda: numerics.mma("volta", a, b, np.zeros((2, 2)), format="fp16"), "c: a matrix of 1 x 1"),
                           (lambda: numerics.mma("ada", a, b, format="fp8_e4m3"), "takes words"),
                           (lambda: numerics.mma("ada", a.astype(np.uint16) + 0x100, b.astype(np.uint8), format="fp8_e4m3"),
                            "a: words of fp8_e4m3 have 8 bits"),
                           (lambda: numerics.explain("ampere", a[0], b[:, 0], np.zeros(5), format="fp16"), "c: one element, not 5"),
                           (lambda: numerics.explain("ampere", a[0], b[:, 0], format="fp64", result="fp64"), "sums in FP64"),
                           (lambda: numerics.explain("volta", a[0], b[:8, 0], format="fp16"), "16 and 8 elements")):
            with self.assertRaises(spica.ConfigError) as caught:
                call()
            self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
