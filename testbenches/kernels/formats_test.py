# SPDX-License-Identifier: Apache-2.0
"""Matrix products in other number formats: both modes, what they cost, what is refused."""
import csv
import json
import pathlib
import unittest

from spica_runner import folder, spica, stats

PER_CELL = {"fp32": 1, "tf32": 1, "fp16": 2, "bf16": 2, "fp8_e4m3": 4, "fp8_e5m2": 4, "fp6_e3m2": 4, "fp6_e2m3": 4, "fp4_e2m1": 8}


def gemm(out, *arguments):
    return spica("gemm", *arguments, "--out", out, "--save-memory", f"{out}/c.bin")


def result_of(path):
    """Global memory of a file of --save-memory from C on: pages of 4096 bytes behind their addresses."""
    data, pages = path.read_bytes(), {}
    for at in range(0, len(data), 4096 + 8):
        address = int.from_bytes(data[at:at + 8], "little")
        if 0xC0000000 <= address < 0xC1000000:
            pages[address] = data[at + 8:at + 8 + 4096]
    return pages


class Formats(unittest.TestCase):
    def run_both(self, design, name, size):
        saved = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = gemm(out, "--design", design, "--format", name, "--size", size, "--mode", mode)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("bit-exact", result.out)
                saved.append(result_of(pathlib.Path(out, "c.bin")))
                data = stats(out)
                self.assertEqual((data["format"], data["accumulate"]), (name, "fp32"))
        self.assertTrue(saved[0])
        self.assertTrue(saved[0] == saved[1], name)
        return data

    def test_every_format_is_bit_exact_in_both_modes_with_words_of_32_bits(self):
        errors = {name: self.run_both("virgo-dma", name, "64x64x192")["rms_error"] for name in PER_CELL}
        # What a format loses grows with what its fraction lacks.
        order = ["fp32", "tf32", "bf16", "fp8_e4m3", "fp8_e5m2"]
        self.assertEqual(sorted(order, key=errors.get), order)
        self.assertLess(errors["fp32"], 1e-5)
        self.assertEqual(f"{errors['tf32']:.9f}"[:6], f"{errors['fp16']:.9f}"[:6])  # the same fraction

    def test_every_format_is_bit_exact_in_both_modes_with_words_of_16_bits(self):
        for name in ("fp16", "bf16", "fp8_e4m3", "fp6_e2m3", "fp4_e2m1"):
            data = self.run_both("fp16-virgo", name, "128x64x256")
            self.assertEqual(data["result"], "fp16" if name == "fp16" else "bf16")

    def test_cores_copy_words_of_any_format(self):
        self.run_both("virgo", "fp8_e5m2", "64x64x256")

    def test_a_narrow_format_takes_the_cycles_of_fewer_words(self):
        def cycles(name, k):
            with folder() as out:
                result = gemm(out, "--design", "virgo-dma", "--format", name, "--size", f"64x64x{k}")
                self.assertEqual(result.code, 0, result.text)
                data = stats(out)
                unit = data["stats"]["cluster_0"]["matrix_unit_0"]
                self.assertEqual(unit["macs"]["value"], 64 * 64 * k)
                return data["cycles"]
        wide = cycles("fp32", 128)
        for name in ("bf16", "fp8_e4m3", "fp4_e2m1"):
            self.assertEqual(cycles(name, 128 * PER_CELL[name]), wide)

    def test_without_a_format_nothing_is_rounded_anew(self):
        with folder() as out:
            self.assertEqual(gemm(out, "--size", "64x64x64").code, 0)
            self.assertNotIn("format", stats(out))

    def test_what_a_unit_cannot_multiply_is_refused_with_what_it_can(self):
        for design, name, fit in (("fp16-virgo", "fp32", "bf16, fp16, fp8_e4m3"), ("virgo-dma", "int8", "fp32, tf32, bf16"),
                                  ("simt", "bf16", "fp32"), ("tc", "bf16", "fp32"), ("virgo", "fp8", "fp8_e4m3, fp8_e5m2")):
            result = spica("gemm", "--design", design, "--format", name)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(f"--format {name}: design {design} multiplies", result.err)
            self.assertIn(fit, result.err)
        result = spica("gemm", "--design", "virgo-dma", "--format", "fp8_e4m3", "--lda", "512", "--size", "64x64x256")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("packs 4 elements", result.err)

    def test_a_unit_that_was_set_to_another_format_is_refused(self):
        result = spica("gemm", "--design", "fp16-virgo", "--format", "bf16", "--size", "128x64x128",
                       "--set", "cluster.matrix_units.0.operand=fp16")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("cluster.matrix_units.0.operand=bf16", result.err)

    def test_words_of_other_widths_are_refused_with_those_that_work(self):
        result = spica("config", "virgo", "--set", "cluster.matrix_units.0.operand=fp8_e4m3")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("macs_per_cell 2 or 4 with fp8_e4m3", result.err)
        result = spica("config", "fp16-virgo", "--set", "cluster.matrix_units.0.result=fp32")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("16 bits: fp16 or bf16", result.err)

    def test_the_experiment_has_cost_and_error_of_each_format(self):
        with folder() as out:
            result = spica("experiment", "formats", "--sizes", "128x128x512", "--designs", "virgo-dma", "--out", out, "--jobs", "2")
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads(pathlib.Path(out, "results.json").read_text())
            with open(pathlib.Path(out, "results.csv")) as table:
                head = next(csv.reader(table))
        self.assertEqual([row["format"] for row in rows], list(PER_CELL))
        for key in ("design", "format", "accumulate", "size", "cycles", "utilisation", "pj_per_mac", "max_error", "rms_error"):
            self.assertIn(key, head)
            self.assertTrue(all(row[key] is not None for row in rows), key)
        by_name = {row["format"]: row for row in rows}
        self.assertLess(by_name["bf16"]["pj_per_mac"], by_name["fp32"]["pj_per_mac"])
        self.assertLess(by_name["bf16"]["cycles"], by_name["fp32"]["cycles"])
        self.assertLess(by_name["fp32"]["rms_error"], by_name["bf16"]["rms_error"])
        for row in rows:
            self.assertLessEqual(row["rms_error"], row["max_error"])
        self.assertRegex(result.out, r"virgo-dma +fp8_e4m3 +fp32 +128x128x512")


if __name__ == "__main__":
    unittest.main()
