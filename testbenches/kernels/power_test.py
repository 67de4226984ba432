# SPDX-License-Identifier: Apache-2.0
"""Energy: counts known beforehand, sums that close, and what a user can ask for."""
import json
import pathlib
import re
import unittest

import yaml
from spica_runner import elf, folder, spica, stats

MIB = 1 << 20


def energy(out):
    return json.loads((pathlib.Path(out) / "energy.json").read_text())


def leaves(node):
    return [leaf for child in node["children"] for leaf in leaves(child)] if "children" in node else [node]


def shared_memory(text):
    """Counts of the shared memory in an action-counts file."""
    block = re.search(r"- name: shared_memory\n +action_counts:\n((?: +- name: \w+\n +counts: \d+\n)+)", text)
    return {name: int(count) for name, count in re.findall(r"name: (\w+)\n +counts: (\d+)", block[1])}


class Power(unittest.TestCase):
    def close(self, a, b, what):
        self.assertAlmostEqual(a, b, delta=1e-6 * max(abs(a), abs(b), 1e-9), msg=what)

    def check_sums(self, document):
        """Per block = over time = per line = per event, at each end of the interval."""
        window, whole = document["window"], document["whole_run"]
        for end in ("low", "nominal", "high"):
            total = window["active_uj"][end] + window["dram_uj"][end]
            self.close(sum(leaf["active_uj"][end] for leaf in leaves(document["blocks"])), total, "blocks")
            self.close(sum(event["active_uj"][end] for event in document["events"]), total, "events")
            self.close(sum(step["active_uj"][end] for step in document["over_time"]),
                       whole["active_uj"][end], "time")
            for rows in ("lines", "instructions"):
                self.close(sum(row["active_uj"][end] for row in document[rows]) +
                           sum(row["active_uj"][end] for row in document["unattributed"]), total, rows)
        for span in (window, whole, *document["over_time"], *document["regions"]):
            self.close(sum(span["units_uj"].values()), span["active_uj"]["nominal"], "units")
            self.assertEqual(list(span["units_uj"]), list(whole["units_uj"]))
        edges = [(step["begin"], step["end"]) for step in document["over_time"]]
        self.assertEqual([begin for begin, _ in edges[1:]], [end for _, end in edges[:-1]])
        self.assertEqual((edges[0][0], edges[-1][1]), (whole["begin"], whole["end"]))
        cycles = sum(row["cycles"] for row in document["lines"])
        self.assertEqual(cycles % (window["end"] - window["begin"]), 0, "issue cycles of whole cores")

    def test_operand_words_at_256_cubed_are_exactly_those_of_the_formula(self):
        # b (1/8 + 1/16) bytes per MAC for the tensor core's 16x8 warp tile, b (1/8 + 1/64) for the unit's 64 rows.
        with folder() as out:
            for design, actions, mib in (("tc-dma", ["core_read"], 12),
                                         ("virgo-dma", ["matrix_a_read", "matrix_b_read"], 9)):
                file = pathlib.Path(out) / f"{design}.yaml"
                result = spica("gemm", "--design", design, "--size", "256x256x256", "--activity", file)
                self.assertEqual(result.code, 0, result.text)
                counts = shared_memory(file.read_text())
                self.assertEqual(4 * sum(counts[action] for action in actions), mib * MIB)
                self.assertEqual(4 * counts["dma_write"], 2 * MIB)  # 4 tiles across: A and B each 4 times
                as_json = file.with_suffix(".json")
                spica("gemm", "--design", design, "--size", "64x64x64", "--activity", as_json)
                block = json.loads(as_json.read_text())["blocks"]["cluster_0.shared_memory"]
                self.assertEqual(set(block), set(counts))
                self.assertEqual(4 * sum(block[action]["count"] for action in actions), mib * MIB / 64)

    def test_sums_close_on_every_kind_of_kernel(self):
        runs = [["gemm", "--design", design, "--size", "64x64x64"] for design in ("tc", "tc-dma", "virgo", "virgo-dma")]
        runs += [["run", "virgo", elf(name)] for name in ("saxpy", "reduce", "hello")]
        for arguments in runs:
            with self.subTest(run=arguments), folder() as out:
                result = spica(*arguments, "--energy", "--lines", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.check_sums(energy(out))

    def test_the_decoupled_tensor_core_pays_for_operands_and_accumulators(self):
        with folder() as out:
            result = spica("gemm", "--design", "fp16-hopper", "--size", "128x64x128", "--energy", "--lines", "--out", out)
            self.assertEqual(result.code, 0, result.text)
            document, found = energy(out), stats(out)["stats"]["cluster_0"]
        self.check_sums(document)
        events = {event["event"]: event for event in document["events"]}
        tiles = 128 * 64 * 128 / (16 * 16 * 32)  # products of one instruction
        self.assertEqual(events["decoupled_tensor_core.mac_fp16"]["count"], tiles * 16 * 16 * 32)
        # 64 blocks of 32 bytes; 128 rows of 8 lanes read, and written
        for event, words in (("operand", 64 * 8), ("accumulator_read", 128 * 8), ("accumulator_write", 128 * 8)):
            one = events["decoupled_tensor_core." + event]
            self.assertEqual(one["count"], tiles * words, event)
            self.assertGreater(one["active_uj"]["low"], 0, event)
        cores = [found[f"core_{i}"] for i in range(len([name for name in found if name.startswith("core_")]))]
        def window(counter):
            return sum(core[counter].get("in_region", core[counter]["value"]) for core in cores)
        self.assertEqual(window("accumulator_rows"), tiles * 128)
        self.assertEqual(events["core.commit"]["count"], window("commits") + window("accumulator_rows"))

    def test_looking_at_a_run_does_not_change_it(self):
        with folder() as plain, folder() as watched:
            spica("gemm", "--design", "tc", "--size", "64x64x64", "--out", plain)
            spica("gemm", "--design", "tc", "--size", "64x64x64", "--out", watched, "--energy", "--lines",
                  "--power-window", "100")
            self.assertEqual(stats(plain)["stats"], stats(watched)["stats"])
            self.assertEqual(stats(plain)["simulated_cycles"], stats(watched)["simulated_cycles"])
            steps = energy(watched)["over_time"]
        self.assertEqual({step["end"] - step["begin"] for step in steps[:-1]}, {100})

    def test_what_an_instruction_does_is_charged_to_its_line(self):
        with folder() as out:
            spica("gemm", "--design", "tc-dma", "--size", "64x64x64", "--lines", "--out", out)
            document = energy(out)
        for event in ("core.issue", "core.register_read", "core.register_write", "core.commit",
                      "tensor_core.mac_fp32", "shared_memory.core_read", "core.alu", "icache.read"):
            self.assertFalse(self.residual(document, event), event)
        macs, = (event for event in document["events"] if event["event"] == "tensor_core.mac_fp32")
        self.assertEqual(macs["count"], 64 ** 3)
        wmma = [row for row in document["instructions"] if row.get("text", "").startswith("wmma")]
        self.assertGreaterEqual(sum(row["active_uj"]["nominal"] for row in wmma), macs["active_uj"]["nominal"])
        self.assertTrue(all(row["file"].endswith(".h") or row["file"].endswith(".cpp") for row in wmma))

    @staticmethod
    def residual(document, event):
        """More than requests under way at the edges of the window is left of an event."""
        total, = (one["active_uj"]["nominal"] for one in document["events"] if one["event"] == event)
        rest = sum(row["active_uj"]["nominal"] for row in document["unattributed"] if row["event"] == event)
        return abs(rest) > 0.01 * total

    def test_each_marked_region_has_its_energy(self):
        with folder() as out:
            result = spica("run", "virgo", elf("power_regions"), "--energy", "--lines", "--out", out)
            self.assertEqual(result.code, 0, result.text)
            document = energy(out)
        add, multiply = document["regions"]
        window = document["window"]
        self.assertEqual((window["begin"], window["end"]), (add["begin"], multiply["end"]))
        self.assertLess(add["end"], multiply["begin"])
        # One lane of one core: each multiplication costs 1.3 - 0.1 pJ more than an addition.
        lanes, = (event["count"] for event in document["events"] if event["event"] == "core.multiply")
        self.assertEqual(lanes, 50000)
        more = multiply["active_uj"]["nominal"] - add["active_uj"]["nominal"]
        self.assertAlmostEqual(more, lanes * 1.2e-6, delta=0.15 * lanes * 1.2e-6)
        self.assertRegex(result.out, r"region +from cycle +cycles")
        times = [row for row in document["instructions"] if row.get("text", "").startswith("mul ") and row["function"].startswith("work")]
        self.assertEqual(sum(row["warp_instructions"] for row in times), lanes)

    def test_the_units_of_every_cluster_are_counted(self):
        program = elf("power_clusters")
        def values(group):
            return {name: one["value"] for name, one in group.items() if "value" in one}
        for clusters in 1, 2, 4:
            with self.subTest(clusters=clusters), folder() as out:
                shape = "--set", f"clusters={clusters}"
                self.assertEqual(spica("run", "virgo", program, *shape, "--mode", "fast").code, 0)
                result = spica("run", "virgo", program, *shape, "--energy", "--out", out)
                self.assertEqual(result.code, 0, result.text)  # each cluster's product is right
                found = [stats(out)["stats"][f"cluster_{i}"] for i in range(clusters)]
                for one in found:
                    self.assertEqual(one["matrix_unit_0"]["macs"]["value"], 64 ** 3)
                    self.assertEqual(one["dma_0"]["bytes_stored_global"]["value"], 4 * 64 ** 2)
                    self.assertEqual(values(one["dma_0"]), values(found[0]["dma_0"]))
                    self.assertEqual([one[f"tensor_core_{i}"]["instructions"]["value"] for i in range(4)], 4 * [1])
                for unit in "matrix unit 0", "DMA 0":
                    names = [f"{unit} of cluster {i}" for i in range(clusters)] if clusters > 1 else [unit]
                    for name in names:
                        self.assertRegex(result.out, rf"(?m)^{name}(, reader)?$")
                self.assertIn(f"issue slots of {4 * clusters} cores", result.out)
                document = energy(out)
                soc = next(child for child in document["blocks"]["children"] if child["name"] == "soc")
                parts = [{leaf["name"]: leaf["active_uj"]["nominal"] for leaf in child["children"]}
                         for child in soc["children"] if child["name"].startswith("cluster_")]
                self.assertEqual(len(parts), clusters)
                for unit in "matrix_unit", "dma":
                    each = [part[f"{unit}_0"] for part in parts]
                    self.assertGreater(each[0], 0)
                    for one in each:
                        self.assertAlmostEqual(one / each[0], 1, delta=0.01, msg=unit)
                    self.close(document["window"]["units_uj"][unit], sum(each), unit)

    def test_summary_shows_energy_with_its_interval(self):
        result = spica("gemm", "--size", "64x64x64", "--energy")
        self.assertEqual(result.code, 0, result.text)
        self.assertRegex(result.out, r"energy +[\d.]+ uJ active \([\d.]+ \.\.\. [\d.]+\), [\d.]+ mW")
        self.assertIn("matrix_unit", result.out)
        self.assertNotIn("uJ", spica("gemm", "--size", "64x64x64").out)

    def test_the_total_is_active_and_idle_energy_and_dram(self):
        with folder() as out:
            result = spica("gemm", "--design", "tc-dma", "--size", "64x64x64", "--energy", "--out", out)
            self.assertEqual(result.code, 0, result.text)
            document, figures = energy(out), stats(out)
        window, total = document["window"], document["total"]
        seconds = figures["cycles"] / 400e6
        self.close(window["seconds"], seconds, "window")
        for end in ("low", "nominal", "high"):
            parts = [window[part + "_uj"][end] for part in ("active", "idle", "dram", "dram_idle")]
            self.assertGreater(min(parts), 0)
            self.close(total["total_energy_uj"][end], sum(parts), "energy")
            self.close(total["total_power_mw"][end], sum(parts) * 1e-3 / seconds, "power")
            self.close(total["edp_uj_us"][end], sum(parts) * seconds * 1e6, "energy-delay product")
            self.close(total["pj_per_mac"][end], sum(parts) * 1e6 / 64 ** 3, "per multiply-add")
        for key in ("total_power_mw", "total_energy_uj", "edp_uj_us", "pj_per_mac"):
            self.close(figures[key], total[key]["nominal"], key)
        self.assertTrue(total["has_dram"])
        shown = re.search(r"total +([\d.]+) mW \([\d.]+ \.\.\. [\d.]+\), ([\d.]+) uJ .*: active \+ idle \+ DRAM\n"
                          r" +([\d.]+) uJ us energy-delay product, ([\d.]+) pJ per multiply-add", result.out)
        for text, key in zip(shown.groups(), ("total_power_mw", "total_energy_uj", "edp_uj_us", "pj_per_mac")):
            self.assertAlmostEqual(float(text) / figures[key], 1, delta=0.01, msg=key)

    def test_energy_per_multiply_add_needs_a_program_whose_multiply_adds_are_known(self):
        with folder() as out:
            result = spica("run", "virgo", elf("saxpy"), "--energy", "--out", out)
            self.assertEqual(result.code, 0, result.text)
            self.assertIsNone(stats(out)["pj_per_mac"])
            self.assertIsNone(energy(out)["total"]["pj_per_mac"])
            self.assertGreater(stats(out)["total_power_mw"], stats(out)["active_power_mw"])
            self.assertIn("energy-delay product", result.out)
            self.assertNotIn("per multiply-add", result.out)
            spica("gemm", "--size", "64x64x64", "--energy", "--out", out, "--set", "run.max_cycles=2000")
            self.assertIsNone(stats(out)["pj_per_mac"])  # not all of them were done

    def test_annotate_prints_source_lines_with_cycles_and_energy(self):
        result = spica("annotate", "virgo", elf("saxpy"))
        self.assertEqual(result.code, 0, result.text)
        self.assertRegex(result.out, r"[\d,]+ +[\d.]+ % +[\d,]+ +[\d.e-]+ +[\d.]+ % .*\by\[")
        self.assertRegex(result.out, r"lines [\d.e-]+ uJ \+ unattributed [\d.e-]+ uJ = chip")
        disassembly = spica("annotate", "virgo", elf("saxpy"), "--disassembly", "--top", "5").out
        self.assertEqual(len(re.findall(r"^.* 0x8[0-9a-f]{7} ", disassembly, re.MULTILINE)), 5)

    def test_another_table_another_voltage(self):
        with folder() as out:
            table = pathlib.Path(out) / "mine.yaml"
            base = pathlib.Path(__file__).resolve().parents[2] / "configs/power/virgo-16nm.yaml"
            table.write_text(f"extends: {base}\nevents: {{matrix_unit: {{mac_fp32: {{low: 0, nominal: 0, high: 0}}}}}}\n")
            def active(*options):
                result = spica("gemm", "--size", "64x64x64", "--energy", "--out", out, *options)
                self.assertEqual(result.code, 0, result.text)
                return stats(out)["active_energy_uj"]
            nominal = active()
            macs, = (event["active_uj"]["nominal"] for event in energy(out)["events"]
                     if event["event"] == "matrix_unit.mac_fp32")
            self.close(active("--power", table), nominal - macs, "table")
            self.close(active("--set", "power.voltage=0.6"), nominal * (0.6 / 0.8) ** 2, "voltage")
            table.write_text("voltage: 1\n")
            result = spica("gemm", "--size", "64x64x64", "--power", table)
        self.assertEqual(result.code, 2)
        self.assertIn("events.core.fetch.low: is missing", result.err)

    def test_the_sensitivity_says_what_runs_with_another_table_measure(self):  # long
        with folder() as out:
            page = pathlib.Path(out) / "page.html"
            file = pathlib.Path(out) / "small.yaml"
            file.write_text("axes: {design: [tc-dma, virgo-dma], size: [64x64x64]}\nfixed: {energy: true}\nsensitivity: true\n"
                            "comparisons: [{design: virgo-dma, base: tc-dma}]\n")
            result = spica("experiment", file, "--out", f"{out}/a", "--report", page)
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads((pathlib.Path(out) / "a/results.json").read_text())
            self.assertEqual({row["design"] for row in json.loads((pathlib.Path(out) / "a/cells.json").read_text())},
                             {"tc-dma", "virgo-dma"})
            run = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])["runs"][1]
            for quantity, options in (("active_energy", ("active_energy_uj",)), ("total_energy", ("total_energy_uj",))):
                mine = [row for row in rows if row["quantity"] == quantity]
                self.assertEqual(any(row["coefficient"] == "idle.main_memory.standby" for row in mine), quantity == "total_energy")
                self.assertEqual(mine, sorted(mine, key=lambda row: -row["swing"]))
                self.assertGreater(len(mine), 20)
                self.assertEqual([row["swing"] for row in mine], [row["swing"] for row in run["sensitivity"][quantity]["rows"]])
                # The strongest entries, priors and an idle power, each moved by a table and measured.
                # Energies of the memory's device are in a file of their own.
                of_table = [row for row in mine if not re.match(r"(prior\.)?dram|idle\.main_memory", row["coefficient"])]
                of_kind = lambda kind, most: [row for row in of_table if row["coefficient"].startswith(kind)][:most]
                for row in of_table[:3] + of_kind("prior.", 2) + of_kind("idle.", 1) + of_kind("calibration.", 1):
                    for end in ("low", "high"):
                        measured = self.ratio_with(out, row["coefficient"], end, row[end], options[0])
                        self.close(measured, row[f"ratio_at_{end}"], row)
            self.assertIn(mine[0]["coefficient"], result.out)
            self.assertIn("30 % either way", result.out)

    def ratio_with(self, out, coefficient, end, value, key):
        """Energy of virgo-dma divided by that of tc-dma with an entry of the table, or a prior, at one end."""
        base = pathlib.Path(__file__).resolve().parents[2] / "configs/power/virgo-16nm.yaml"
        table = yaml.safe_load(base.read_text())
        scalar = table["calibration"]["instruction_overhead"]
        group, name = coefficient.split(".", 1)
        changes = []
        for block, entries in table["events"].items():
            for entry, values in entries.items():
                if coefficient == f"{block}.{entry}" or group == "prior" and values.get("prior") == name:
                    to = values[end] / (scalar if values.get("calibrated") else 1)
                    changes.append(f"events: {{{block}: {{{entry}: {{low: 0, nominal: {to:.17g}, high: 1e6}}}}}}")
        if group == "calibration":
            changes = [f"calibration: {{instruction_overhead: {value:.17g}}}"]
        elif group == "idle":
            block, term = name.split(".")
            changes = [f"idle: {{{block}: {{{term}: {{low: 0, nominal: {value:.17g}, high: 1e6}}}}}}"]
        self.assertTrue(changes, coefficient)
        for i, change in enumerate(changes):  # each extends the one before
            base_of = base if i == 0 else pathlib.Path(out) / f"moved{i - 1}.yaml"
            name_of = "moved.yaml" if i + 1 == len(changes) else f"moved{i}.yaml"
            (pathlib.Path(out) / name_of).write_text(f"extends: {base_of}\n{change}\n")
        table = pathlib.Path(out) / "moved.yaml"
        found = []
        for design in ("virgo-dma", "tc-dma"):
            result = spica("gemm", "--design", design, "--size", "64x64x64", "--energy", "--power", table, "--out", f"{out}/b")
            self.assertEqual(result.code, 0, result.text)
            found.append(stats(f"{out}/b")[key])
        return found[0] / found[1]

    def test_table_of_energies_has_both_designs_and_the_qualitative_order(self):  # long
        self.check_energies("256x256x256", "512x512x512")

    def test_energies_of_a_smaller_product_have_the_qualitative_order(self):
        self.check_energies("256x256x256")

    def check_energies(self, *sizes):
        with folder() as out:
            result = spica("experiment", "virgo-energy", "--out", out, "--jobs", "2", "--sizes", ",".join(sizes))
            self.assertEqual(result.code, 0, result.text)
            rows = {(row["design"], row["size"]): row
                    for row in json.loads((pathlib.Path(out) / "results.json").read_text())}
            ratios = {(row["quantity"], row["size"], row["design"]): row["ratio"]
                      for row in json.loads((pathlib.Path(out) / "ratios.json").read_text())}
        for size in sizes:
            tensor, virgo = rows["tc-dma", size], rows["virgo-dma", size]
            for row in (tensor, virgo):
                parts = ("core_uj", "matrix_unit_uj", "shared_memory_uj", "other_uj")
                self.close(sum(row[part] for part in parts), row["active_energy_uj"], "parts")
                total = row["total_energy_uj"]
                self.assertGreater(total, row["active_energy_uj"] + row["dram_uj"])
                self.close(row["pj_per_mac"], total * 1e6 / int(size.split("x")[0]) ** 3, "per multiply-add")
                self.close(row["total_power_mw"], total * 1e-3 / (row["cycles"] / 400e6), "total power")
                self.close(row["edp_uj_us"], total * row["cycles"] / 400, "energy-delay product")
                self.assertLess(row["active_energy_uj_low"], row["active_energy_uj"])
                self.assertLess(row["active_energy_uj"], row["active_energy_uj_high"])
            # Most of the core is issue, most of the saving is in the core, the unit needs more power but less energy.
            self.assertGreater(tensor["core_issue_uj"], 0.5 * tensor["core_uj"])
            saved = tensor["active_energy_uj"] - virgo["active_energy_uj"]
            self.assertGreater(tensor["core_uj"] - virgo["core_uj"], 0.5 * saved)
            self.close(ratios["total_energy", size, "virgo-dma"],
                       virgo["total_energy_uj"] / tensor["total_energy_uj"], "ratio of totals")
            self.assertGreater(ratios["matrix_unit_power", size, "virgo-dma"], 1)
            self.assertLess(ratios["matrix_unit_energy", size, "virgo-dma"], 1)
            self.assertLess(ratios["warp_instructions", size, "virgo-dma"], 0.2)


if __name__ == "__main__":
    unittest.main()
