# SPDX-License-Identifier: Apache-2.0
"""The page of a sweep, in a browser."""
import json
import re
import statistics
import unittest

from report_test import CHROMIUM, browser, kOutside, look
from spica_runner import folder
from sweep_desk import Desk


class Page(unittest.TestCase):
    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_browser_draws_a_sweep_and_shows_its_numbers(self):
        with folder() as at:
            desk = Desk(at)
            desk.run("run", "s.yaml")
            self.assertEqual(desk.run("plot", "s.yaml").code, 0)
            page = desk.at / "out/small/report.html"
            self.assertLess(page.stat().st_size, 600_000)
            for theme in "light", "dark":
                seen = browser(f"{page}#check&theme={theme}", at, "--dump-dom")
                self.assertNotIn("CONSOLE", seen.stderr)
                self.assertNotIn("data-error", re.search(r"<html[^>]*>", seen.stdout).group())
                for canvas in re.findall(r"<canvas[^>]*>", seen.stdout):
                    self.assertGreater(int(re.search(r'data-values="(\d+)"', canvas).group(1)), 0, canvas)
                for row in desk.rows():
                    if row["state"] == "ok" and row["fma"] == "4":  # the smallest of them is in the heat map
                        self.assertIn(f"{int(row['cycles']):,}", seen.stdout)
                for title in "Over an axis", "Over two axes", "One value against another", "All axes at once", "What matters most":
                    self.assertIn(title, seen.stdout)
                self.assertIn("do not fit into memory", seen.stdout)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_charts_over_an_axis_compare_points_that_differ_in_nothing_else_or_say_that_they_do_not(self):  # long
        sweep = ("name: small\naxes:\n  design: [tc-dma, virgo-dma]\n  seed: [1, 2, 3]\n  fma: {{key: cluster.core.fma_latency, values: [4, 5]}}\n"
                 "fixed: {{size: 64x64x64}}\nkeep: [cycles]\n{}\n")
        chart = "charts.find((one) => one.canvas.ariaLabel === 'cycles over fma').chart.data.datasets"
        over = ("(() => { const choose = (at, value) => { const one = document.querySelectorAll('#lines + figure select')[at]; one.value = value; "
                "one.dispatchEvent(new Event('change')); }; choose(1, 'fma'); choose(2, 'design'); return ''; })()")
        asked = {"over": over, "sentence": "document.querySelector('.balance')?.textContent ?? ''", "bad": "document.querySelector('.balance')?.className ?? ''",
                 "points": chart + ".map((set) => set.data.filter((one) => one.y !== null).length)",
                 "values": chart + ".map((set) => set.data.map((one) => one.y))",
                 "width": "document.documentElement.scrollWidth", "outside": kOutside, "hidden":
                 "[...document.querySelectorAll('#lines + figure label')].filter((one) => one.hidden).map((one) => one.firstChild.textContent.trim())"}
        cases = {"": r"^A mark is the median of 3 points, which differ in seed; the same ones at every place\.$",
                 "only: not (fma == 5 and seed == 2)": r"^Matched: 8 of 10 points, those that are there with the same seed at every place",
                 "only: (fma == 4 and seed < 3) or (fma == 5 and seed == 3)": r"^Not matched: points at one place and at another differ in seed, too"}
        for only, sentence in cases.items():
            with folder() as at, self.subTest(only):
                desk = Desk(at, sweep.format(only))
                self.assertEqual(desk.run("run", "s.yaml").code, 0)
                self.assertEqual(desk.run("plot", "s.yaml").code, 0)
                said = look(desk.at / "out/small/report.html", at, 360, asked)
                rows = [row for row in desk.rows() if only == "" or "(fma == 4" in only or row["seed"] != "2"]
                self.assertRegex(said["sentence"], sentence)
                self.assertEqual("bad" in said["bad"], sentence.startswith("^Not"))
                self.assertEqual(said["points"], [2, 2])
                for line, design in zip(said["values"], ("tc-dma", "virgo-dma")):
                    for value, fma in zip(line, ("4", "5")):
                        self.assertEqual(value, statistics.median(int(row["cycles"]) for row in rows if (row["design"], row["fma"]) == (design, fma)))
                self.assertLessEqual(said["width"], 360)
                self.assertEqual(said["outside"], [])
                self.assertEqual(said["hidden"], ["design", "fma"])  # what the chart shows is not held

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_page_opens_on_the_axis_with_the_largest_effect_in_bars_for_names_and_colours_in_order(self):
        sweep = ("name: small\naxes:\n  seed: [1, 2]\n  fma: {key: cluster.core.fma_latency, values: [4, 5]}\n  design: [tc-dma, virgo-dma, simt]\n"
                 "fixed: {size: 64x64x64, energy: true}\nkeep: [cycles, total_energy_uj]\n")
        bars = "charts.find((one) => one.canvas.ariaLabel === 'total_energy_uj over design').chart"
        choose = ("(() => { const one = document.querySelector('#lines + figure select'); one.value = 'total_energy_uj'; "
                  "one.dispatchEvent(new Event('change')); return ''; })()")
        cells = "[...document.querySelectorAll('table.heat td.filled')]"
        asked = {"first": "[...document.querySelectorAll('#lines + figure select')].slice(0, 2).map((one) => one.value)", "choose": choose,
                 "type": bars + ".config.type", "ends": bars + ".data.datasets[0].ends", "most": bars + ".scales.y.max",
                 "rows": "document.querySelector('table.heat th').textContent",
                 "cells": cells + ".map((one) => [Number(one.textContent.replace(/,/g, '')), getComputedStyle(one).backgroundColor])",
                 "scale": "document.querySelector('.heat-scale').textContent"}
        with folder() as at:
            desk = Desk(at, sweep)
            self.assertEqual(desk.run("run", "s.yaml").code, 0)
            self.assertEqual(desk.run("plot", "s.yaml").code, 0)
            said = look(desk.at / "out/small/report.html", at, 900, asked)
            rows = desk.rows()
        self.assertEqual(said["first"], ["cycles", "design"])
        self.assertEqual(said["type"], "bar")
        self.assertIn("design", said["rows"])
        lows, highs = ([statistics.median(float(row[f"total_energy_uj_{end}"]) for row in rows if row["design"] == design and row["seed"] == "1")
                        for design in ("tc-dma", "virgo-dma", "simt")] for end in ("low", "high"))
        self.assertGreaterEqual(said["most"], max(highs))
        for ends, wanted in zip(said["ends"], (lows, highs)):
            self.assertEqual(len(ends), 3)
            for end, value in zip(ends, wanted):
                self.assertAlmostEqual(end, value, delta=0.05 * value)  # a line of its own for some of the points
        brightness = [sum(map(int, re.findall(r"\d+", color))) for _, color in sorted(said["cells"])]
        self.assertEqual(brightness, sorted(brightness, reverse=True))
        self.assertGreater(brightness[0] - brightness[-1], 300)
        values = [value for value, _ in said["cells"]]
        self.assertEqual(said["scale"].split(), ["cycles:", f"{min(values):,.0f}", f"{max(values):,.0f}"])

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_front_of_which_a_part_is_drawn_is_not_called_complete(self):
        with folder() as at:
            desk = Desk(at)
            desk.run("run", "s.yaml")
            self.assertEqual(desk.run("plot", "s.yaml").code, 0)
            page = (desk.at / "out/small/report.html")
            text = page.read_text()
            whole = re.search(r'"front_size":([1-9]\d*)', text).group(1)
            self.assertEqual(len(json.loads(re.search(r'"front":(\[[\d,]*\])', text).group(1))), int(whole))
            asked = {"said": "document.querySelector('#pareto + figure p.balance').textContent"}
            complete = look(page, at, 900, asked)["said"]
            page.write_text(text.replace(f'"front_size":{whole}', '"front_size":12345'))
            part = look(page, at, 900, asked)["said"]
        self.assertRegex(complete, rf"^{whole} points? (is|are) the front\.")
        self.assertIn(f"{whole} of the 12,345 points of the front are drawn", part)


if __name__ == "__main__":
    unittest.main()
