# SPDX-License-Identifier: Apache-2.0
"""Products whose kernels add a bias, activate and round C to a narrower format: both modes, other code, what is refused."""
import fractions
import pathlib
import random
import struct
import unittest

from formats_test import DESIGNS, gemm, read_npy, result_of, write_npy
from spica_runner import folder, spica, stats


class Epilogue(unittest.TestCase):
    def run_both(self, *arguments, bitwise=True):
        saved = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = gemm(out, *arguments, "--mode", mode)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual("bit-exact" in result.out, bitwise, result.out)
                saved.append(result_of(pathlib.Path(out, "c.bin")))
                data = stats(out)
        self.assertTrue(saved[0])
        self.assertTrue(saved[0] == saved[1])
        return data

    def test_both_modes_store_the_same_elements_on_each_kind_of_design(self):
        for design, options in (("simt", ()), ("virgo-dma", ("--format", "int8")), ("virgo", ("--format", "fp8_e4m3")),
                                ("ampere-fp32", ("--format", "int8")), ("tc", ("--format", "int8")), ("tc-dma", ("--format", "bf16")),
                                ("fp16-volta", ()), ("fp16-ampere", ("--format", "fp8_e4m3")), ("fp16-hopper", ()), ("fp16-hopper", ("--format", "int8")), ("simt32", ())):
            with self.subTest(design=design):
                data = self.run_both("--design", design, *options, "--size", "130x72x65", "--bias", "random",
                                     "--activation", "relu", "--output-format", "int8")
                self.assertEqual((data["bias"], data["activation"], data["output_format"]), (True, "relu", "int8"))
                self.assertGreater(data["scale"], 0)

    def every_design(self, *formats):
        finished = 0
        for file in sorted(DESIGNS.glob("*.yaml")):
            for name in formats:
                with self.subTest(design=file.stem, format=name):
                    size = "64x40x64+64x64x64" if "dual" in file.stem else "72x40x100"
                    result = spica("gemm", "--design", file.stem, "--format", name, "--size", size, "--bias", "random",
                                   "--activation", "relu", "--output-format", "int8", "--mode", "fast")
                    self.assertIn(result.code, (0, 2), result.text)
                    finished += result.code == 0
        return finished

    def test_every_design_finishes_sums_of_floats_or_refuses(self):  # long
        self.assertGreater(self.every_design("fp32", "fp16", "fp8_e4m3"), 40)

    def test_every_design_finishes_sums_of_integers_or_refuses(self):  # long
        self.assertGreater(self.every_design("int8", "int4", "mxfp4_e2m1"), 30)

    def test_a_vector_of_sums_in_any_order_is_within_the_tolerance_of_its_steps(self):
        for output in "int8", "bf16":
            data = self.run_both("--design", "gemv", "--size", "130x3x65", "--bias", "random", "--activation", "relu",
                                 "--output-format", output, bitwise=False)
            self.assertEqual(data["output_format"], output)

    def test_every_output_format_is_bit_exact(self):
        for name in ("fp32", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "int8", "uint8"):
            with self.subTest(format=name):
                self.run_both("--design", "simt", "--size", "33x40x20", "--bias", "random", "--output-format", name)

    def test_activations_that_round_are_within_their_roundings(self):
        for name, output in ("gelu", "fp32"), ("swish", "fp8_e5m2"):
            with self.subTest(activation=name, output=output):
                self.run_both("--design", "virgo-dma", "--size", "64x40x70", "--activation", name, "--output-format",
                              output, bitwise=False)

    def test_fp8_results_have_a_scale_where_it_is_asked_for(self):
        for options, scaled in (((), False), (("--scaled",), True)):
            data = self.run_both("--design", "virgo-dma", "--size", "64x64x64", "--output-format", "fp8_e4m3", *options)
            self.assertEqual("scale" in data, scaled)
            self.assertLess(data["max_error"], 0.7)

    def test_results_of_16_bits_of_a_matrix_unit_go_on_as_such(self):
        for design, options in (("fp16-virgo", ()), ("fp16-virgo", ("--format", "bf16", "--ldc", "256")), ("virgo-v2", ("--format", "int8"))):
            with self.subTest(design=design, options=options):
                data = self.run_both("--design", design, *options, "--size", "128x64x130", "--bias", "random", "--activation", "relu",
                                     "--output-format", "fp8_e4m3", "--scaled")
                self.assertEqual(data["window"], "results")

    def test_blocks_with_scales_have_an_epilogue_too(self):
        self.run_both("--design", "virgo-dma", "--format", "mxfp8_e4m3", "--size", "64x64x224", "--bias", "random",
                      "--activation", "relu", "--output-format", "bf16")

    def test_warps_that_finish_meet_no_race(self):
        # In formats for which the kernels are compiled above.
        for design, size, *options in (("virgo-dma", "128x64x128", "--format", "int8"), ("virgo", "64x64x64", "--format", "fp8_e4m3"),
                                       ("tc-dma", "128x64x128", "--format", "bf16"), ("fp16-ampere", "256x64x256", "--format", "fp8_e4m3"),
                                       ("simt32", "128x256x32"), ("ampere-fp32", "256x128x64", "--format", "int8")):
            with self.subTest(design=design):
                result = spica("gemm", "--design", design, *options, "--size", size, "--bias", "random", "--activation", "relu",
                               "--output-format", "int8", "--check", "hazards")
                self.assertEqual(result.code, 0, result.text)

    def test_machines_with_other_warps_have_an_epilogue(self):
        for warps in (2, 16):
            self.run_both("--design", "virgo-dma", "--size", "128x64x64", "--set", f"cluster.core.warps={warps}", "--bias", "random",
                          "--output-format", "int8")

    def test_an_epilogue_is_an_axis_of_a_sweep(self):
        with folder() as out:
            pathlib.Path(out, "outputs.yaml").write_text(
                "axes: {output_format: [fp32, bf16, int8]}\n"
                "fixed: {design: simt, size: 32x32x16, bias: random, activation: relu, mode: fast}\n"
                "objectives: {rms_error: min, cycles: min}\n")
            result = spica("sweep", "run", f"{out}/outputs.yaml", "--dir", f"{out}/results")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("points: 3 ok", result.out)

    def test_rows_with_gaps_and_convolutions(self):
        self.run_both("--design", "virgo-dma", "--size", "64x64x64", "--ldc", "192", "--bias", "random", "--output-format", "int8")
        self.run_both("--design", "turing-fp32", "--convolution", "8x8x32,16x3x3,padding=1", "--bias", "random",
                      "--activation", "relu", "--output-format", "fp16")

    def test_a_row_of_work_groups_has_an_epilogue(self):
        self.run_both("--design", "cutlass13-tn", "--size", "128x128x64", "--bias", "random", "--output-format", "fp8_e4m3")

    def test_integers_are_what_rational_arithmetic_says(self):
        draw = random.Random(7)
        m, n, k = 5, 7, 33
        a = [127] + [draw.randint(-128, 127) for _ in range(m * k - 1)]
        b = [127] + [draw.randint(-128, 127) for _ in range(k * n - 1)]
        bias = [draw.randint(-9000, 9000) / 4 for _ in range(n)]
        with folder() as out:
            write_npy(f"{out}/a.npy", "|i1", (m, k), struct.pack(f"{m * k}b", *a))
            write_npy(f"{out}/b.npy", "|i1", (k, n), struct.pack(f"{k * n}b", *b))
            write_npy(f"{out}/bias.npy", "<f4", f"({n},)", struct.pack(f"<{n}f", *bias))
            for output, code, least, most in (("int8", "b", -128, 127), ("uint8", "B", 0, 255)):
                for scale in (60.0, 300.0):
                    result = gemm(out, "--design", "virgo-dma", "--format", "int8", "--mode", "fast", "--a", f"{out}/a.npy",
                                  "--b", f"{out}/b.npy", "--bias", f"{out}/bias.npy", "--output-format", output,
                                  "--output-scale", str(scale), "--c", f"{out}/c.npy")
                    self.assertEqual(result.code, 0, result.text)
                    shape, c = read_npy(f"{out}/c.npy", code)
                    self.assertEqual(shape, (m, n))
                    for i in range(m):
                        for j in range(n):
                            exact = sum(a[i * k + t] * b[t * n + j] for t in range(k)) + fractions.Fraction(bias[j])
                            number = exact / fractions.Fraction(scale)
                            wanted = min(max(number, least), most)
                            # Half a step, and what FP32 loses of numbers of this size.
                            self.assertLessEqual(abs(c[i * n + j] - wanted), 0.5 + abs(float(number)) * 2**-22)
                    inside = sum(least < x < most for x in c)
                    self.assertGreater(inside, m * n // 4 if scale == 300 else 0)
                    self.assertLess(inside, m * n + (scale == 300))
            self.assertAlmostEqual(stats(out)["scale"], 300, delta=1e-4)

    def test_elements_of_fp8_and_bf16_go_to_files_as_ml_dtypes_are_saved(self):
        with folder() as out:
            for name, descr, width in (("fp8_e4m3", "<V1", 1), ("bf16", "<V2", 2), ("uint8", "|u1", 1)):
                result = gemm(out, "--design", "simt", "--size", "5x6x7", "--output-format", name, "--c", f"{out}/c.npy",
                              "--mode", "fast")
                self.assertEqual(result.code, 0, result.text)
                data = pathlib.Path(out, "c.npy").read_bytes()
                self.assertIn(f"'descr': '{descr}'".encode(), data)
                self.assertEqual(len(data) % 64, 5 * 6 * width)

    def test_without_an_epilogue_a_file_holds_the_product(self):
        a, b = [0.5 * i - 3 for i in range(12)], [0.25 * i - 2 for i in range(20)]
        wanted = [sum(a[4 * i + t] * b[5 * t + j] for t in range(4)) for i in range(3) for j in range(5)]
        whole = [i - 6 for i in range(12)]
        with folder() as out:
            write_npy(f"{out}/a.npy", "<f4", (3, 4), struct.pack("<12f", *a))
            write_npy(f"{out}/b.npy", "<f4", (4, 5), struct.pack("<20f", *b))
            write_npy(f"{out}/whole.npy", "|i1", (3, 4), struct.pack("12b", *whole))
            write_npy(f"{out}/more.npy", "|i1", (4, 5), struct.pack("20b", *range(20)))
            for name in ("int8", "fp8_e4m3"):
                result = gemm(out, "--design", "virgo-dma", "--format", name, "--scaled", "--mode", "fast",
                              "--a", f"{out}/a.npy", "--b", f"{out}/b.npy", "--c", f"{out}/c.npy")
                self.assertEqual(result.code, 0, result.text)
                for x, w in zip(read_npy(f"{out}/c.npy", "f")[1], wanted):
                    self.assertLess(abs(x - w), 0.2 if name == "int8" else 1)
            # Integers that the format has need no scale: sums as they are.
            result = gemm(out, "--design", "virgo-dma", "--format", "int8", "--mode", "fast", "--a", f"{out}/whole.npy",
                          "--b", f"{out}/more.npy", "--c", f"{out}/c.npy")
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(list(read_npy(f"{out}/c.npy", "i")[1]),
                             [sum(whole[4 * i + t] * (5 * t + j) for t in range(4)) for i in range(3) for j in range(5)])
            self.assertNotIn("scale", stats(out))

    def test_what_cannot_be_is_refused_with_what_can(self):
        for arguments, text in ((("--design", "turing-fp16", "--bias", "random"), "stores sums of fp16"),
                                (("--design", "fp16-virgo-simt", "--activation", "relu"), "designs like virgo-dma"),
                                (("--design", "virgo-dma-swish", "--activation", "relu"), "has its own activation"),
                                (("--design", "gemm-tile", "--bias", "random"), "designs like virgo-dma"),
                                (("--design", "dual-serial", "--bias", "random"), "computes 2 products"),
                                (("--design", "simt", "--bias", "random", "--batch", "2"), "omit --batch"),
                                (("--design", "simt", "--output-format", "bf16", "--output-scale", "2"), "bf16 has no scale"),
                                (("--design", "simt", "--bias", "none.npy"), "none.npy")):
            with self.subTest(arguments=arguments):
                result = spica("gemm", *arguments)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(text, result.err)
        with folder() as out:
            write_npy(f"{out}/bias.npy", "<f4", "(3,)", struct.pack("<3f", 1, 2, 3))
            result = spica("gemm", "--design", "simt", "--size", "8x4x8", "--bias", f"{out}/bias.npy")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("the bias has 3 numbers, C 4 columns", result.err)


if __name__ == "__main__":
    unittest.main()
