# SPDX-License-Identifier: Apache-2.0
"""Products whose operands the DMA converts, scales or transposes on their way: both modes, what it costs, what is refused."""
import csv
import pathlib
import struct
import unittest

from formats_test import gemm, read_npy, result_of, write_npy
from spica_runner import folder, spica, stats


class Reshaped(unittest.TestCase):
    def run_both(self, *arguments):
        """The statistics of the cycle mode."""
        saved, data = [], None
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = gemm(out, *arguments, "--mode", mode)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("bit-exact", result.out)
                saved.append(result_of(pathlib.Path(out, "c.bin")))
                data = data or stats(out)
        self.assertTrue(saved[0])
        self.assertTrue(saved[0] == saved[1])
        return data

    def test_both_modes_multiply_the_same_converted_operands_on_each_kind_of_design(self):
        for design, options in (("virgo-dma", ("--format", "bf16", "--a-format", "fp32", "--b-format", "int4", "--b-transposed")),
                                ("virgo-dma", ("--a-transposed", "--b-transposed", "--lda", "256")),
                                ("virgo-v2", ("--format", "int8", "--a-format", "fp32", "--b-format", "int4")),
                                ("fp16-virgo", ("--a-format", "fp8_e4m3", "--b-format", "int4", "--scaled")),
                                ("fp16-virgo", ("--format", "bf16", "--a-transposed", "--b-format", "int8", "--b-transposed")),
                                ("tc-dma", ("--format", "fp8_e5m2", "--a-format", "fp16", "--a-transposed")),
                                ("fp16-ampere", ("--b-format", "uint8",)), ("fp16-hopper", ("--a-format", "fp6_e3m2",))):
            with self.subTest(design=design, options=options):
                data = self.run_both("--design", design, *options, "--size", "130x72x65")
                self.assertEqual(data.get("a_transposed", False), "--a-transposed" in options)

    def test_every_format_of_memory_becomes_what_the_unit_multiplies(self):
        for name in ("fp32", "tf32", "bf16", "fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "int8", "uint8", "int4", "uint4"):
            with self.subTest(format=name):
                self.run_both("--design", "virgo-dma", "--format", "fp16", "--size", "64x64x64", "--b-format", name)

    def test_an_epilogue_and_a_bias_follow_converted_operands(self):
        data = self.run_both("--design", "virgo-dma", "--format", "int8", "--b-format", "int4", "--size", "100x90x77", "--bias", "random",
                             "--activation", "relu", "--output-format", "int8")
        self.assertEqual((data["b_format"], data["output_format"]), ("int4", "int8"))

    def test_what_is_read_is_as_narrow_as_memory_and_every_element_is_counted(self):
        read, scaled, turned = {}, {}, {}
        for name, options in (("plain", ()), ("narrow", ("--b-format", "int8")), ("transposed", ("--b-transposed",))):
            with folder() as out:
                self.assertEqual(gemm(out, "--design", "virgo-dma", "--size", "64x64x128", *options).code, 0)
                dma = stats(out)["stats"]["cluster_0"]["dma_0"]
                read[name], scaled[name], turned[name] = (dma[key]["value"] for key in ("bytes_b", "scaled_elements", "transposed_rows"))
        self.assertEqual((read["plain"], read["narrow"], read["transposed"]), (128 * 64 * 4, 128 * 64, 128 * 64 * 4))
        self.assertEqual((scaled["plain"], scaled["narrow"], scaled["transposed"]), (0, 128 * 64, 0))
        self.assertEqual((turned["plain"], turned["narrow"], turned["transposed"]), (0, 0, 128 * 64 // 8))

    def test_formats_of_memory_are_an_axis_with_errors_and_energy(self):
        with folder() as out:
            pathlib.Path(out, "weights.yaml").write_text(
                "axes: {design: [virgo-dma], b_format: [fp32, int8, int4], size: [64x64x64]}\nfixed: {energy: true}\n")
            result = spica("experiment", pathlib.Path(out, "weights.yaml"), "--out", f"{out}/runs", "--report", f"{out}/weights.html")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("fp32, B int4", result.out)
            with open(f"{out}/runs/results.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([(row["format"], row["b_format"]) for row in rows], [("fp32", "fp32"), ("fp32", "int8"), ("fp32", "int4")])
            errors = [float(row["rms_error"]) for row in rows]
            self.assertEqual(errors, sorted(errors))

    def test_files_of_integers_are_multiplied_exactly(self):
        with folder() as out:
            a = [[(7 * i + 3 * j) % 15 - 7 for j in range(20)] for i in range(10)]
            b = [[(5 * i + 11 * j) % 255 - 127 for j in range(6)] for i in range(20)]
            for name, rows in (("a", a), ("b", b)):
                numbers = [x for row in rows for x in row]
                write_npy(pathlib.Path(out, f"{name}.npy"), "|i1", (len(rows), len(rows[0])), struct.pack(f"{len(numbers)}b", *numbers))
            result = gemm(out, "--design", "virgo-dma", "--a-format", "int4", "--b-format", "int8", "--b-transposed", "--a",
                          pathlib.Path(out, "a.npy"), "--b", pathlib.Path(out, "b.npy"), "--c", pathlib.Path(out, "c.npy"))
            self.assertEqual(result.code, 0, result.text)
            shape, c = read_npy(pathlib.Path(out, "c.npy"), "f")
            self.assertEqual(shape, (10, 6))
            self.assertEqual(c, tuple(sum(x * y for x, y in zip(row, column)) for row in a for column in zip(*b)))

    def test_the_checkers_know_the_words_of_memory(self):
        for options in (("--b-format", "int4"), ("--a-format", "fp8_e4m3", "--a-transposed")):
            for check in ("hazards", "memory"):
                with self.subTest(options=options, check=check):
                    result = spica("gemm", "--design", "virgo-dma", "--format", "fp16", "--size", "64x64x128", *options, "--check", check)
                    self.assertEqual(result.code, 0, result.text)

    def test_what_does_not_work_is_refused_with_what_does(self):
        for arguments, said in ((("--design", "fp16-virgo", "--b-format", "int4", "--b-transposed"), "int8, uint8 when it transposes"),
                                (("--design", "virgo-dma", "--b-format", "int44"), "fp4_e2m1, int8, uint8, int4, uint4"),
                                (("--design", "virgo-dma", "--format", "mxfp8_e4m3", "--b-transposed"), "does not support block scales"),
                                (("--design", "virgo-dma", "--b-format", "int4", "--set", "cluster.dma.scale_units=0"),
                                 "cluster.dma.scale_units of at least 1"),
                                (("--design", "virgo-dma", "--batch", "2", "--b-format", "int8"), "share one scale"),
                                (("--design", "virgo-dma", "--convolution", "16x16x64,64x3x3", "--b-format", "bf16"), "omit --a-format"),
                                (("--design", "fp16-hopper", "--a-transposed"), "in its own order"),
                                (("--design", "dual-serial", "--b-format", "int8"), "2 products"),
                                (("--design", "virgo-dma-swish", "--b-format", "int8"), "reshaped_operands.h")):
            with self.subTest(arguments=arguments):
                result = spica("gemm", *arguments)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main()
