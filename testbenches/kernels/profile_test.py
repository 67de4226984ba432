# SPDX-License-Identifier: Apache-2.0
"""Profiles: sums that close, numbers known beforehand, programs without debug information."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from spica_runner import elf, folder, spica, stats

SVG = "{http://www.w3.org/2000/svg}"


def profile(out):
    return json.loads((pathlib.Path(out) / "profile.json").read_text())


def folded(out):
    stacks = {}
    for line in (pathlib.Path(out) / "stacks.folded").read_text().splitlines():
        names, cycles = line.rsplit(" ", 1)
        assert names not in stacks
        stacks[tuple(names.split(";"))] = int(cycles)
    return stacks


def row(rows, function):
    return next(row for row in rows if row["function"] == function)


class Profile(unittest.TestCase):
    def run_profile(self, out, *arguments, code=0):
        result = spica(*arguments, "--profile", out, "--out", out)
        self.assertEqual(result.code, code, result.text)
        return result

    def check_sums(self, out):
        document, counted = profile(out), stats(out)
        cores = [block for cluster in counted["stats"].values() if isinstance(cluster, dict)
                 for name, block in cluster.items() if re.fullmatch(r"core_\d+", name)]
        self.assertEqual(document["total_cycles"], counted["simulated_cycles"] * len(cores))
        for rows in ("functions", "lines", "instructions"):
            self.assertEqual(sum(row["cycles"] for row in document[rows]), document["total_cycles"], rows)
            self.assertEqual(sum(row["instructions"] for row in document[rows]), counted["instructions"], rows)
            self.assertEqual(sum(row["lanes"] for row in document[rows]), counted["thread_instructions"], rows)
            for one in document[rows]:
                self.assertEqual(sum(one["reasons"].values()), one["cycles"])
            cycles = [row["cycles"] for row in document[rows]]
            self.assertEqual(cycles, sorted(cycles, reverse=True))
        for reason in cores[0]["issue"]["reasons"]:
            self.assertEqual(document["reasons"].get(reason, 0),
                             sum(core["issue"]["reasons"][reason] for core in cores), reason)
        self.assertEqual(sum(folded(out).values()), document["total_cycles"])
        for one in document["functions"]:
            self.assertEqual(one["total_cycles"], sum(cycles for names, cycles in folded(out).items()
                                                      if one["function"] in names[:-1]), one["function"])
        coalescers = [block for cluster in counted["stats"].values() if isinstance(cluster, dict)
                      for name, block in cluster.items() if name.startswith("coalescer")]
        requests = sum(row.get("global", {}).get("requests", 0) for row in document["instructions"])
        self.assertEqual(requests, sum(block["line_requests"]["value"] + block["single_requests"]["value"]
                                       for block in coalescers))
        accesses = sum(row.get("global", {}).get("accesses", 0) for row in document["instructions"])
        self.assertEqual(accesses, sum(block[kind]["value"] for block in coalescers
                                       for kind in ("loads", "stores", "atomics")))
        shared = sum(row.get("shared", {}).get("accesses", 0) for row in document["instructions"])
        self.assertEqual(shared, counted["stats"]["cluster_0"]["shared_memory"]["core_accesses"]["value"])
        return document

    def check_flame_graph(self, out):
        root = xml.etree.ElementTree.parse(pathlib.Path(out) / "flame.svg").getroot()
        frames = [group for group in root.iter(SVG + "g")]
        self.assertEqual(frames[0].find(SVG + "title").text.split(":")[0], "all")
        self.assertEqual(float(frames[0].find(SVG + "rect").get("width")), 1200)
        for frame in frames:
            rect = frame.find(SVG + "rect")
            self.assertLessEqual(float(rect.get("x")) + float(rect.get("width")), 1200.1)
        return [frame.find(SVG + "title").text for frame in frames]

    def test_the_cycles_of_functions_lines_instructions_and_stacks_are_those_of_the_run(self):
        for design in ("virgo-dma", "tc"):
            with folder() as out:
                self.run_profile(out, "gemm", "--design", design, "--size", "64x64x64")
                document = self.check_sums(out)
                self.assertEqual(document["note"], "")
                titles = self.check_flame_graph(out)
                self.assertTrue(any(title.startswith("main:") for title in titles), titles[:10])
                self.assertIn("by function", (pathlib.Path(out) / "profile.txt").read_text())

    def test_a_profile_is_the_same_twice_and_changes_nothing(self):
        with folder() as first, folder() as second, folder() as bare:
            for out in (first, second):
                self.run_profile(out, "run", "virgo", elf("collatz"))
            self.assertEqual(spica("run", "virgo", elf("collatz"), "--out", bare).code, 0)
            for file in ("profile.json", "profile.txt", "stacks.folded", "flame.svg"):
                self.assertEqual(*((pathlib.Path(out) / file).read_bytes() for out in (first, second)), file)
            self.assertEqual(stats(first)["stats"], stats(bare)["stats"])

    def test_callers_are_those_of_the_program(self):
        with folder() as out:
            self.run_profile(out, "run", "virgo", elf("particles"))
            stacks = folded(out)
            for names, cycles in stacks.items():
                if "move" in names:
                    self.assertIn("simulate", names[:names.index("move")], names)
                self.assertNotIn(("main", "main"), list(zip(names, names[1:])), names)
            self.assertTrue(any(names[:2] == ("_start", "main") for names in stacks), list(stacks)[:5])

    def test_the_worked_example_finds_the_slow_line_and_shows_the_gain(self):
        guide = (pathlib.Path(__file__).parents[2] / "docs/howto/profile.md").read_text()
        with folder() as slow, folder() as fast:
            result = spica("profile", "virgo", elf("particles"), "--by", "line", "--top", "3", "--profile", slow,
                           "--out", slow)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn(result.out.strip(), guide, "the guide shows what the command prints")
            hot = profile(slow)["lines"][0]
            self.assertEqual((hot["function"], pathlib.Path(hot["file"]).name), ("move", "main.cpp"))
            self.run_profile(fast, "run", "virgo", elf("particles_by_field"))
            moves = [row(profile(out)["functions"], "move") for out in (slow, fast)]
            requests = [one["global"]["requests"] / one["global"]["accesses"] for one in moves]
            self.assertEqual(requests, [8, 1], "eight lanes: eight lines, or one")
            before, after = (stats(out)["simulated_cycles"] for out in (slow, fast))
            self.assertIn(f"{before:,}", guide)
            self.assertIn(f"{after:,}", guide)
            self.assertGreater(before, 1.5 * after)

    def test_programs_without_debug_information_or_symbols_are_profiled_too(self):
        strip = shutil.which("riscv64-unknown-elf-strip")
        if strip is None:
            self.skipTest("no strip for RISC-V")
        with folder() as out:
            results = {}
            for name, flags in (("full", None), ("symbols", ["--strip-debug"]), ("bare", ["--strip-all"])):
                program = elf("particles")
                if flags is not None:
                    program = pathlib.Path(out) / f"{name}.elf"
                    subprocess.run([strip, *flags, "-o", program, elf("particles")], check=True)
                self.run_profile(out, "profile", "virgo", program)
                results[name] = self.check_sums(out)
        self.assertEqual(results["full"]["note"], "")
        self.assertIn("no debug information", results["symbols"]["note"])
        self.assertIn("only addresses are known", results["bare"]["note"])
        names = [one["function"] for one in results["symbols"]["functions"]]
        self.assertTrue(any("move" in name for name in names), names)
        self.assertTrue(all(re.fullmatch(r"0x[0-9a-f]{8}|\(no warp runs\)", one["function"])
                            for one in results["bare"]["functions"]))
        instructions = [{one.get("pc"): one["cycles"] for one in results[name]["instructions"]} for name in results]
        self.assertEqual(instructions[0], instructions[1])
        self.assertEqual(instructions[0], instructions[2])

    def test_a_run_that_fails_is_profiled_up_to_its_end(self):
        with folder() as out:
            self.run_profile(out, "profile", "virgo", elf("fault_6"), code=1)
            document = self.check_sums(out)
            self.assertGreater(document["reasons"]["barrier"], 0)

    def test_the_table_has_the_rows_that_were_asked_for(self):
        for by, column in (("function", "with calls"), ("line", "source"), ("instruction", "pc")):
            result = spica("profile", "virgo", elf("particles"), "--by", by, "--top", "4")
            self.assertEqual(result.code, 0, result.text)
            lines = result.out.splitlines()
            title = next(i for i, line in enumerate(lines) if line.startswith("where "))
            self.assertIn(column, lines[title + 1])
            self.assertRegex(lines[title + 6], r"\.\.\. \d+ more")
        result = spica("profile", "virgo", elf("particles"), "--by", "warp")
        self.assertEqual(result.code, 2)


if __name__ == "__main__":
    unittest.main()
