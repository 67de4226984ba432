# SPDX-License-Identifier: Apache-2.0
"""Sampled runs: intervals that hold the full run, nothing left out is the full run, and what is refused."""
import json
import os
import pathlib
import unittest

from spica_runner import folder, spica, stats
from sweep_desk import Desk

SEEDS = int(os.environ.get("SPICA_SAMPLE_SEEDS", 3))
# Design, configuration, size: 32 waves of two work groups on one multiprocessor, 64 waves of 16 on eight clusters; loops
# of tiles.
GRIDS = [("cutlass13-nn", "titanv-sm", "1024x1024x32")]
LOOPS = [("virgo-dma", "virgo", "1024x1024x128"), ("tc-dma", "virgo", "768x768x64")]
MORE = [("cutlass13-nn", "titanv-sm", "2048x2048x64"), ("gemm-tile", "mgpu-8", "1024x1024x32"),
        ("mlds-64x64x32", "tcv1-sm", "1024x1024x64")]


def gemm(grid, *options):
    design, config, size = grid
    return spica("gemm", "--design", design, "--config", config, "--size", size, *options)


class Sampled(unittest.TestCase):
    def setUp(self):
        self.work = folder()

    def tearDown(self):
        self.work.cleanup()

    known = {}  # of (grid, options)

    def results(self, grid, *options):
        """Of a run that tests share."""
        if (grid, options) not in self.known:
            self.known[grid, options] = self.run_again(grid, *options)
        return self.known[grid, options]

    def run_again(self, grid, *options):
        out = pathlib.Path(self.work.name, "out")
        result = gemm(grid, "--energy", "--out", out, *options)
        self.assertEqual(result.code, 0, result.text)
        return stats(out), result.text

    def test_intervals_hold_the_full_run(self):
        for grid in GRIDS + LOOPS + (MORE if SEEDS > 3 else []):
            full, _ = self.results(grid)
            held = {"cycles": 0, "energy_uj": 0}
            for seed in range(SEEDS):
                data, text = self.results(grid, "--sample", f"error=2%,max=100%,seed={seed}")
                sample = data["sample"]
                self.assertTrue(data["projected"])
                self.assertIsNone(data["verified"])
                self.assertIn("not verified", text)
                self.assertLess(abs(data["cycles"] / full["cycles"] - 1), 0.05)
                held["cycles"] += sample["cycles"]["low"] <= full["simulated_cycles"] <= sample["cycles"]["high"]
                energy = full["total_energy_uj"] if full["region"] is None else None
                if energy is not None:
                    held["energy_uj"] += sample["energy_uj"]["low"] <= energy <= sample["energy_uj"]["high"]
            for metric, count in held.items():
                if metric == "energy_uj" and full["region"] is not None:
                    continue
                self.assertGreaterEqual(count, SEEDS - max(1, SEEDS // 10), (grid, metric))

    def test_all_work_groups_or_units_are_the_full_run(self):
        for run in GRIDS[0], LOOPS[0]:
            full, _ = self.results(run)
            data, _ = self.results(run, "--sample", "error=0%")
            self.assertTrue(data["verified"])
            for key in ("cycles", "simulated_cycles", "instructions", "thread_instructions", "total_energy_uj", "stats"):
                self.assertEqual(data[key], full[key], key)
            self.assertEqual(data["sample"]["share_simulated"], 1)
            self.assertEqual(data["sample"]["work_groups"], data["sample"]["work_groups_simulated"])
            self.assertEqual(data["sample"]["cycles"]["low"], data["sample"]["cycles"]["high"])

    def test_work_groups_that_depend_on_others_are_refused(self):
        tests = pathlib.Path(__file__).resolve().parent
        for source, kernel, code, text in [("work_groups/groups.cpp", "sums", 2, "atomic operations on memory"),
                                           ("sample/uneven.cpp", "chain", 1, "")]:
            program = pathlib.Path(self.work.name, "program.elf")
            made = spica("cc", tests / source, "-o", program)
            self.assertEqual(made.code, 0, made.text)
            result = spica("run", "virgo", program, "--kernel", kernel, "--grid", 3000, "--sample", "auto", "--set",
                           "dispatcher.present=true", "--set", "run.max_cycles=3000000")
            self.assertEqual(result.code, code, result.text)
            self.assertIn(text, result.err)
            self.assertNotIn("waves of work groups measured", result.out)

    def test_a_change_after_nine_tenths_is_seen(self):
        program = pathlib.Path(self.work.name, "uneven.elf")
        self.assertEqual(spica("cc", pathlib.Path(__file__).resolve().parent / "sample/uneven.cpp", "-o", program).code, 0)

        def run(sample):
            out = pathlib.Path(self.work.name, "out")
            result = spica("run", "virgo", program, "--kernel", "change", "--grid", 3000, "--set", "dispatcher.present=true",
                           "--set", "l2.size_bytes=32KiB", "--out", out, "--sample", sample)
            self.assertEqual(result.code, 0, result.text)
            return stats(out)
        full, held = run("error=0%"), 0
        for seed in range(SEEDS):
            data = run(f"error=2%,seed={seed}")
            self.assertLess(abs(data["cycles"] / full["cycles"] - 1), 0.02, seed)
            held += data["sample"]["cycles"]["low"] <= full["cycles"] <= data["sample"]["cycles"]["high"]
            self.assertLess(data["sample"]["work_groups_simulated"], 2000)
        self.assertGreaterEqual(held, 2 * SEEDS // 3)

    def units(self, kind, *options, code=0):
        """A run of units.cpp."""
        program = pathlib.Path(self.work.name, "units.elf")
        if not program.exists():
            source = pathlib.Path(__file__).resolve().parent / "sample/units.cpp"
            self.assertEqual(spica("cc", source, "-o", program).code, 0)
        out = pathlib.Path(self.work.name, "out")
        result = spica("run", "virgo", program, "--args", f"u32:400,u32:{kind},u64:0xA0000000", "--energy", "--out", out, *options)
        self.assertEqual(result.code, code, result.text)
        return stats(out) if code == 0 else result

    def test_loops_of_any_program_are_sampled(self):
        for kind, error in enumerate((0.01, 0.02, 0.02)):  # the same, a change after nine tenths, uneven
            full = self.units(kind, "--sample", "error=0%")
            self.assertEqual(full["cycles"], self.units(kind)["cycles"])
            held = 0
            for seed in range(SEEDS):
                data = self.units(kind, "--sample", f"error={error},max=90%,seed={seed}")
                sample, cycles = data["sample"], full["sample"]["cycles"]["nominal"]
                self.assertEqual(sample["unit"], "unit of a loop")
                self.assertLess(sample["share_simulated"], 0.9)
                self.assertLess(abs(sample["cycles"]["nominal"] / cycles - 1), 2 * error, (kind, seed))
                held += sample["cycles"]["low"] <= cycles <= sample["cycles"]["high"]
            self.assertGreaterEqual(held, SEEDS - max(1, SEEDS // 10), kind)

    def test_loops_that_do_not_add_up_are_refused(self):
        for kind, text in [(3, "more than one nest of loops of units"), (4, "warps have different loops of units")]:
            result = self.units(kind, "--sample", "auto", code=2)
            self.assertIn(text, result.err)
            self.assertNotIn("units measured", result.out)

    def test_a_sweep_keeps_sampled_and_full_runs_apart(self):
        design, config, size = GRIDS[0]
        desk = Desk(self.work.name, f"""
name: both
config: {config}
axes: {{sample: ["error=0%", "error=2%,max=100%"]}}
fixed: {{design: {design}, size: {size}}}
keep: [cycles, cycles_low, cycles_high, projected, sample.cycles.sampling, sample.work_groups_simulated]
objectives: {{cycles: min}}
""")
        first = desk.run("run", "s.yaml")
        self.assertIn("0 of 2 runs had a record, 2 ran: 2 ok", first.out)
        full, sampled = desk.rows("out/both")
        self.assertEqual((full["projected"], sampled["projected"]), ("false", "true"))
        self.assertEqual((full["cycles_low"], full["sample.cycles.sampling"]), ("", "0"))
        low, nominal, high = (float(sampled[name]) for name in ("cycles_low", "cycles", "cycles_high"))
        self.assertTrue(low < nominal < high, sampled)
        self.assertTrue(low <= float(full["cycles"]) <= high, (full, sampled))
        self.assertLess(int(sampled["sample.work_groups_simulated"]), int(full["sample.work_groups_simulated"]))
        # A run without the option is a third one: its record is neither of these.
        desk.write((desk.at / "s.yaml").read_text().replace('axes: {sample: ["error=0%", "error=2%,max=100%"]}', ""))
        self.assertIn("runs: 1 missing", desk.run("status", "s.yaml").out)

    def test_a_seed_gives_the_same_run(self):
        first, _ = self.results(GRIDS[0], "--sample", "error=2%,max=100%,seed=0")
        second, _ = self.run_again(GRIDS[0], "--sample", "error=2%,max=100%,seed=0")
        self.assertEqual(json.dumps(first["sample"]), json.dumps(second["sample"]))

    def test_what_cannot_be_sampled_is_refused(self):
        small = ("cutlass13-nn", "titanv-sm", "256x256x32")
        for arguments, text in [
                ((small, "--sample", "auto"), "a sample needs at least 30"),
                ((GRIDS[0], "--sample", "error=1"), "error=0%"),
                ((GRIDS[0], "--sample", "auto", "--mode", "fast"), "needs the cycle mode"),
                ((GRIDS[0], "--sample", "auto", "--check", "hazards", "--profile", self.work.name), "leave out --check, --profile"),
                ((("virgo-dma", "virgo", "256x128x64"), "--sample", "auto"), "the loop has 8 units; a sample needs at least 30"),
                ((("virgo-dma-swish", "virgo", "256x256x64"), "--sample", "auto"), "total work of this program is unknown")]:
            result = gemm(*arguments)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.text)


if __name__ == "__main__":
    unittest.main()
