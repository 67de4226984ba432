# SPDX-License-Identifier: Apache-2.0
"""Experiments with programs of their own, and those on streaming multiprocessors."""
import csv
import json
import pathlib
import unittest

from spica_runner import elf, folder, spica

WARPS = """title: warps
extends: sweeps/tensor-warps
axes:
  warps: {argument: [1, 4, 5, 8]}
  wmma_per_warp: {argument: [512]}
"""
LATENCY = """extends: sweeps/tensor-latency
axes:
  size: {argument: [128]}
"""


def run(text, *options):
    with folder() as out:
        file = pathlib.Path(out, "table.yaml")
        file.write_text(text, encoding="utf-8")
        result = spica("experiment", str(file), "--out", f"{out}/results", *options)
        rows = json.loads(pathlib.Path(out, "results/results.json").read_text(encoding="utf-8"))
        with open(f"{out}/results/results.csv", encoding="utf-8", newline="") as table:
            return result, rows, list(csv.DictReader(table))


class TensorExperiments(unittest.TestCase):
    def test_four_warps_fill_the_tensor_cores_and_a_fifth_takes_as_long_as_eight(self):
        result, rows, table = run(WARPS)
        self.assertEqual(result.code, 0, result.text)
        self.assertEqual(len(rows), 24)
        cycles = {(row["style"], row["accumulate"], row["warps"]): row["cycles"] for row in rows}
        share = {(row["style"], row["accumulate"], row["warps"]): row["utilisation"] for row in rows}
        # Multiply-adds per cycle and core at best: of Turing with FP32 sums half of those it is measured by.
        best = {key: 0.5 if key[:2] == ("turing", "fp32") else 1 for key in share}
        for style in ("volta", "turing", "ampere"):
            for sums in ("fp32", "fp16"):
                at = lambda warps: share[style, sums, warps] / best[style, sums, warps]
                with self.subTest(f"{style} {sums}"):
                    self.assertLess(at(1), 0.26)
                    self.assertGreater(at(4), 3 * at(1))
                    self.assertLess(at(4), 1)
                    self.assertLess(at(8), 1)
                    self.assertGreater(at(8), 0.97 * at(4))
                    # One core has two warps, as all have with eight.
                    self.assertGreater(cycles[style, sums, 5], 1.03 * cycles[style, sums, 4])
                    self.assertLess(abs(cycles[style, sums, 5] / cycles[style, sums, 8] - 1), 0.05)
                    self.assertGreater(at(8), 0.7)
        self.assertEqual({row["wmma_per_warp"] for row in rows}, {512})
        self.assertEqual([row["warps"] for row in table[:4]], ["1", "4", "5", "8"])

    def test_register_rows_are_those_of_one_product_times_their_number(self):
        result, rows, table = run("title: generations\naxes: {design: [volta-fp32, volta-fp16, turing-fp32, virgo-dma], "
                                  "size: [256x128x64]}\n")
        self.assertEqual(result.code, 0, result.text)
        products = 256 * 128 * 64 // 16 ** 3
        # Volta: 48 rows read and 32 written, with sums in FP16 32 and 16 (raihan section II.B); Turing: 4 steps of 4 + 2
        # + 4 and 4.
        expected = {"volta-fp32": 80 * products, "volta-fp16": 48 * products, "virgo-dma": 0}
        counted = {row["design"]: row["register_rows"] for row in rows}
        for design, value in expected.items():
            self.assertEqual(counted[design], value, design)
        self.assertGreater(counted["turing-fp32"], 0)
        self.assertEqual({row["design"]: int(row["register_rows"]) for row in table}, counted)

    def test_multiply_adds_are_the_fastest_instructions_on_fragments_and_loads_the_slowest(self):
        result, rows, _ = run(LATENCY)
        self.assertEqual(result.code, 0, result.text)
        by_kind = {(row["instruction"], row["shared_memory"]): row for row in rows}
        self.assertEqual(set(by_kind), {(kind, shared) for kind in ("load", "mma", "store") for shared in (True, False)})
        for shared in (True, False):
            row = by_kind["mma", shared]
            self.assertGreaterEqual(row["min"], 54)
            self.assertEqual(row["samples"], 64 * 8)
            self.assertEqual(sum(count for _, count in row["histogram"]), row["samples"])
            for kind in ("load", "mma", "store"):
                row = by_kind[kind, shared]
                self.assertLessEqual(row["min"], row["median"])
                self.assertLessEqual(row["median"], row["p90"])
                self.assertLessEqual(row["p90"], row["max"])
        self.assertLess(by_kind["load", True]["median"], by_kind["load", False]["median"])

    def test_values_of_axes_can_be_chosen_on_the_command_line(self):
        text = "title: t\naxes: {design: [volta-fp32, turing-fp32], size: [64x64x64, 256x128x64]}\n"
        result, rows, _ = run(text, "--designs", "turing-fp32", "--sizes", "256x128x64")
        self.assertEqual(result.code, 0, result.text)
        self.assertEqual([(row["design"], row["size"]) for row in rows], [("turing-fp32", "256x128x64")])
        with folder() as out:
            file = pathlib.Path(out, "table.yaml")
            file.write_text(text, encoding="utf-8")
            for option, value, message in (("--sizes", "1x1x1", 'it has 64x64x64, 256x128x64'),
                                           ("--layers", "scores", 'no axis "layer"'), ("--sizes", "", "a list")):
                result = spica("experiment", str(file), "--out", f"{out}/x", option, value)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(message, result.text)

    def test_a_program_that_fails_is_a_row_with_the_reason(self):
        result, rows, _ = run("job: run\nconfig: volta-sm\nelf: tensor_loop\naxes:\n"
                              "  accumulate: {argument: [0]}\n  warps: {argument: [4, 65]}\n"
                              "  accumulators: {argument: [2]}\n  operations: {argument: [16]}\n")
        self.assertEqual(result.code, 1, result.text)
        self.assertEqual([row["verified"] for row in rows], [True, False])
        self.assertIn("the result is wrong", rows[1]["error"])


class CoIssue(unittest.TestCase):
    """Steps of the tensor core, floating-point and integer instructions of different warps of one core."""

    def cycles(self, products, floats, integers, *options):
        result = spica("run", "volta-sm", elf("wmma32_co_issue"), "--quiet", "--args",
                       f"products={products},floats={floats},integers={integers}", *options)
        self.assertEqual(result.code, 0, result.text)
        return int(result.out.split("cycles: ")[1].split()[0]) - self.nothing

    def test_products_and_floats_add_up_but_floats_and_integers_do_not(self):
        self.nothing = 0
        self.nothing = self.cycles(0, 0, 0)
        # 3072 instructions of two cycles each, and 96 products of 32 cycles.
        floats, integers, products = self.cycles(0, 512, 0), self.cycles(0, 0, 512), self.cycles(96, 0, 0)
        for time in (floats, integers):
            self.assertGreater(time, 2 * 3072)
        self.assertGreater(products, 96 * 32)
        self.assertGreater(self.cycles(96, 512, 0), 2 * 3072 + 96 * 32)
        self.assertGreater(self.cycles(96, 0, 512), 2 * 3072 + 96 * 32)
        self.assertLess(self.cycles(0, 512, 512), 0.75 * (floats + integers))
        self.assertLess(self.cycles(96, 512, 0, "--set", "cluster.core.shared_operand_paths=false"), 0.8 * (floats + products))

    def test_one_issue_per_cycle_is_a_limit_where_units_are_wide(self):
        self.nothing = 0
        wide = ("--set", "cluster.core.fpu_lanes=32", "--set", "cluster.core.alu_lanes=32")
        self.nothing = self.cycles(0, 0, 0)
        one, each = self.cycles(0, 512, 512, *wide), self.cycles(0, 512, 512, *wide, "--set", "cluster.core.issue=per_warp")
        self.assertGreater(one, 2 * 3072)
        self.assertLess(each, 0.8 * one)
        for scheduler in ("round_robin", "oldest"):
            self.assertGreater(self.cycles(0, 512, 512, *wide, "--set", f"cluster.core.scheduler={scheduler}"), 2 * 3072)


if __name__ == "__main__":
    unittest.main()
