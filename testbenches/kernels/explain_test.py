# SPDX-License-Identifier: Apache-2.0
"""What would help a run most: found by running its neighbours, and true when one of them is run by hand."""
import json
import pathlib
import re
import shutil
import unittest

from spica_runner import elf, folder, spica, stats

STREAMS = pathlib.Path(__file__).resolve().parent / "streams" / "streams.cpp"


def better():
    """Which values of a parameter are better hardware, by key; entries of lists as [N]."""
    listed = json.loads(spica("config", "--list", "--as", "json").out)
    return {one["key"]: one["better"] for one in listed if "better" in one}


def explain(*arguments):
    result = spica("explain", *arguments, "--json")
    assert result.code == 0, result.text
    return json.loads(result.out)


def keys_of(found):
    return {*found["tried"], *found["without_effect"], *found["not_tried"]}


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directions = better()

    def check_directions(self, found):
        """No step that is shown is one to worse hardware."""
        for one in found["found"] + found["program"]:
            if one["key"] == "power.voltage":  # the same hardware at less energy
                continue
            direction = self.directions[re.sub(r"\.\d+\.", "[N].", one["key"])]
            self.assertIn(direction, ("less", "more", "program"), one["key"])
            if direction != "program":
                self.assertEqual(float(one["tried"]) > float(one["value"]), direction == "more", one)
        self.assertTrue(all(one["kind"] == "hardware" for one in found["found"]))

    def test_every_step_that_is_shown_takes_the_cycles_that_are_shown(self):
        with folder() as out:
            base = ("gemm", "--size", "64x64x128", "--set", "cluster.dma.read_ids=3", "--energy")
            first = spica(*base, "--out", f"{out}/run", "--report", f"{out}/r.html")
            self.assertEqual(first.code, 0, first.text)
            found = explain(f"{out}/run", "--budget", "28")
            self.assertEqual(found["cycles"], stats(f"{out}/run")["cycles"])
            self.assertEqual(found["total_energy_uj"], stats(f"{out}/run")["total_energy_uj"])
            self.assertLessEqual(found["runs"], 28)
            self.assertGreater(found["parameters"], 100)
            self.check_directions(found)
            gains = [one["gain"] for one in found["found"]]
            self.assertEqual(gains, sorted(gains, reverse=True))
            # What was made small is among them.
            self.assertIn(("cluster.dma.read_ids", "3", "4"), [(one["key"], one["value"], one["tried"]) for one in found["found"][:3]])
            for one in (found["found"][0], found["found"][-1], found["program"][0]):
                spica(*base, *(word for text in one["set"] for word in ("--set", text)), "--out", f"{out}/hand")
                hand = stats(f"{out}/hand")
                self.assertEqual(hand["cycles"], one["cycles"])
                self.assertEqual(hand["total_energy_uj"], one["total_energy_uj"])
                self.assertEqual(hand["area_mm2"], one["area_mm2"])
                self.assertAlmostEqual(one["gain"], 1 - one["time_us"] / found["time_us"])
                self.assertAlmostEqual(one["time_us"], hand["cycles"] / hand["machine"]["clock_mhz"])
            said = spica("explain", f"{out}/run", "--budget", "28")
            self.assertRegex(said.out, r"What would help most of the \d+ parameters that were tried: .*cluster.dma.read_ids = 4 instead of 3")
            self.assertRegex(said.out, r"not tried: \d+ in .*; --budget \d+ is enough")

    def test_worse_hardware_that_happens_to_be_faster_is_noise_and_no_advice(self):  # long
        """A shorter queue, a longer latency: whatever such a machine gains is the floor under all advice."""
        with folder() as out:
            for name, command in (("tc", ("gemm", "--design", "tc", "--size", "64x64x64")),
                                  ("attention", ("attention", "--sequence", "128"))):
                self.assertEqual(spica(*command, "--out", f"{out}/{name}").code, 0)
                found = explain(f"{out}/{name}", "--budget", "80", "--threshold", "0")
                self.check_directions(found)
                noise = found["noise"]
                self.assertGreater(noise["runs"], 4)
                self.assertGreaterEqual(noise["gain"], 0)
                if noise["gain"] > 0:
                    spica(*command, *(word for text in noise["set"] for word in ("--set", text)), "--out", f"{out}/worse")
                    worse = stats(f"{out}/worse")
                    self.assertAlmostEqual(noise["gain"], 1 - worse["cycles"] / found["cycles"])
                said = spica("explain", f"{out}/{name}", "--budget", "80", "--threshold", "0").out
                gains = [float(one) for one in re.findall(r"\(([\d.]+) %\)", said.split("\n")[0])]
                self.assertTrue(all(gain >= 100 * noise["gain"] - 0.05 for gain in gains), said)

    def test_a_run_that_waits_for_memory_tries_memory_first(self):
        with folder() as out:
            slow = ("gemm", "--size", "64x64x128", "--set", "main_memory.back_end=fixed", "--set", "main_memory.fixed.gb_per_s=1")
            self.assertEqual(spica(*slow, "--out", f"{out}/run").code, 0)
            said = stats(f"{out}/run")
            self.assertGreater(said["channels"]["main memory"], 0.7)
            self.assertGreater(said["time_by_part"]["main_memory"], 0.3)
            full = round(100 * said["channels"]["main memory"])
            self.assertEqual(f"Nearly full: main memory {full} %" in said["limiter"], full >= 75, said["limiter"])
            found = explain(f"{out}/run", "--budget", "10")
            self.assertEqual(found["found"][0]["key"], "main_memory.fixed.gb_per_s")

    def test_a_limit_that_holds_for_more_than_5_percent_of_the_cycles_is_named(self):
        named = set()
        for changed in ((), ("--set", "l2.memory_ids=1", "--set", "l2.memory_queue=1")):
            with folder() as out:
                self.assertEqual(spica("gemm", "--size", "64x64x128", *changed, "--out", out).code, 0)
                said = stats(out)
                cycles = said["stats"]["l2"]["activity"]["in_region"]
                share = cycles["blocked"] / sum(cycles.values())
                self.assertEqual(f"l2 {100 * share:.0f} % (room behind the cache)" in said["limiter"], share > 0.05, said["limiter"])
                named.add(share > 0.05)
        self.assertEqual(named, {False, True})

    def test_how_full_channels_were_is_what_was_moved(self):
        with folder() as out:
            result = spica("gemm", "--size", "64x64x128", "--out", f"{out}/run")
            self.assertRegex(result.out, r"\n  channels       main memory \d+ % full, level 2 cache \d+ %, bus \d+ %, DMA \d+ %, shared memory \d+ %\n")
            said = stats(f"{out}/run")
            memory = said["stats"]["main_memory"]
            moved = memory["bytes_read"]["in_region"] + memory["bytes_written"]["in_region"]
            self.assertAlmostEqual(said["channels"]["main memory"], moved / said["machine"]["dram_bytes_per_cycle"] / said["cycles"])

    def test_what_programs_see_is_a_table_of_its_own(self):
        with folder() as out:
            spica("gemm", "--size", "64x64x64", "--out", f"{out}/run")
            found = explain(f"{out}/run", "--budget", "28")
            by_key = {one["key"]: one for one in found["program"]}
            self.assertIn("cluster.matrix_units.0.dim", by_key)
            clock = by_key["clock_mhz"]
            self.assertEqual((clock["value"], clock["tried"]), ("400", "450"))
            # Memory does not become faster with the clock: more cycles, less time.
            self.assertGreater(clock["cycles"], found["cycles"])
            self.assertLess(clock["time_us"], found["time_us"])
            self.assertAlmostEqual(clock["gain"], 1 - clock["time_us"] / found["time_us"])
            voltage = by_key["power.voltage"]
            self.assertEqual(voltage["cycles"], found["cycles"])
            self.assertLess(voltage["total_energy_uj"], found["total_energy_uj"])
            refused = {one["key"]: one["reason"] for one in found["refused"]}
            self.assertIn("a tensor core of this style works on warps of 8 lanes", refused["cluster.core.lanes"])
            self.assertIn("uses one cluster", refused["clusters"])
            self.assertIn("not possible: cluster.core.lanes = 16: ", spica("explain", f"{out}/run", "--budget", "5").out)

    def test_a_budget_that_is_too_small_is_said(self):
        with folder() as out:
            self.assertEqual(spica("gemm", "--size", "64x64x64", "--out", f"{out}/run").code, 0)
            for budget in "0", "1", "4":
                result = spica("explain", f"{out}/run", "--budget", budget)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(f"--budget {budget}: at least 5 runs are needed", result.err)
            result = spica("explain", f"{out}/run", "--budget", "5")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("No single hardware improvement", result.out)
            self.assertRegex(result.out, r"not tried: \d+ in .*l2.*; --budget \d+ is enough")

    def test_the_same_whatever_the_number_of_jobs_and_nothing_is_left_out_of_the_account(self):
        with folder() as out:
            spica("gemm", "--size", "64x64x64", "--out", f"{out}/run")
            first = explain(f"{out}/run", "--budget", "9", "--jobs", "1")
            self.assertEqual(first, explain(f"{out}/run", "--budget", "9", "--jobs", "3"))
            self.assertEqual(keys_of(first), keys_of(explain(f"{out}/run", "--budget", "6")))

    def test_a_larger_budget_finds_the_best_step_of_a_smaller_one(self):  # long
        with folder() as out:
            spica("gemm", "--size", "64x64x64", "--set", "cluster.dma.read_ids=2", "--out", f"{out}/run")
            best = 0
            for budget in "16", "40", "100":
                found = explain(f"{out}/run", "--budget", budget)
                self.assertLessEqual(found["runs"], int(budget))
                gain = max((one["gain"] for one in found["found"]), default=0)
                self.assertGreaterEqual(gain, best)
                best = gain
            self.assertEqual(found["found"][0]["set"], ["cluster.dma.read_ids=3"])

    def test_a_point_of_a_sweep_is_explained_as_its_run_is(self):
        with folder() as at:
            sweep = f"{at}/s.yaml"
            with open(sweep, "w") as file:
                file.write("axes: {cluster.dma.read_ids: [4, 16]}\nfixed: {design: virgo-dma, size: 64x64x64}\n")
            of_run = explain(sweep, "--point", "1", "--budget", "6")
            spica("gemm", "--size", "64x64x64", "--design", "virgo-dma", "--set", "cluster.dma.read_ids=16", "--out", f"{at}/run")
            self.assertEqual(of_run["cycles"], stats(f"{at}/run")["cycles"])
            self.assertEqual(of_run, explain(f"{at}/run", "--budget", "6"))
            for point, what in (("2", "there is no point 2; the last one is 1"), ("x", "'x' is not a point number")):
                refused = spica("explain", sweep, "--point", point)
                self.assertEqual(refused.code, 2)
                self.assertIn(what, refused.err)

    def test_a_program_of_ones_own_and_a_folder_that_is_none(self):
        with folder() as out:
            self.assertEqual(spica("run", "--set", "l2.hit_latency=20", "virgo", elf("vecadd"), "-q", "--out", f"{out}/run").code, 0)
            found = explain(f"{out}/run", "--budget", "8")
            self.assertEqual(found["cycles"], stats(f"{out}/run")["cycles"])
            self.check_directions(found)
            self.assertIn("no result is checked", spica("explain", f"{out}/run", "--budget", "5").out)
            result = spica("explain", out)
            self.assertEqual(result.code, 2)
            self.assertIn("a folder that --out wrote is expected", result.err)

    def test_a_run_is_explained_from_any_folder(self):
        """Files of its command line are found from where it was run."""
        with folder() as out, folder() as elsewhere:
            place = pathlib.Path(out)
            (place / "mine").mkdir()
            shutil.copy(elf("vecadd"), place / "mine/v.elf")
            (place / "mine/m.yaml").write_text("extends: virgo\nl2: {hit_latency: 20}\n")
            first = spica("run", "m.yaml", "v.elf", "-q", "--out", "../results/run", cwd=place / "mine")
            self.assertEqual(first.code, 0, first.text)
            here = spica("explain", "../results/run", "--budget", "5", "--json", cwd=place / "mine")
            there = spica("explain", place / "results/run", "--budget", "5", "--json", cwd=elsewhere)
            self.assertEqual(there.code, 0, there.text)
            self.assertEqual(json.loads(here.out), json.loads(there.out))
            place.joinpath("mine").rename(place / "moved")  # not where it was: looked for here
            refused = spica("explain", place / "results/run", "--budget", "5", cwd=elsewhere)
            self.assertEqual(refused.code, 2)
            self.assertIn("the run cannot be repeated", refused.err)
            self.assertEqual(spica("explain", place / "results/run", "--budget", "5", cwd=place / "moved").code, 0)

    def test_what_a_machine_does_not_use_costs_no_run(self):
        with folder() as out:
            spica("gemm", "--size", "64x64x64", "--set", "cluster.tensor_core.present=false", "--out", f"{out}/run")
            keys = keys_of(explain(f"{out}/run", "--budget", "6"))
            self.assertIn("main_memory.dram.cl", keys)
            for unused in "main_memory.fixed.", "main_memory.dramsys.", "cluster.tensor_core.":
                self.assertFalse([key for key in keys if key.startswith(unused)])

    def test_streams_and_concurrent_products_are_explained(self):
        with folder() as out:
            self.assertEqual(spica("cc", STREAMS, "-I", STREAMS.parents[3], "-o", f"{out}/streams.elf").code, 0)
            with open(f"{out}/s.yaml", "w") as file:
                file.write("program: streams.elf\nconfig: mgpu-2\nset: [l2.hit_latency=20]\nstreams:\n  - name: one\n    steps:\n"
                           "      - {launch: step, grid: 32, args: \"factor=2,addend=1,x=a\"}\n")
            self.assertEqual(spica("stream", f"{out}/s.yaml", "-q", "--out", f"{out}/stream").code, 0)
            products = ("concurrent", "--gemm", "64_64_64_00", "--kernel", "gemm_32x32x16", "--schedule", "cu-partition", "--config", "mgpu-2",
                        "--set", "cluster.barrier.response_latency=20")
            self.assertEqual(spica(*products, "--out", f"{out}/concurrent").code, 0)
            for name in "stream", "concurrent":
                found = explain(f"{out}/{name}", "--budget", "12")
                self.assertEqual(found["cycles"], stats(f"{out}/{name}")["cycles"])
                self.assertGreater(len(found["tried"]), 3)
                self.check_directions(found)
            self.assertEqual(found["found"][0]["key"], "cluster.barrier.response_latency")

    def test_the_fast_mode_and_other_jobs_are_refused_by_name(self):
        with folder() as out:
            spica("gemm", "--size", "64x64x64", "--mode", "fast", "--out", f"{out}/fast")
            result = spica("explain", f"{out}/fast")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("the fast mode has no times to explain", result.err)


if __name__ == "__main__":
    unittest.main()
