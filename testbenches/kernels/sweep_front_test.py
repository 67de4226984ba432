# SPDX-License-Identifier: Apache-2.0
"""Fronts compare what compares: one work, one timed region, energies with their intervals."""
import json
import unittest

from report_test import CHROMIUM, look
from spica_runner import folder
from sweep_desk import Desk

NETWORK = """
title: a small network
source: made up
layers:
  - {name: head, m: 128, n: 64, k: 128, count: 1}
  - {name: body, m: 128, n: 128, k: 256, count: 7}
"""
FORMATS = """
axes:
  format: [fp16, fp8_e4m3]
  layer: {layers: net.yaml}
fixed: {design: fp16-virgo, energy: true}
keep: [cycles, total_energy_uj, rms_error, limiter]
objectives: {total_energy_uj: min, rms_error: min, cycles: min}
"""
COUNTS = {"head": 1, "body": 7}
SIZES = """
axes:
  design: [tc-dma, virgo-dma]
  size: [64x64x64, 128x128x64]
keep: [cycles]
objectives: {cycles: min}
"""


class Fronts(unittest.TestCase):
    def network(self, at, text=FORMATS):
        desk = Desk(at, text)
        desk.write(NETWORK, "net.yaml")
        self.assertEqual(desk.run("run", "s.yaml").code, 0)
        return desk

    def test_of_layers_the_front_is_that_of_all_products_of_the_network(self):
        with folder() as at:
            desk = self.network(at)
            front = json.loads(desk.run("pareto", "s.yaml", "--json").out)
            text = desk.run("pareto", "s.yaml").out
            each = json.loads(desk.run("pareto", "s.yaml", "--json", "--work", "each").out)
            rows = desk.rows("out/s")
            self.assertIn("limiter: no rule combines the values of layers into that of a network",
                          desk.run("pareto", "s.yaml", "--objective", "limiter:min").err)
        self.assertEqual({row["layer"] for row in front}, {"all 2"})
        self.assertEqual({row["format"] for row in front}, {"fp16", "fp8_e4m3"})
        for row in front:
            own = [one for one in rows if one["format"] == row["format"]]
            for column in ("cycles", "total_energy_uj", "total_energy_uj_low", "total_energy_uj_high"):
                expected = sum(COUNTS[one["layer"]] * float(one[column]) for one in own)
                if column in row:
                    self.assertAlmostEqual(row[column], expected, places=6)
            self.assertEqual(row["rms_error"], max(float(one["rms_error"]) for one in own))
            self.assertLess(row["total_energy_uj_low"], row["total_energy_uj"])
            self.assertLess(row["total_energy_uj"], row["total_energy_uj_high"])
        self.assertIn("all 8 products of net", text)
        self.assertRegex(text, r"[\d.e+]+ \([\d.e+]+ to [\d.e+]+\)")
        self.assertIn("Points of one energy table share its errors", text)
        # Of each layer the better format, not the smallest layer of all.
        self.assertEqual({row["layer"] for row in each}, set(COUNTS))

    def test_a_table_has_the_totals_of_the_network_and_ratios_of_them(self):
        with folder() as at:
            desk = self.network(at, FORMATS + "baseline: {format: fp16}\n")
            values = ("--value", "cycles", "--value", "total_energy_uj", "--value", "limiter")
            rows, text = desk.rows("out/s"), desk.run("table", "s.yaml", *values).out
            total = desk.run("table", "s.yaml", "--work", "total", "--as", "csv", "--value", "cycles").out
            each = desk.run("table", "s.yaml", "--work", "each").out
            pivot = desk.run("table", "s.yaml", "--rows", "format", "--columns", "layer", "--value", "cycles", "--as", "csv").out
            refused = desk.run("table", "s.yaml", "--work", "total", "--value", "limiter")
        cycles = {form: sum(COUNTS[row["layer"]] * int(row["cycles"]) for row in rows if row["format"] == form) for form in ("fp16", "fp8_e4m3")}
        for form, sum_of_it in cycles.items():
            ratio = f"{sum_of_it / cycles['fp16']:.3f}"
            self.assertRegex(text, rf"{form} +all 2 +ok +{sum_of_it:,} +{ratio} ")
            self.assertIn(f"{form},all 2,ok,{sum_of_it},{ratio}", total)
        self.assertIn("Values are of all 8 products of net", text)
        self.assertIn("Not available for a network: limiter", text)
        self.assertNotIn("all 2", each)
        self.assertNotIn("all 2", pivot)
        self.assertIn("head", pivot)
        self.assertEqual(refused.code, 2)
        self.assertIn("limiter: no rule combines the values of layers into that of a network", refused.err)

    def test_ratios_are_of_points_that_compute_the_same(self):
        with folder() as at:
            desk = Desk(at, SIZES + "baseline: {size: 64x64x64}\n")
            refused = desk.run("run", "s.yaml")
            self.assertEqual(refused.code, 2, refused.text)
            self.assertIn("baseline.size: the values of this axis are different work", refused.err)
            desk.write(SIZES + "baseline: {design: tc-dma}\n")
            self.assertEqual(desk.run("run", "s.yaml").code, 0)
            rows = {(row["design"], row["size"]): int(row["cycles"]) for row in desk.rows("out/s")}
            text = desk.run("table", "s.yaml", "--value", "cycles").out
            for size in "64x64x64", "128x128x64":
                self.assertRegex(text, rf"virgo-dma +{size} .* {rows['virgo-dma', size] / rows['tc-dma', size]:.3f}\n")
            shown = ("table", "s.yaml", "--rows", "design", "--columns", "size", "--value", "cycles")
            refused = desk.run(*shown, "--ratio-to", "64x64x64")
            self.assertEqual(refused.code, 2, refused.text)
            self.assertIn("the values of size are different work", refused.err)

    def test_a_network_that_is_cut_says_so_and_one_with_a_layer_left_out_has_no_front(self):
        with folder() as at:
            desk = self.network(at, FORMATS.replace("net.yaml}", "net.yaml, most_columns: 64}"))
            self.assertIn("Layers are cut, so this is not the whole network", desk.run("pareto", "s.yaml").out)
            text = desk.run("pareto", "s.yaml", "--where", 'layer != "head"').out
            self.assertIn("0 points are the front; 0 are worse, 0 miss a constraint, 2 have no result", text)

    def test_each_size_has_a_front_of_its_own_and_sizes_alone_have_none(self):
        with folder() as at:
            desk = Desk(at, SIZES)
            desk.run("run", "s.yaml")
            front = json.loads(desk.run("pareto", "s.yaml", "--json").out)
            self.assertEqual([(row["design"], row["size"]) for row in front], [("virgo-dma", "64x64x64"), ("virgo-dma", "128x128x64")])
            text = desk.run("pareto", "s.yaml").out
            self.assertIn("size 128x128x64:\n", text)
            self.assertIn("Points of different size are not compared.", text)
            alone = desk.run("pareto", "s.yaml", "--where", 'design == "tc-dma"')
            self.assertEqual(alone.code, 2, alone.text)
            self.assertIn("the points compute different work (size 64x64x64; size 128x128x64)", alone.err)
            refused = desk.run("pareto", "s.yaml", "--work", "total")
            self.assertEqual(refused.code, 2)
            self.assertIn("the sweep does not have exactly one axis with layers:", refused.err)
            # As the file says, whatever is known.
            desk.write(SIZES + "work: []\n")
            one = json.loads(desk.run("pareto", "s.yaml", "--json").out)
            self.assertEqual(len(one), 2)  # products of other sizes have other multiply-adds

    def test_points_that_are_timed_over_different_regions_are_not_compared_and_said_to_be_so(self):
        with folder() as at:
            desk = Desk(at, """
                axes: {design: [fp16-virgo, fp16-ampere], region: [results, published]}
                fixed: {size: 128x64x128}
                keep: [cycles]
                objectives: {cycles: min}
                """.replace("\n                ", "\n"))
            self.assertEqual(desk.run("run", "s.yaml").code, 0)
            windows = {(row["design"], row["region"]): row["window"] for row in desk.rows("out/s")}
            self.assertEqual(windows, {("fp16-virgo", "results"): "results", ("fp16-virgo", "published"): "commands",
                                       ("fp16-ampere", "results"): "results", ("fp16-ampere", "published"): "k_blocks"})
            for command in (("table",), ("pareto",)):
                text = desk.run(*command, "s.yaml").out
                self.assertIn("points: commands, from the configuration of loads and stores", text)
                self.assertIn("results of different regions do not compare", text)
            self.assertIn("Points of different work or regions are not compared.", text)
            front = json.loads(desk.run("pareto", "s.yaml", "--json").out)
            self.assertEqual(len(front), 3)  # the better design of the usual region, and each of the others
            usual = desk.run("table", "s.yaml", "--where", 'region == "results"').out
            self.assertNotIn("timed region", usual)
            leads = [(int(row["lead_cycles"]), int(row["cycles"])) for row in desk.rows("out/s") if row["region"] == "results"]
            parts = sorted((100 * lead / cycles, lead) for lead, cycles in leads)
            self.assertIn("set-up before the first load is in the cycles: "
                          + " to ".join(f"{lead:,} cycles ({part:.1f} %)" for part, lead in parts) + ", lead_cycles", usual)

    def test_energies_of_a_sweep_have_their_parts_and_intervals(self):
        with folder() as at:
            desk = Desk(at, "axes: {design: [tc-dma, virgo-dma]}\nfixed: {size: 64x64x64, energy: true}\n")
            desk.run("run", "s.yaml")
            for row in desk.rows("out/s"):
                for end in ("", "_low", "_high"):
                    parts = sum(float(row[f"{part}_energy_uj{end}"]) for part in ("active", "leakage", "clock", "dram"))
                    self.assertAlmostEqual(parts, float(row["total_energy_uj" + end]), places=9)
                for name in ("total_energy_uj", "active_energy_uj", "total_power_mw", "pj_per_mac", "edp_uj_us"):
                    self.assertLess(float(row[name + "_low"]), float(row[name]))
                    self.assertLess(float(row[name]), float(row[name + "_high"]))
                self.assertTrue(row["energy_table"].startswith("virgo-16nm"))

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_the_page_has_the_front_of_the_network_and_of_each_layer_with_intervals(self):
        with folder() as at:
            desk = self.network(at)
            self.assertEqual(desk.run("plot", "s.yaml").code, 0)
            page = desk.at / "out/s/report.html"
            said = look(page, at, 900, {"text": "document.querySelector('#pareto + figure p.balance').textContent",
                                        "works": "[...document.querySelector('#pareto + figure select').options].map((one) => one.textContent)",
                                        "values": "[...document.querySelectorAll('#pareto + figure select')[1].options].map((one) => one.textContent)"})
            data = page.read_text()
        self.assertEqual(said["works"], ["the network", "layer head", "layer body"])
        self.assertIn("total_energy_uj", said["values"])
        self.assertNotIn("total_energy_uj_low", said["values"])
        self.assertIn("2 points are the front", said["text"])
        self.assertIn("Values are of all 8 products of net", said["text"])
        self.assertRegex(data, r'"total_energy_uj_low"')


if __name__ == "__main__":
    unittest.main()
