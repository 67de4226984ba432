# SPDX-License-Identifier: Apache-2.0
"""The table of the four designs: complete, verified, and near the published cycles."""
import csv
import json
import pathlib
import unittest

from spica_runner import folder, spica, stats

# How near to the published cycles cells must stay: 5 %, tc-dma less so (docs/deviations.md, D180). The fourth one, virgo at
# 512x512x512, is known to be off; a machine without the overlap that the program allows would fit it (D150).
WITHIN_TARGET = {("tc", "512x512x512"): 0.05, ("tc-dma", "256x256x256"): 0.08, ("virgo-dma", "256x256x256"): 0.05}
SIZES = "256x256x256", "128x512x512", "512x512x512"


class Experiment(unittest.TestCase):
    def test_table_of_cycles_is_complete_and_near_the_published_values(self):  # long
        self.check_table(*SIZES)

    def test_cells_of_the_smallest_product_are_near_the_published_values(self):
        self.check_table(SIZES[0])

    def test_the_copy_of_a_tile_runs_beside_the_computation_of_another(self):
        cycles = []
        for design in "virgo", "virgo-serial":
            with folder() as out:
                result = spica("gemm", "--design", design, "--size", "64x128x512", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                cycles.append(stats(out)["cycles"])
        self.assertLess(cycles[0], 0.8 * cycles[1])

    def check_table(self, *sizes):
        with folder() as out:
            result = spica("experiment", "virgo-cycles", "--out", out, "--jobs", "2", "--sizes", ",".join(sizes))
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads((pathlib.Path(out) / "results.json").read_text())
            table = list(csv.DictReader((pathlib.Path(out) / "results.csv").open()))
        self.assertEqual(len(rows), 5 * len(sizes))
        self.assertEqual([row["design"] for row in table], [row["design"] for row in rows])
        cycles = {(row["design"], row["size"]): row["cycles"] for row in rows}
        for size in sizes[1:]:
            self.assertLess(cycles["virgo", size], 0.8 * cycles["virgo-serial", size])
        checked = set()
        for row in rows:
            self.assertTrue(row["verified"], row)
            self.assertIn(row["size"], result.out)
            cell = row["design"], row["size"]
            if cell in WITHIN_TARGET:
                self.assertLess(abs(row["cycles"] / row["published_cycles"] - 1), WITHIN_TARGET[cell], row)
                checked.add(cell)
        self.assertEqual(checked, {cell for cell in WITHIN_TARGET if cell[1] in sizes})

    def test_a_cell_that_fails_stays_in_the_table_with_its_reason(self):
        with folder() as out:
            result = spica("experiment", "virgo-cycles", "--out", out, "--jobs", "2", "--set",
                           "run.max_cycles=3000")
            self.assertEqual(result.code, 1, result.text)
            rows = json.loads((pathlib.Path(out) / "results.json").read_text())
        self.assertEqual(len(rows), 15)
        for row in rows:
            self.assertFalse(row["verified"])
            self.assertIn("Stopped at run.max_cycles = 3000", row["error"])

    def test_fp16_table_has_three_sizes_of_each_style(self):
        with folder() as out:
            result = spica("experiment", "fp16-cycles", "--out", out, "--jobs", "2", "--set",
                           "run.max_cycles=3000")
            self.assertEqual(result.code, 1, result.text)
            rows = json.loads((pathlib.Path(out) / "results.json").read_text())
        designs = {row["design"] for row in rows}
        self.assertIn("fp16-virgo", designs)
        self.assertEqual(len(rows), 3 * len(designs))
        self.assertEqual({row["size"] for row in rows}, {"256x256x256", "512x512x512", "1024x1024x1024"})
        for row in rows:  # the limit above ends each run, not a mistake in its arguments
            self.assertIn("Stopped at run.max_cycles = 3000", row["error"])

    def test_another_machine_has_no_published_values_beside(self):
        with folder() as out:
            limit = ("--set", "run.max_cycles=3000")
            same = spica("experiment", "virgo-cycles", "--out", out, "--jobs", "2", *limit, "--set", "cluster.cores=4")
            self.assertIn("published", same.out)
            other = spica("experiment", "virgo-cycles", "--out", out, "--jobs", "2", *limit, "--set",
                          "cluster.dcache.size_bytes=32768")
            rows = json.loads((pathlib.Path(out) / "results.json").read_text())
        self.assertNotIn("5 790 000", other.out)
        self.assertNotIn("| published", other.out)
        self.assertIn("No published values", other.out)
        self.assertFalse(any("published_cycles" in row for row in rows))

    def test_cells_that_are_done_are_taken_over_and_those_of_another_machine_are_not(self):
        with folder() as place:
            table = pathlib.Path(place, "table.yaml")
            table.write_text("axes: {design: [virgo-dma, tc], size: [64x64x64]}\nfixed: {mode: fast}\n")
            out = pathlib.Path(place, "out")

            def run(*options):
                result = spica("experiment", table, "--out", out, "--jobs", "2", *options)
                self.assertEqual(result.code, 0, result.text)
                cells = sorted(out.glob("*-64x64x64/stats.json"))
                self.assertEqual(len(cells), 2)
                return (out / "results.csv").read_bytes(), [cell.stat().st_mtime_ns for cell in cells]
            first = run()
            self.assertEqual(run(), first)
            (out / "tc-64x64x64" / "stats.json").unlink()
            again, times = run()
            self.assertEqual(again, first[0])
            self.assertEqual([now == before for now, before in zip(times, first[1])], [False, True])
            other, times = run("--set", "clock_mhz=500")
            self.assertTrue(all(now != before for now, before in zip(times, first[1])))
            self.assertEqual(run()[0], first[0])  # the folders had results of the other machine

    def test_unknown_experiment_names_those_there_are(self):
        result = spica("experiment", "virgo-cycle")
        self.assertEqual(result.code, 2)
        self.assertIn("virgo-cycles", result.err)


if __name__ == "__main__":
    unittest.main()
