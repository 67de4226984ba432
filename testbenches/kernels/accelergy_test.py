# SPDX-License-Identifier: Apache-2.0
"""What goes to Accelergy and comes from there, in the form of its version 0.4."""
import json
import pathlib
import re
import unittest

from spica_runner import folder, spica, stats

SAMPLE = pathlib.Path(__file__).parent / "accelergy" / "ERT.yaml"


def value(text):
    if text.startswith("{"):
        return dict((key.strip(), value(one.strip())) for key, _, one in (part.partition(":") for part in text[1:-1].split(",") if part))
    if text == "null":
        return None
    return float(text) if re.fullmatch(r"[-+0-9.e]+", text) else text


def parse(lines):
    """The part of YAML that these files use: maps and lists by indentation, maps of values in braces."""
    lines = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]

    def block(at, indent):
        if lines[at].lstrip().startswith("- "):
            found = []
            while at < len(lines) and lines[at].startswith(" " * indent + "- "):
                lines[at] = " " * (indent + 2) + lines[at][indent + 2:]
                inner, at = block(at, indent + 2)
                found.append(inner)
            return found, at
        found = {}
        while at < len(lines) and len(lines[at]) - len(lines[at].lstrip()) == indent and lines[at][indent] != "-":
            key, _, rest = lines[at].strip().partition(":")
            at += 1
            if rest.strip():
                found[key] = value(rest.strip())
            else:
                inner = len(lines[at]) - len(lines[at].lstrip())
                found[key], at = block(at, inner)
        return found, at
    return block(0, 0)[0]


def read(file):
    return parse(pathlib.Path(file).read_text().splitlines())


def components(node, prefix=""):
    """Flat names as Accelergy makes them (accelergy/raw_inputs_2_dicts.py): parts and components joined by dots."""
    found = {}
    for one in node.get("local", []):
        found[f"{prefix}.{one['name']}" if prefix else one["name"]] = one
    for one in node.get("subtree", []):
        found.update(components(one, f"{prefix}.{one['name']}" if prefix else one["name"]))
    return found


class Accelergy(unittest.TestCase):
    def written(self, out, *options):
        result = spica("gemm", "--size", "64x64x64", "--energy", "--accelergy", f"{out}/acc", "--out", f"{out}/run", *options)
        self.assertEqual(result.code, 0, result.text)
        return {name: read(f"{out}/acc/{name}") for name in ("architecture.yaml", "spica.lib.yaml", "action_counts.yaml", "ERT.yaml", "ART.yaml")}

    def test_files_fit_together_and_give_the_energy_and_area_of_the_run(self):
        with folder() as out:
            files = self.written(out)
            for name, key in (("architecture.yaml", "architecture"), ("action_counts.yaml", "action_counts"), ("ERT.yaml", "ERT"), ("ART.yaml", "ART")):
                self.assertEqual(files[name][key]["version"], 0.4)
            machine = components(files["architecture.yaml"]["architecture"])
            counts = components(files["action_counts.yaml"]["action_counts"])
            energies = {one["name"]: {action["name"]: action for action in one["actions"]} for one in files["ERT.yaml"]["ERT"]["tables"]}
            classes = {one["name"]: one for one in files["spica.lib.yaml"]["classes"]}
            self.assertEqual(set(machine), set(counts))
            self.assertEqual(set(machine), set(energies))
            self.assertEqual(machine["spica.cluster_0.core_3"]["class"], "spica_core")
            self.assertEqual(machine["spica.cluster_0.core_3"]["attributes"], {"lanes": 8, "warps": 8})
            attributes = files["architecture.yaml"]["architecture"]["subtree"][0]["attributes"]
            self.assertEqual(attributes, {"technology": "16nm", "voltage": 0.8, "global_cycle_seconds": 2.5e-9})
            active = dram = 0
            for name, one in counts.items():
                of_class = classes[machine[name]["class"]]
                self.assertEqual([action["name"] for action in one["action_counts"]], [action["name"] for action in of_class["actions"]])
                for action in one["action_counts"]:
                    self.assertIsNone(energies[name][action["name"]]["arguments"])
                    uj = action["counts"] * energies[name][action["name"]]["energy"] * 1e-6
                    active, dram = (active, dram + uj) if name == "spica.main_memory" else (active + uj, dram)
            run = stats(f"{out}/run")
            self.assertAlmostEqual(active, run["active_energy_uj"], places=9)
            window = json.loads((pathlib.Path(out) / "run" / "energy.json").read_text())["window"]
            self.assertAlmostEqual(dram, window["dram_uj"]["nominal"], places=9)
            areas = {one["name"]: one["area"] for one in files["ART.yaml"]["ART"]["tables"]}
            report = json.loads(spica("area", "--json").out)
            self.assertNotIn("spica.main_memory", areas)
            self.assertEqual(set(areas), {f"spica.{block['block']}" for block in report["blocks"]})
            for block in report["blocks"]:
                self.assertAlmostEqual(areas[f"spica.{block['block']}"], 1e6 * block["area_mm2"]["nominal"], delta=0.1)

    def test_energies_of_accelergy_are_a_table_that_changes_what_they_say_and_nothing_else(self):
        with folder() as out:
            self.written(out)
            made = spica("power", "--ert", SAMPLE, "--architecture", f"{out}/acc/architecture.yaml")
            self.assertEqual(made.code, 0, made.text)
            table = pathlib.Path(out) / "accelergy.yaml"
            table.write_text(made.out)
            both = [dict(re.findall(r"^(\w+\.\w+) +\S.*?  +([-+.e0-9]+ +[-+.e0-9]+ +[-+.e0-9]+) ", spica("power", name).out, re.M)) for name in ("virgo-16nm", table)]
            changed = {name for name in both[0] if both[0][name].split() != both[1][name].split()}
            self.assertEqual(changed, {"l2.read", "l2.write", "core.fetch", "core.alu"})
            self.assertEqual([both[1][name].split() for name in ("l2.read", "core.fetch", "core.alu")],
                             [["1.25"] * 3, ["10.5"] * 3, ["0.25"] * 3])
            self.assertEqual(spica("gemm", "--size", "64x64x64", "--power", table).code, 0)

    def test_the_table_of_a_run_comes_back_as_it_went_out(self):
        with folder() as out:
            self.written(out)
            made = spica("power", "--ert", f"{out}/acc/ERT.yaml", "--architecture", f"{out}/acc/architecture.yaml")
            (pathlib.Path(out) / "t.yaml").write_text(made.out)
            again = spica("gemm", "--size", "64x64x64", "--power", f"{out}/t.yaml", "--out", f"{out}/again")
            self.assertEqual(again.code, 0, again.text)
            self.assertEqual(stats(f"{out}/again")["active_energy_uj"], stats(f"{out}/run")["active_energy_uj"])

    def test_what_does_not_fit_is_said_all_at_once(self):
        with folder() as out:
            self.written(out)
            ert = pathlib.Path(out) / "ERT.yaml"

            def refused(old, new, *what):
                ert.write_text(SAMPLE.read_text().replace(old, new, 1))
                result = spica("power", "--ert", ert, "--architecture", f"{out}/acc/architecture.yaml")
                self.assertEqual(result.code, 2, result.text)
                for one in what:
                    self.assertIn(one, result.err)
            refused("spica.l2", "spica.l3", '"spica.l3" is not a component of the architecture')
            refused("name: read", "name: peek", '"peek" is not an event of class "spica_l2"')
            refused("energy: 1.25", "energy: many", 'energy of read of spica.l2 is "many"')
            refused("energy: 1.25", "energy: -1", "at least 0")
            refused("energy: 0.25", "energy: 0.5", "alu of spica.cluster_0.core_0 takes 0.25 pJ, but 0.5 before", "all arguments of an action")
            refused("tables:", "lists:", "is not a list of components")
            refused("ERT:", "ART:", "ERT", "a file of Accelergy is expected")
            both = SAMPLE.read_text().replace("spica.l2", "spica.l3").replace("energy: 10.5", "energy: x", 1)
            ert.write_text(both)
            result = spica("power", "--ert", ert, "--architecture", f"{out}/acc/architecture.yaml")
            self.assertIn("spica.l3", result.err)
            self.assertIn("fetch", result.err)
            alone = spica("power", "--ert", ert)
            self.assertEqual(alone.code, 2)
            self.assertIn("give both --ert and --architecture", alone.err)
            fast = spica("gemm", "--accelergy", f"{out}/no", "--mode", "fast")
            self.assertEqual(fast.code, 2)
            self.assertIn("--accelergy: needs the cycle mode", fast.err)


if __name__ == "__main__":
    unittest.main()
