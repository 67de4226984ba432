# SPDX-License-Identifier: Apache-2.0
"""Traces: what each kind shows is what the statistics of the same run counted."""
import collections
import json
import pathlib
import re
import unittest

from spica_runner import elf, folder, spica, stats
from trace_reader import Kanata, Perfetto, Vcd, read_log

FILES = ("t.json", "t.kanata", "t.log", "t.vcd")
PERIOD = 2500  # ps, at 400 MHz


def cores_of(document):
    """Statistics of the cores by number."""
    found = {}
    for cluster, blocks in document["stats"].items():
        if not cluster.startswith("cluster_"):
            continue
        for name, block in blocks.items():
            if re.fullmatch(r"core_\d+", name):
                found[len(found)] = block
    return found


def unit(document, name):
    return document["stats"]["cluster_0"][name]


class Trace(unittest.TestCase):
    def run_traced(self, out, *arguments, files=FILES, code=0):
        self.out = pathlib.Path(out)
        traces = [word for file in files for word in ("--trace", self.out / file)]
        result = spica(*arguments, *traces, "--out", out)
        self.assertEqual(result.code, code, result.text)
        return result

    def gemm(self, out, *arguments, design="virgo-dma", **more):
        return self.run_traced(out, "gemm", "--size", "64x64x64", "--design", design, *arguments, **more)

    def check_perfetto(self, document):
        trace = Perfetto(self.out / "t.json")
        text = {entry["pc"]: entry["text"] for entry in read_log(self.out / "t.log")}
        for core, block in cores_of(document).items():
            issuing = set()
            for slices in trace.of_core(core).values():
                for begin, end, name, event in slices:
                    self.assertIn(name, {"running", *block["issue"]["reasons"]})
                    if name == "running":
                        issuing.update(range(begin, end))
                for before, after in zip(slices, slices[1:]):
                    if before[1] != after[0]:  # it ended and was started again
                        self.assertIn("tmc", text[int(before[3]["args"]["pc"], 16)], (before, after))
            self.assertEqual(len(issuing), block["issue"]["reasons"]["issued"], "cycles with an issue")
            in_flight = [count for _, count in trace.counters[trace.process(f"core {core}"),
                                                               "memory instructions in flight"]]
            self.assertEqual(in_flight[-1:], [0] * bool(in_flight), "all memory instructions end")
        return trace

    def check_kanata(self, document):
        trace = Kanata(self.out / "t.kanata")
        self.assertEqual(trace.retired, document["instructions"])
        for instruction in trace.instructions.values():
            if instruction["flushed"]:
                continue
            names = [name for name, _, _ in instruction["stages"]]
            self.assertRegex("".join(names), "^FDB?IX?C$", instruction)
            for (_, begin, end), (_, after, _) in zip(instruction["stages"], instruction["stages"][1:]):
                self.assertLess(begin, end)
                self.assertEqual(end, after)
        return trace

    def check_log(self, document):
        log = read_log(self.out / "t.log")
        self.assertEqual(len(log), document["instructions"])
        self.assertEqual(sum(bin(entry["lanes"]).count("1") for entry in log), document["thread_instructions"])
        warps = collections.defaultdict(list)
        for entry in log:
            warps[entry["core"], entry["warp"]].append(entry)
        for entries in warps.values():
            self.assertEqual([entry["number"] for entry in entries], list(range(len(entries))))
            self.assertEqual([entry["cycle"] for entry in entries], sorted(entry["cycle"] for entry in entries))
            self.check_values(entries)
        return log

    def check_values(self, entries):
        """What addi makes of values that the log showed before."""
        known, checked = {}, 0
        for entry in entries:
            add = re.fullmatch(r"addi (\w+),(\w+),(-?\d+)", entry["text"])
            full = re.compile("0x[0-9a-f]+")
            if add and add[1] != "zero" and (add[2] == "zero" or full.fullmatch(known.get(add[2], ""))):
                source = 0 if add[2] == "zero" else int(known[add[2]], 16)
                self.assertEqual(int(entry["registers"][add[1]], 16), (source + int(add[3])) & 0xFFFFFFFF, entry)
                checked += 1
            if "tmc" in entry["text"] or "split" in entry["text"] or "join" in entry["text"] or "pred" in entry["text"]:
                known = {}
            known.update(entry["registers"])
        self.assertGreater(checked, 0)

    def check_vcd(self, document):
        trace = Vcd(self.out / "t.vcd")
        self.assertEqual(trace.end, document["simulated_cycles"] * PERIOD)
        for core, block in cores_of(document).items():
            for reason, cycles in block["issue"]["reasons"].items():
                self.assertEqual(trace.time_at(f"core_{core}.issue_slot.{reason}", 1), cycles * PERIOD,
                                 f"core {core} {reason}")
            self.assertEqual(trace.changes[f"core_{core}.running_warps"][-2][1], 0, "all warps have ended")
        return trace

    def test_all_kinds_agree_with_the_statistics_of_a_matrix_product(self):
        with folder() as out:
            self.gemm(out)
            document = stats(out)
            perfetto = self.check_perfetto(document)
            self.check_kanata(document)
            self.check_log(document)
            vcd = self.check_vcd(document)

            arrivals = [name for _, name, _ in perfetto.instants if name.startswith("arrives at barrier")]
            self.assertEqual(len(arrivals), sum(block["barriers"]["value"] for block in cores_of(document).values()))
            matrix, dma = unit(document, "matrix_unit_0"), unit(document, "dma_0")
            works = collections.Counter()
            moved = collections.Counter()
            pid = perfetto.process("cluster_0.matrix_unit_0")
            for (process, _), slices in perfetto.slices.items():
                if process != pid:
                    continue
                for _, _, name, event in slices:
                    works[name.split()[0]] += 1
                    rows = re.search(r"global 0x[0-9a-f]+, (\d+) rows of (\d+) bytes",
                                     event["args"].get("from" if name == "load" else "to", ""))
                    if rows:
                        moved[name] += int(rows[1]) * int(rows[2])
            self.assertEqual(works["load"], matrix["loads"]["value"])
            self.assertEqual(works["store"], matrix["stores"]["value"])
            self.assertEqual(works["compute"], matrix["block_operations"]["value"])
            self.assertEqual(works["command"], matrix["cisc_commands"]["value"] + matrix["mmio_commands"]["value"])
            self.assertEqual(moved["load"], dma["bytes_a"]["value"] + dma["bytes_b"]["value"])
            self.assertEqual(moved["store"], dma["bytes_stored_global"]["value"])
            name = "cluster_0_matrix_unit_0"
            self.assertEqual(vcd.changes[f"{name}.commands"][-2][1], works["command"])
            self.assertEqual(vcd.changes[f"{name}.busy"][-2][1], 0)
            dram = perfetto.counters[perfetto.process("memory"), "DRAM reads"]
            self.assertLessEqual(sum(count for _, count in dram), document["stats"]["main_memory"]["reads"]["value"])
            self.assertGreater(sum(count for _, count in dram), 0)

    def test_tensor_instructions_are_in_all_kinds(self):
        with folder() as out:
            self.gemm(out, design="tc")
            document = stats(out)
            self.check_perfetto(document)
            self.check_kanata(document)
            log = self.check_log(document)
            self.check_vcd(document)
            products = [entry for entry in log if entry["text"].startswith("wmma")]
            self.assertEqual(len(products), sum(block["tensor"]["value"] for block in cores_of(document).values()))
            self.assertTrue(all(len(entry["registers"]) == 8 for entry in products), products[:1])

    def test_a_run_is_the_same_with_and_without_traces_and_traces_are_the_same_twice(self):
        with folder() as first, folder() as second, folder() as bare:
            self.gemm(first)
            self.gemm(second)
            self.run_traced(bare, "gemm", "--size", "64x64x64", "--design", "virgo-dma", files=())
            for file in FILES:
                self.assertEqual(*((pathlib.Path(out) / file).read_bytes() for out in (first, second)), file)
            with_trace, without = stats(first), stats(bare)
            for key in ("cycles", "simulated_cycles", "instructions", "stats", "timeline", "region"):
                self.assertEqual(with_trace[key], without[key], key)


if __name__ == "__main__":
    unittest.main()
