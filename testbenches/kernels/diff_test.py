# SPDX-License-Identifier: Apache-2.0
"""Why one run takes other cycles and energy than another: the parts add up to the whole."""
import json
import pathlib
import re
import unittest

from report_test import CHROMIUM, browser
from spica_runner import folder, spica, stats


class Diff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = folder()
        cls.runs = [f"{cls.place.name}/{name}" for name in ("virgo-dma", "tc-dma", "slow")]
        for run, more in zip(cls.runs, (["--design", "virgo-dma"], ["--design", "tc-dma"],
                                        ["--design", "virgo-dma", "--set", "l2.hit_latency=40"])):
            result = spica("gemm", *more, "--size", "64x64x128", "--energy", "--lines", "--out", run)
            assert result.code == 0, result.text

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_changes_of_the_reasons_of_every_account_add_up_to_the_change_of_cycles(self):
        for before, after in (self.runs[:2], (self.runs[0], self.runs[2])):
            found = json.loads(spica("diff", before, after, "--json").out)
            self.assertEqual((found["cycles"]["before"], found["cycles"]["after"]), (stats(before)["cycles"], stats(after)["cycles"]))
            self.assertGreater(len(found["accounts"]), 8)
            for account in found["accounts"]:
                self.assertAlmostEqual(sum(reason["delta"] for reason in account["reasons"]), found["cycles"]["delta"], msg=account["name"])
            self.assertAlmostEqual(sum(unit["delta"] for unit in found["units_uj"]), found["energy_uj"]["delta"], places=6)
            self.assertAlmostEqual(sum(unit["after"] for unit in found["units_uj"]), found["energy_uj"]["after"], places=6)

    def test_three_sentences_name_the_amount_the_reasons_and_the_units(self):
        result = spica("diff", *self.runs[:2])
        self.assertEqual(result.code, 0, result.text)
        first, second, third = result.out.splitlines()[:3]
        cycles = [stats(run)["cycles"] for run in self.runs]
        self.assertIn(f"tc-dma takes {cycles[1]:,} cycles, {cycles[1] - cycles[0]:,} or ", first)
        self.assertIn("more than virgo-dma", first)
        self.assertRegex(second, r'In the account "core issue".*more issued')
        self.assertRegex(third, r"Total energy is [\d.]+ uJ instead of [\d.]+ \(\+.* within the ranges of the energy table: active [\d.]+ instead of "
                                r".*, leakage .*, clock .*, DRAM .*\. By unit, in uJ: .*core \+[\d.]+.* matrix unit -")
        self.assertRegex(result.out, r"tensor_core_multiply\S* +0 ")
        slow = spica("diff", self.runs[2], self.runs[0]).out
        self.assertRegex(slow.splitlines()[0], r"[\d,]+ or [\d.]+ % less than slow")

    def test_energy_is_the_total_of_its_four_parts_as_in_the_results_of_each_run(self):
        found = json.loads(spica("diff", *self.runs[:2], "--json").out)
        first, second = (stats(run) for run in self.runs[:2])
        self.assertEqual((found["energy_uj"]["before"], found["energy_uj"]["after"]), (first["total_energy_uj"], second["total_energy_uj"]))
        self.assertEqual([part["name"] for part in found["energy_parts_uj"]], ["active", "leakage", "clock", "DRAM"])
        for part in found["energy_parts_uj"]:
            self.assertEqual(part["after"], second[f"{part['name'].lower()}_energy_uj"])
        self.assertAlmostEqual(sum(part["after"] for part in found["energy_parts_uj"]), second["total_energy_uj"], places=9)
        for end in ("low", "high"):
            self.assertEqual(found[f"energy_{end}_uj"]["after"], second[f"total_energy_uj_{end}"])
            parts = sum(second[f"{part}_energy_uj_{end}"] for part in ("active", "leakage", "clock", "dram"))
            self.assertAlmostEqual(parts, second[f"total_energy_uj_{end}"], places=9)

    def test_runs_that_the_ranges_of_the_table_do_not_tell_apart_are_said_to_be_so(self):
        text = spica("diff", self.runs[0], self.runs[0]).out
        self.assertNotIn("cannot be distinguished", text)  # they are equal
        with folder() as out:
            apart = spica("diff", *self.runs[:2]).out
            self.assertNotIn("cannot be distinguished", apart)
            for name, low, high in (("a", 5, 20), ("b", 4, 21)):
                run = pathlib.Path(out) / name
                run.mkdir()
                (run / "stats.json").write_text(json.dumps(dict(stats(self.runs[0]), energy_table="t")))
                total = {"low": low, "nominal": 10, "high": high}
                (run / "energy.json").write_text(json.dumps({"total": {"total_energy_uj": total}, "blocks": {}, "window": {}}))
            self.assertIn("-20.0 % to +5.0 % within the ranges of the energy table, so they cannot be distinguished",
                          spica("diff", f"{out}/a", f"{out}/b").out)

    def test_runs_that_are_timed_over_different_regions_are_said_to_be_so(self):
        with folder() as out:
            for name, more in (("usual", ()), ("published", ("--region", "published"))):
                result = spica("gemm", "--design", "fp16-virgo", "--size", "128x64x128", "--out", f"{out}/{name}", *more)
                self.assertEqual(result.code, 0, result.text)
            first = spica("diff", f"{out}/usual", f"{out}/published").out.splitlines()[0]
            self.assertIn("timed over different regions, so their cycles and energies cannot be compared", first)
            self.assertIn("usual: from the first load to the moment the last result is in memory", first)
            self.assertIn("published: from the configuration of loads and stores", first)
            same = spica("diff", f"{out}/published", f"{out}/published").out
            self.assertIn("Both runs time an unusual region: from the configuration", same)
        self.assertIn("takes", spica("diff", *self.runs[:2]).out.splitlines()[0])  # else nothing is said of it

    def test_notes_on_energies_are_those_of_both_runs(self):
        with folder() as out:
            for name, more in (("small", ()), ("large", ("--set", "l2.size_bytes=8388608"))):
                self.assertEqual(spica("gemm", "--size", "64x64x64", "--energy", "--out", f"{out}/{name}", *more).code, 0)
            text = spica("diff", f"{out}/small", f"{out}/large").out
            found = json.loads(spica("diff", f"{out}/small", f"{out}/large", "--json").out)
            for name, key in (("small", "before"), ("large", "after")):
                own = {note for note in stats(f"{out}/{name}")["energy_notes"].split("; ") if note}
                self.assertEqual({note["text"] for note in found["energy_notes"] if note[key]}, own)
            self.assertRegex(text, r"Note on the energy of large: .*extrapolated")
            self.assertEqual(text.count("Note on the energy of "), len(found["energy_notes"]))

    def test_set_up_that_is_another_part_of_the_region_is_said(self):
        with folder() as out:
            for design in "tc-dma", "virgo-dma":
                spica("gemm", "--design", design, "--size", "64x64x64", "--out", f"{out}/{design}")
            first, second = stats(f"{out}/tc-dma"), stats(f"{out}/virgo-dma")
            said = spica("diff", f"{out}/tc-dma", f"{out}/virgo-dma").out.splitlines()
            self.assertIn(f"Set-up before the first load of an operand takes {first['lead_cycles']:,} cycles "
                             f"({100 * first['lead_cycles'] / first['cycles']:.1f} %) in tc-dma, {second['lead_cycles']:,} cycles "
                             f"({100 * second['lead_cycles'] / second['cycles']:.1f} %) in virgo-dma.", said)

    def test_a_run_is_no_different_from_itself(self):
        result = spica("diff", self.runs[0], self.runs[0])
        self.assertIn("as many as virgo-dma", result.out)
        self.assertIn("has not changed", result.out)
        found = json.loads(spica("diff", self.runs[0], self.runs[0], "--json").out)
        self.assertEqual({reason["delta"] for account in found["accounts"] for reason in account["reasons"]}, {0})

    def test_a_folder_without_statistics_is_refused(self):
        result = spica("diff", self.runs[0], "/nowhere")
        self.assertEqual(result.code, 2)
        self.assertIn("/nowhere has no stats.json", result.err)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_browser_draws_the_waterfalls(self):
        page = pathlib.Path(self.place.name) / "diff.html"
        self.assertEqual(spica("diff", *self.runs[:2], "--report", page).code, 0)
        seen = browser(page, self.place.name, "--dump-dom")
        self.assertNotIn("CONSOLE", seen.stderr)
        dom = re.search(r"<html[^>]*>", seen.stdout).group()
        self.assertNotIn("data-error", dom)
        canvases = re.findall(r"<canvas[^>]*>", seen.stdout)
        self.assertGreater(len(canvases), 8)
        for canvas in canvases:
            self.assertGreater(int(re.search(r'data-painted="(\d+)"', canvas).group(1)), 500, canvas)


if __name__ == "__main__":
    unittest.main()
