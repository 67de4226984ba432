# SPDX-License-Identifier: Apache-2.0
"""What a run says it rests on: known differences, uncertain parameters, stored sensitivities."""
import fnmatch
import json
import os
import pathlib
import re
import unittest

from spica_runner import folder, spica, stats

CONFIGS = pathlib.Path(os.environ["SPICA_ROOT"]) / "configs"
DEVIATIONS = json.loads((CONFIGS / "fidelity" / "deviations.json").read_text())
SMALL = ("--size", "64x64x64")


def fidelity(*words):
    with folder() as out:
        result = spica(*words, "--out", out)
        assert result.code == 0, result.text
        return stats(out)["fidelity"]


def ids(found):
    return [one["id"] for one in found["deviations"]]


def keys(found):
    return [one["key"] for one in found["uncertain"]]


class Differences(unittest.TestCase):
    def test_a_difference_is_listed_where_its_mechanism_is_at_work(self):
        virgo, tensor = (ids(fidelity("gemm", "--design", design, *SMALL)) for design in ("virgo-dma", "tc"))
        for one in ("D44", "D42"):  # of the matrix unit and the DMA
            self.assertIn(one, virgo)
            self.assertNotIn(one, tensor)
        for one in ("D177", "D52"):  # of tensor cores and their kernel
            self.assertIn(one, tensor)
            self.assertNotIn(one, virgo)
        self.assertIn("D53", virgo)
        self.assertNotIn("D191", virgo + tensor)  # of other machines

    def test_the_mode_decides_too(self):
        found = fidelity("gemm", "--design", "virgo-dma", *SMALL, "--mode", "fast")
        self.assertIsNone(found["sensitivity"])  # of cycles, which the fast mode estimates
        self.assertIn("D102", ids(found))
        self.assertNotIn("D44", ids(found))

    def test_in_the_fast_mode_parameters_of_time_are_not_uncertain(self):
        words = ("gemm", "--design", "virgo-dma", *SMALL)
        self.assertIn("cluster.core.decode_latency", keys(fidelity(*words)))
        self.assertNotIn("cluster.core.decode_latency", keys(fidelity(*words, "--mode", "fast")))

    def test_a_setting_without_effect_is_told(self):
        for setting, reason in (("cluster.mio.writeback.banks=2", "cluster.mio.present is false"),
                                ("cluster.core.offload.operands_at_issue=true", "cluster.core.offload.enabled is false"),
                                ("network.packet_bytes=64", "network.kind is bus"), ("cluster.core.fma_latency=9", None)):
            run = spica("gemm", "--design", "simt", *SMALL, "--set", setting)
            told = f"warning: --set {setting} has no effect: {reason}.\n"
            self.assertEqual(run.err.count("has no effect"), int(reason is not None), run.err)
            self.assertEqual(told in run.err, reason is not None, run.err)
        run = spica("concurrent", "--gemm", "64_64_64_00", "--mode", "fast")  # whose policy is a setting, but not the user's
        self.assertNotIn("has no effect", run.err)
        run = spica("gemm", "--design", "simt", *SMALL, "--mode", "fast", "--set", "cluster.core.fma_latency=9")
        self.assertIn("--set cluster.core.fma_latency=9 has no effect: the fast mode has no such time", run.err)

    def test_queues_of_a_crossbar_concern_machines_that_have_one(self):
        own = ("gemm", "--design", "tc", *SMALL)
        self.assertNotIn("D485", ids(fidelity(*own)))
        self.assertIn("D485", ids(fidelity(*own, "--set", "network.kind=crossbar")))

    def test_what_a_parameter_switches_off_is_not_listed(self):
        words = ("gemm", "--design", "tc", *SMALL)
        self.assertIn("D118", ids(fidelity(*words)))
        self.assertNotIn("D118", ids(fidelity(*words, "--set", "cluster.core.barrier_waits_for_memory=false")))

    def test_energies_and_areas_bring_theirs(self):
        plain, measured = (fidelity("gemm", "--design", "virgo-dma", *SMALL, *more) for more in ((), ("--energy",)))
        self.assertNotIn("D95", ids(plain))
        self.assertIn("D95", ids(measured))
        self.assertIn("D231", ids(measured))
        self.assertEqual(plain["energies"], [])
        self.assertIn("virgo-16nm", measured["energies"][0])

    def test_a_program_better_than_the_published_one_is_named(self):
        found = fidelity("attention", "--design", "virgo-overlapped", "--sequence", "128")
        self.assertEqual(found["improved"], ["D90"])
        self.assertEqual(fidelity("gemm", "--design", "virgo-dma", *SMALL)["improved"], [])

    def test_a_machine_of_the_users_is_the_shipped_one_it_extends(self):
        with folder() as name:
            own = pathlib.Path(name) / "own.yaml"
            own.write_text("extends: tcnext-sm\nrun: {max_cycles: 1000000}\n")
            found = fidelity("gemm", "--design", "mlds-64x64x32", *SMALL, "--config", own)
        self.assertIn("D287", ids(found))


class Conditions(unittest.TestCase):
    def test_conditions_name_keys_designs_machines_and_counters_that_exist(self):
        listed = {one["key"]: one for one in json.loads(spica("config", "--list", "--as", "json").out)}
        counters, facts = set(), {"job", "machine", "energy", "area", "schedule"}
        runs = (("gemm", "--design", "virgo-dma", *SMALL), ("gemm", "--design", "tc", *SMALL),
                ("gemm", "--design", "fp16-hopper", "--size", "128x128x64"), ("gemm", "--design", "ampere-fp16-async", *SMALL),
                ("attention", "--design", "virgo-overlapped", "--sequence", "128", "--causal"))
        for words in runs:
            with folder() as out:
                self.assertEqual(spica(*words, "--out", out).code, 0)
                document = stats(out)
            facts.update(document)
            self.add_counters("stats", document["stats"], counters)
        designs = {path.stem for path in CONFIGS.glob("designs/**/*.yaml")}
        machines = {path.stem for path in CONFIGS.glob("*.yaml")}
        allowed = {"design": designs, "machine": machines, "mode": {"cycle", "fast"},
                   "job": {"gemm", "attention", "concurrent", "stream", "run"}}
        for one in DEVIATIONS:
            paths = re.findall(r"sum\((stats\.[^)]*)\)", one["when"])
            self.assertEqual(len(paths), one["when"].count("stats."), one)
            for path in paths:
                self.assertTrue(fnmatch.filter(counters, path), one)
            for name in re.findall(r'([A-Za-z_][\w.]*)\s*(?:!?=|<|>|\+)', re.sub(r"sum\([^)]*\)", "1", one["when"])):
                if "." in name:
                    self.assertIn(re.sub(r"\.\d+", "[N]", name), listed, one)
                else:
                    self.assertTrue(name in facts or name in listed, (name, one))
            for name, values in re.findall(r'([\w.]+) !?= ("?[\w"|-]+)', one["when"]):
                values = [value.strip('"') for value in values.split("|")]
                choices = allowed.get(name) or listed.get(re.sub(r"\.\d+", "[N]", name), {}).get("choices")
                if choices:
                    self.assertLessEqual(set(values), set(choices), one)

    def add_counters(self, path, tree, counters):
        for name, inner in tree.items():
            if isinstance(inner, dict):
                if "value" in inner:
                    counters.add(f"{path}.{name}")
                self.add_counters(f"{path}.{name}", inner, counters)


class UncertainParameters(unittest.TestCase):
    def test_those_at_their_defaults_of_blocks_that_are_there_are_listed(self):
        words = ("gemm", "--design", "virgo-dma", *SMALL)
        found = keys(fidelity(*words))
        for key in ("bus.request_latency", "l2.mshrs", "cluster.matrix_units.0.operand_rows"):
            self.assertIn(key, found)
        self.assertNotIn("cluster.dcache.mshrs", found)  # its source is the RTL; only the level 2 cache's is uncertain
        self.assertFalse([key for key in found if ".multicast." in key])
        self.assertNotIn("bus.request_latency", keys(fidelity(*words, "--set", "bus.request_latency=7")))

    def test_stored_sensitivities_belong_to_the_designs_as_they_are(self):
        for file in sorted((CONFIGS / "fidelity" / "sensitivity").glob("*.json")):
            stored = json.loads(file.read_text())
            for one in stored["changes"]:
                self.assertGreaterEqual(abs(one["change"]), 0.001)
        stored = json.loads((CONFIGS / "fidelity" / "sensitivity" / "virgo-dma.json").read_text())
        with folder() as out:
            words = ("gemm", "--design", "virgo-dma", "--size", stored["size"], "--out", out)
            result = spica(*words, "--fidelity")
            now = stats(out)["cycles"]
            self.assertAlmostEqual(now / stored["cycles"], 1, delta=0.005)
            strongest = stored["changes"][0]
            row = f"{strongest['key']} +{strongest['from']} +{strongest['to']} +" + re.escape(f"{100 * strongest['change']:+.1f} %")
            self.assertRegex(result.out, row)
            self.assertEqual(spica(*words, "--set", f"{strongest['key']}={strongest['to']}").code, 0)
            self.assertAlmostEqual(stats(out)["cycles"] / now - 1, strongest["change"], delta=0.005)

    def test_a_program_without_stored_sensitivity_says_so(self):
        text = spica("attention", "--design", "tc", "--sequence", "128", "--fidelity").out
        self.assertRegex(text, "By how much they move this result is not measured: .*bus.request_latency")
        self.assertRegex(text, r"D171  Softmax of attention_virgo and attention_tc\n +effect: none on the number of instructions")


if __name__ == "__main__":
    unittest.main()
