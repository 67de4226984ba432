# SPDX-License-Identifier: Apache-2.0
"""What would help a run most: found by running its neighbours, and true when one of them is run by hand."""
import json
import unittest

from spica_runner import elf, folder, spica, stats


class Explain(unittest.TestCase):
    def test_every_step_that_is_shown_takes_the_cycles_that_are_shown(self):
        with folder() as out:
            first = spica("gemm", "--size", "64x64x128", "--set", "cluster.dma.read_ids=4", "--out", f"{out}/run", "--report", f"{out}/r.html")
            self.assertEqual(first.code, 0, first.text)
            found = json.loads(spica("explain", f"{out}/run", "--json", "--budget", "60").out)
            self.assertEqual(found["cycles"], stats(f"{out}/run")["cycles"])
            self.assertLessEqual(found["runs"], 60)
            self.assertGreater(found["parameters"], 100)
            gains = [one["gain"] for one in found["found"]]
            self.assertEqual(gains, sorted(gains, reverse=True))
            # What was made small is among them.
            self.assertIn(("cluster.dma.read_ids", 4, 5), [(one["key"], one["value"], one["tried"]) for one in found["found"][:3]])
            for one in (found["found"][0], found["found"][-1]):
                spica("gemm", "--size", "64x64x128", "--set", "cluster.dma.read_ids=4", "--set", f"{one['key']}={one['tried']}", "--out", f"{out}/hand")
                self.assertEqual(stats(f"{out}/hand")["cycles"], one["cycles"])
                self.assertAlmostEqual(one["gain"], 1 - one["cycles"] / found["cycles"])
                self.assertGreaterEqual(abs(one["gain"]), 0.005)
            said = spica("explain", f"{out}/run", "--budget", "60")
            self.assertRegex(said.out, r"What would help most of the \d+ parameters that were tried: .*cluster.dma.read_ids = 5 instead of 4")
            self.assertIn("parameters were not tried; --budget", said.out)

    def test_a_budget_that_is_too_small_is_said(self):
        with folder() as out:
            self.assertEqual(spica("gemm", "--size", "64x64x64", "--out", f"{out}/run").code, 0)
            for budget in "0", "1", "4":
                result = spica("explain", f"{out}/run", "--budget", budget)
                self.assertEqual(result.code, 2, result.text)
                self.assertRegex(result.err, rf"--budget {budget}: no parameter can be tried with less than 5 runs; \d+ try all \d+ parameters")
            result = spica("explain", f"{out}/run", "--budget", "5")
            self.assertEqual(result.code, 0, result.text)
            self.assertNotIn("0 parameters that were tried", result.out)
            self.assertIn("too small to try any parameter by itself", result.out)

    def test_a_larger_budget_finds_what_a_smaller_one_does_and_more(self):
        with folder() as out:
            spica("gemm", "--size", "64x64x64", "--set", "cluster.dma.read_ids=2", "--out", f"{out}/run")
            before = {}
            for budget in "12", "40", "80":
                found = json.loads(spica("explain", f"{out}/run", "--json", "--budget", budget).out)
                self.assertLessEqual(found["runs"], int(budget))
                now = {(one["key"], one["tried"]): one["cycles"] for one in found["found"]}
                self.assertLessEqual(before.items(), now.items())
                before = now
            self.assertIn(("cluster.dma.read_ids", 3), before)

    def test_a_point_of_a_sweep_is_explained_as_its_run_is(self):
        with folder() as at:
            sweep = f"{at}/s.yaml"
            with open(sweep, "w") as file:
                file.write("axes: {cluster.dma.read_ids: [4, 16]}\nfixed: {design: virgo-dma, size: 64x64x64}\n")
            of_run = json.loads(spica("explain", sweep, "--point", "1", "--json", "--budget", "8").out)
            spica("gemm", "--size", "64x64x64", "--design", "virgo-dma", "--set", "cluster.dma.read_ids=16", "--out", f"{at}/run")
            self.assertEqual(of_run["cycles"], stats(f"{at}/run")["cycles"])
            self.assertEqual(of_run, json.loads(spica("explain", f"{at}/run", "--json", "--budget", "8").out))
            for point, what in (("2", "there is no point 2; the last one is 1"), ("x", "'x' is no number of a point")):
                refused = spica("explain", sweep, "--point", point)
                self.assertEqual(refused.code, 2)
                self.assertIn(what, refused.err)

    def test_a_program_of_ones_own_and_a_folder_that_is_none(self):
        with folder() as out:
            self.assertEqual(spica("run", "virgo", elf("vecadd"), "-q", "--out", f"{out}/run").code, 0)
            found = json.loads(spica("explain", f"{out}/run", "--json", "--budget", "20").out)
            self.assertEqual(found["cycles"], stats(f"{out}/run")["cycles"])
            result = spica("explain", out)
            self.assertEqual(result.code, 2)
            self.assertIn("a folder that --out wrote is expected", result.err)


if __name__ == "__main__":
    unittest.main()
