# SPDX-License-Identifier: Apache-2.0
"""Energies follow the sizes of the machine: by the law of each entry, with an interval, and said where it is extrapolated."""
import csv
import json
import os
import pathlib
import random
import re
import unittest

from spica_runner import folder, spica, stats

CONFIGS = pathlib.Path(os.environ["SPICA_ROOT"]) / "configs"
TABLE = CONFIGS / "power/virgo-16nm.yaml"

# What energies and idle power of these designs were before energies followed sizes, at 64x64x64. uJ and mW.
PUBLISHED = {"virgo-dma": (0.62248529, 1.31335775, 2.73411570), "tc-dma": (1.22535454, 6.25692790, 13.76758230)}
IDLE_MW = (11.6, 54.3, 251.0)

# Sizes of a machine that can be chosen freely, and the block that is larger then.
AXES = {
    "l2.size_bytes": ([1 << 18, 1 << 19, 1 << 20, 1 << 22], "l2"),
    "cluster.matrix_units.0.accumulator_bytes": ([1 << 14, 1 << 15, 1 << 16, 1 << 18], "matrix_unit"),
    "cluster.core.lanes": ([4, 8, 16, 32], "core"),
    "cluster.core.warps": ([4, 8, 16, 32], "core"),
    "cluster.dcache.size_bytes": ([1 << 13, 1 << 14, 1 << 15, 1 << 16], "dcache"),
    "cluster.icache.size_bytes": ([1 << 13, 1 << 14, 1 << 15, 1 << 16], "icache"),
    "cluster.shared_memory.size": ([1 << 14, 1 << 15, 1 << 16], "shared_memory"),
}


def power(config="virgo", *settings):
    options = [word for one in settings for word in ("--set", one)]
    result = spica("power", "--config", config, "--json", *options)
    assert result.code == 0, result.text
    return json.loads(result.out)


def area_of(kind, *settings):
    options = [word for one in settings for word in ("--set", one)]
    result = spica("area", "virgo", "--json", *options)
    assert result.code == 0, result.text
    return sum(one["area_mm2"]["nominal"] for one in json.loads(result.out)["blocks"] if one["type"] == kind)


def sizes(text):
    return {name: float(value) for name, value in re.findall(r"(\w+) ([\d.e+]+)", text)}


def by_law(event):
    """The factor of an event, from its law as text and the sizes it holds for and has."""
    at, here = sizes(event["at"]), sizes(event["here"])
    total = 0
    terms = event["law"].split(" + ")
    for term in terms:
        value = 1 if len(terms) == 1 else float(term.split()[0])
        for name, exponent in re.findall(r"([a-z]\w*)(?:\^([\d.]+))?", term):
            value *= (here[name] / at[name]) ** float(exponent or 1)
        total += value
    return total


class EnergyLaws(unittest.TestCase):
    def test_at_the_published_machine_every_energy_is_that_of_the_table(self):
        found = power()
        for event in found["events"]:
            for end in "low", "nominal", "high":
                self.assertAlmostEqual(event["factor"][end], 1, delta=1e-3, msg=event["event"])
            self.assertEqual(event["extrapolated"], "", event["event"])
        for end, mw in zip(("low", "nominal", "high"), IDLE_MW):
            self.assertAlmostEqual(found["idle_mw"][end] / mw, 1, delta=1e-3)

    def test_the_published_designs_take_what_they_took(self):
        for design, expected in PUBLISHED.items():
            with self.subTest(design=design), folder() as out:
                result = spica("gemm", "--design", design, "--size", "64x64x64", "--energy", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                window = json.loads((pathlib.Path(out) / "energy.json").read_text())["window"]
                for end, active, idle in zip(("low", "nominal", "high"), expected, IDLE_MW):
                    self.assertAlmostEqual(window["active_uj"][end] / active, 1, delta=1e-3)
                    self.assertAlmostEqual(window["idle_mw"][end] / idle, 1, delta=1e-3)
                self.assertEqual(stats(out)["energy_notes"], "")
                self.assertNotIn("extrapolated", result.out)

    def test_larger_memories_and_wider_cores_take_more_by_their_law(self):
        chance = random.Random(4)
        for pair in range(30):
            key = chance.choice(sorted(AXES))
            values, kind = AXES[key]
            small, large = sorted(chance.sample(values, 2))
            # Another size of the machine is moved in both, so that pairs do not all start from one machine.
            other = chance.choice([one for one in sorted(AXES) if one != key])
            common = ("cluster.tensor_core.present=false", f"{other}={chance.choice(AXES[other][0])}")
            with self.subTest(pair=pair, key=key, small=small, large=large, common=common):
                one, two = (power("virgo", *common, f"{key}={value}") for value in (small, large))
                moved = 0
                for a, b in zip(one["events"], two["events"]):
                    self.assertEqual(a["event"], b["event"])
                    if a["law"].startswith("the same"):
                        self.assertEqual(a["pj"], b["pj"])
                        continue
                    for event in a, b:
                        factor = by_law(event)
                        self.assertAlmostEqual(event["factor"]["nominal"] / factor, 1, delta=2e-3, msg=event)
                        self.assertLessEqual(event["factor"]["low"], event["factor"]["nominal"])
                        self.assertLessEqual(event["factor"]["nominal"], event["factor"]["high"])
                    self.assertGreaterEqual(b["pj"]["nominal"], a["pj"]["nominal"] * (1 - 1e-9), a["event"])
                    moved += b["pj"]["nominal"] > a["pj"]["nominal"] * 1.01 and a["event"].startswith(kind)
                self.assertGreater(moved, 0)
                idle = [{one["block"]: one for one in found["idle"]} for found in (one, two)]
                for name, a in idle[0].items():
                    b = idle[1][name]
                    self.assertAlmostEqual(b["leakage_mw"]["nominal"] / a["leakage_mw"]["nominal"],
                                           b["leaking_um2"] / a["leaking_um2"], delta=1e-6)
                    self.assertAlmostEqual(b["clock_mw"]["nominal"] / a["clock_mw"]["nominal"],
                                           b["clocked_bits"] / a["clocked_bits"], delta=1e-6)
                    if a["type"] == kind:
                        self.assertGreater(b["leakage_mw"]["nominal"], a["leakage_mw"]["nominal"])
                self.assertGreater(two["idle_mw"]["nominal"], one["idle_mw"]["nominal"])
                self.assertGreater(area_of(kind, *common, f"{key}={large}"), area_of(kind, *common, f"{key}={small}"))

    def test_a_multiply_add_takes_the_same_in_every_unit(self):
        """Besides the words of its operands, which the coupled tensor core has in the same entry."""
        text = TABLE.read_text()
        for kind, words in ("fp16", 1), ("tf32", 2), ("bf16", 1), ("fp8", 0.5), ("fp6", 0.5), ("fp4", 0.25):
            entries = re.findall(rf"(?m)^    mac_{kind}: \{{low: ([\d.]+), nominal: ([\d.]+), high: ([\d.]+)", text)
            values = sorted(tuple(map(float, one)) for one in entries)
            self.assertGreaterEqual(len(values), 3)
            for one in values[:-1]:
                self.assertEqual(one, values[0], kind)
            for end, word in enumerate((0.2, 0.5, 1.5)):
                self.assertAlmostEqual(values[-1][end], values[0][end] + words * word, delta=0.001, msg=kind)

    def test_a_size_beyond_the_range_of_a_law_is_said_in_every_result(self):
        with folder() as out:
            result = spica("gemm", "--size", "64x64x64", "--energy", "--set", "l2.size_bytes=8388608", "--out", out)
            self.assertEqual(result.code, 0, result.text)
            note = r"l2\.read, l2\.write, l2\.refill: extrapolated from \d+ KiB to \d+ (?:K|M)iB, \+-\d+ %"
            self.assertRegex(result.out, note)
            self.assertRegex(stats(out)["energy_notes"], note)
            document = json.loads((pathlib.Path(out) / "energy.json").read_text())
            self.assertEqual("; ".join(document["notes"]), stats(out)["energy_notes"])
            zeros = {one["event"] for one in document["zero_entries"]}
            self.assertIn("l2.tag", zeros)
            self.assertNotIn("matrix_unit.mac_fp32", zeros)
            table = pathlib.Path(out) / "zero.yaml"
            table.write_text(f"extends: {TABLE}\nevents: {{matrix_unit: {{mac_fp32: {{low: 0, nominal: 0, high: 0, source: x}}}}}}\n")
            result = spica("gemm", "--size", "64x64x64", "--energy", "--power", table)
            self.assertIn("matrix_unit.mac_fp32: happened 262144 times at 0 pJ", result.out)

    def test_files_of_accelergy_have_the_energies_of_this_machine(self):
        with folder() as out:
            result = spica("gemm", "--size", "64x64x64", "--energy", "--accelergy", f"{out}/acc", "--out", out,
                           "--set", "l2.size_bytes=2097152")
            self.assertEqual(result.code, 0, result.text)
            ert = (pathlib.Path(out) / "acc/ERT.yaml").read_text()
            document = json.loads((pathlib.Path(out) / "energy.json").read_text())
            l2 = ert[ert.index("name: spica.l2\n"):]
            written = float(re.search(r"name: read\n.*\n +energy: ([\d.e-]+)", l2)[1])
            event, = (one for one in document["events"] if one["event"] == "l2.read")
            self.assertAlmostEqual(written / event["per_event_pj"]["nominal"], 1, delta=1e-5)
            self.assertAlmostEqual(written, 0.9 * 4 ** 0.48, delta=1e-4)

    def test_a_memory_of_which_no_device_is_known_is_said(self):
        result = spica("gemm", "--size", "64x64x64", "--energy", "--set", 'main_memory.dram.energy=""')
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("note: DRAM: energies that fit any device, no standby", result.out)
        self.assertNotIn("standby of the DRAM", result.out)

    def test_clock_gating_changes_idle_clocks_alone(self):
        none, block, fine = (power("virgo", f"power.clock_gating={one}") for one in ("none", "block", "fine"))
        self.assertEqual([one["pj"] for one in none["events"]], [one["pj"] for one in fine["events"]])
        for a, b, c in zip(none["idle"], block["idle"], fine["idle"]):
            self.assertGreater(a["clock_mw"]["nominal"], b["clock_mw"]["nominal"])
            self.assertGreater(b["clock_mw"]["nominal"], c["clock_mw"]["nominal"])
            self.assertEqual(a["leakage_mw"], c["leakage_mw"])

    def test_a_clock_or_voltage_out_of_range_is_refused_with_the_range(self):
        refused = spica("gemm", "--size", "64x64x64", "--energy", "--set", "clock_mhz=10000", "--set", "power.voltage=0.3")
        self.assertEqual(refused.code, 2)
        self.assertRegex(refused.err, r"0\.3 V is outside the range of the energy table, 0\.5 to 1\.1 V")
        refused = spica("gemm", "--size", "64x64x64", "--energy", "--set", "clock_mhz=2500")
        self.assertEqual(refused.code, 2)
        self.assertRegex(refused.err, r"2500 MHz is above the highest clock of the energy table, 2000 MHz at 0\.8 V")
        self.assertGreater(power("virgo", "power.voltage=1")["operating_point"]["highest_mhz"], 2000)
        self.assertLess(power("virgo", "power.voltage=0.6")["operating_point"]["highest_mhz"], 2000)

    def test_a_law_that_does_not_fit_the_machine_is_refused_before_the_run(self):
        with folder() as out:
            table = pathlib.Path(out) / "mine.yaml"
            def refusal(entry):
                table.write_text(f"extends: {TABLE}\nevents: {{l2: {{read: {{{entry}}}}}}}\n")
                result = spica("gemm", "--size", "64x64x64", "--energy", "--power", table)
                self.assertEqual(result.code, 2, result.text)
                return result.err
            self.assertRegex(refusal("memory: dta"), r'events\.l2\.read: the law "memory" reads the size bits, which l2 does not have')
            self.assertRegex(refusal("law: memry"), r"events\.l2\.read\.law.* is no law of this table; laws: memory, ")
            self.assertRegex(refusal("at: ways 4"), r"reads the size bits, which `at` does not say")
            self.assertRegex(refusal("at: bits many"), r"is no list of sizes")

    def test_each_memory_has_the_energy_of_its_device(self):
        found = {}
        for device in "ddr3", "ddr4_3200", "lpddr4_3200", "lpddr5_6400", "hbm2", "hbm2e", "gddr6":
            with folder() as out:
                result = spica("gemm", "--size", "64x64x64", "--energy", "--out", out,
                               "--set", f"main_memory={{extends: blocks/{device}.yaml}}")
                self.assertEqual(result.code, 0, result.text)
                document = json.loads((pathlib.Path(out) / "energy.json").read_text())
            window = document["window"]
            counts = {one["event"]: one for one in document["events"]}
            each = {one: counts[f"dram.{one}"]["per_event_pj"]["nominal"] for one in ("read", "activate")}
            found[device] = (each["read"] + each["activate"] / 256) / 8  # pJ per bit of 256 bytes in a row
            self.assertGreater(window["dram_idle_mw"]["nominal"], 0)
            self.assertGreater(counts["dram.activate"]["active_uj"]["nominal"], 0)
            dram, = (one for one in document["blocks"]["children"] if one["name"] == "dram")
            self.assertAlmostEqual(dram["idle_uj"]["nominal"] / window["dram_idle_uj"]["nominal"], 1)
            parts = sum(window[key]["nominal"] for key in ("active_uj", "idle_uj", "dram_uj", "dram_idle_uj"))
            self.assertAlmostEqual(document["total"]["total_energy_uj"]["nominal"] / parts, 1)
            self.assertTrue(document["dram"]["source"])
        self.assertLess(found["hbm2"], found["hbm2e"])
        self.assertLess(found["hbm2e"], found["gddr6"])
        self.assertLess(found["gddr6"], found["ddr4_3200"])
        self.assertLess(found["lpddr5_6400"], found["lpddr4_3200"])
        # Published: 3.92 pJ/bit of HBM2, below 20 of DDR4 (docs/power.md).
        self.assertAlmostEqual(found["hbm2"], 3.92, delta=0.1)
        self.assertLess(found["hbm2"], found["ddr4_3200"] / 2)

    def test_units_that_a_run_does_not_use_are_shown_and_can_be_left_out(self):
        found = []
        for options in (), ("--only-used",), ("--set", "power.only_used=true"):
            with folder() as out:
                result = spica("gemm", "--design", "virgo-dma", "--size", "64x64x64", "--energy", "--out", out, *options)
                self.assertEqual(result.code, 0, result.text)
                document = json.loads((pathlib.Path(out) / "energy.json").read_text())
                found.append((document, stats(out), result.out))
        (plain, full, text), *others = found
        unit, = plain["unused"]
        self.assertEqual((unit["block"], unit["blocks"], unit["left_out"]), ("tensor_core", 4, False))
        self.assertAlmostEqual(unit["idle_mw"]["nominal"], 4 * 0.9, delta=1e-3)
        self.assertIn("not used: 4 x tensor_core", text)
        for document, used, text in others:
            self.assertTrue(document["unused"][0]["left_out"])
            self.assertIn(", left out", text)
            self.assertAlmostEqual(document["window"]["idle_mw"]["nominal"],
                                   plain["window"]["idle_mw"]["nominal"] - unit["idle_mw"]["nominal"])
            self.assertAlmostEqual(used["area_mm2"], full["area_mm2"] - unit["area_mm2"])
            self.assertEqual(document["window"]["active_uj"], plain["window"]["active_uj"])
            idle = sum(one["mw"]["nominal"] for one in document["idle"] if one["term"] != "standby")
            self.assertAlmostEqual(document["window"]["idle_mw"]["nominal"], idle)
        refused = spica("gemm", "--size", "64x64x64", "--area", "--set", "power.only_used=true")
        self.assertEqual(refused.code, 2)
        self.assertIn("only known with --energy", refused.err)

    def test_what_a_sweep_over_sizes_shows_has_a_price_for_the_larger_memory(self):
        with folder() as out:
            file = pathlib.Path(out) / "sizes.yaml"
            file.write_text("""name: sizes
title: what a larger memory costs
axes:
  l2: {key: l2.size_bytes, values: [524288, 8388608]}
  accumulator: {key: cluster.matrix_units.0.accumulator_bytes, values: [16384, 1048576]}
fixed: {design: virgo-dma, size: 64x64x64, energy: true}
keep: [cycles, active_energy_uj, total_energy_uj, area_mm2]
objectives: {total_energy_uj: min, area_mm2: min}
""")
            result = spica("sweep", "run", file, "--dir", f"{out}/s")
            self.assertEqual(result.code, 0, result.text)
            with open(f"{out}/s/results.csv", newline="") as table:
                rows = list(csv.DictReader(table))
            self.assertEqual(len({row["active_energy_uj"] for row in rows}), 4)
            self.assertEqual(len({row["total_energy_uj"] for row in rows}), 4)
            self.assertIn("extrapolated", rows[-1]["energy_notes"])
            table = spica("sweep", "table", file, "--dir", f"{out}/s").out
            self.assertRegex(table, r"(?m)^energy of 2 points: l2\.read, l2\.write, l2\.refill: extrapolated from ")
            self.assertNotIn("energy_notes", table)
            front = spica("sweep", "pareto", file, "--dir", f"{out}/s").out
            self.assertRegex(front, r"(?m)^0 .*")
            self.assertNotIn("l2.read", front)  # the smallest machine is the front, and it is the published one


if __name__ == "__main__":
    unittest.main()
