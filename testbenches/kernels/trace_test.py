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

    def check_phases(self, trace, document):
        """The row above: the same time, in a few pieces."""
        states = phases = 0
        for core in cores_of(document):
            rows = trace.phases_of_core(core)
            slices_of = trace.of_core(core)
            self.assertEqual(set(rows), set(slices_of))
            for warp, row in rows.items():
                left = list(slices_of[warp])
                states, phases = states + len(left), phases + len(row)
                for begin, end, name, event in row:
                    self.assertEqual(sum(event["args"]["cycles"].values()), end - begin, event)
                    self.assertTrue(name == "running" or name in event["args"]["cycles"], event)  # of short waits, too
                    sums = collections.Counter()
                    while left and left[0][1] <= end:
                        state = left.pop(0)
                        self.assertGreaterEqual(state[0], begin)
                        sums[state[2]] += state[1] - state[0]
                        long_wait = state[2] != "running" and state[1] - state[0] >= 64
                        self.assertTrue(not long_wait or state[2] == name, (state, event))
                    self.assertEqual(dict(sums), event["args"]["cycles"], event)
                self.assertEqual(left, [])
        self.assertLess(5 * phases, states)

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

    def check_vcd_sums(self, document):
        """Each issue slot's time by reason."""
        trace = Vcd(self.out / "t.vcd")
        self.assertEqual(trace.end, document["simulated_cycles"] * PERIOD)
        for core, block in cores_of(document).items():
            for reason, cycles in block["issue"]["reasons"].items():
                self.assertEqual(trace.time_at(f"core_{core}.issue_slot.{reason}", 1), cycles * PERIOD,
                                 f"core {core} {reason}")
        return trace

    def check_vcd(self, document):
        trace = self.check_vcd_sums(document)
        for core in cores_of(document):
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
                    if event["cat"] == "command":
                        works["command"] += 1
                        continue
                    kind = name.split()[0]
                    works[kind] += 1
                    rows = re.search(r"global 0x[0-9a-f]+, (\d+) rows of (\d+) bytes",
                                     event["args"].get("from" if kind == "load" else "to", ""))
                    if rows:
                        moved[kind] += int(rows[1]) * int(rows[2])
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
            self.assertEqual(sum(count for _, count in dram), document["stats"]["main_memory"]["reads"]["value"])
            self.assertGreater(len(dram), 50)
            self.assertGreater(perfetto.flow_count, works["command"])  # an arrow each, and those of barriers

    def test_phases_show_the_time_of_warps_in_few_pieces(self):
        for design in ("virgo-dma", "tc", "virgo"):
            with folder() as out:
                self.gemm(out, design=design, files=("t.json",))
                self.check_phases(Perfetto(self.out / "t.json"), stats(out))

    def test_commands_have_names_lines_of_the_program_and_last_as_long_as_their_work(self):
        with folder() as out:
            self.gemm(out, files=("t.json",))
            trace, document = Perfetto(self.out / "t.json"), stats(out)
            matrix, name = unit(document, "matrix_unit_0"), "cluster_0.matrix_unit_0"
            cisc, rocc = trace.threads_of(name, "CISC commands"), trace.threads_of(name, "RoCC commands")
            self.assertEqual(len(cisc), matrix["cisc_commands"]["value"])
            self.assertEqual(len(rocc), matrix["mmio_commands"]["value"])
            self.assertIn("load A to Q0, B to Q2", {each[2] for each in cisc})
            self.assertIn("compute Q0 x Q2", {each[2] for each in cisc})
            self.assertIn("loop_ws", {each[2] for each in rocc})
            for _, _, _, event in [*cisc, *rocc]:
                self.assertRegex(event["args"]["at"], r"(main\.cpp|unit_gemm\.h):\d+$")
            begin, end, _, _ = next(each for each in cisc if each[2].startswith("load"))
            first = [each for each in trace.threads_of(name, "load") if begin <= each[0] < end]
            self.assertGreater(len(first), 1)
            self.assertEqual({each[2] for each in first}, {"load A", "load B"})
            self.assertEqual(max(each[1] for each in first), end)

    def test_markers_are_slices(self):
        with folder() as out:
            self.gemm(out, files=("t.json",))
            trace, region = Perfetto(self.out / "t.json"), stats(out)["region"]
            (begin, end, _, event), = trace.threads_of("program", "timed region")
            self.assertEqual((begin, end), (region["begin_marker"], region["end_marker"]))
            self.assertEqual(event["args"]["cycles"], end - begin)
            ends = [each for core in range(4) for each in trace.threads_of(f"core {core}", "warp 0 markers")]
            self.assertEqual(min(each[0] for each in ends), begin)
            self.assertEqual(max(each[1] for each in ends), end)
            self.assertEqual({each[2] for each in ends}, {"region 1"})

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

    def test_a_filter_shows_the_chosen_core_warp_function_and_time_only(self):
        with folder() as out:
            self.gemm(out)
            whole = read_log(self.out / "t.log")
            region = stats(out)["region"]
        with folder() as out:
            self.gemm(out, "--trace-filter", "core=1,core=3,warp=0-1", "--trace-filter", "cycles=2000-5999")
            kept = [e for e in whole if e["core"] in (1, 3) and e["warp"] < 2 and 2000 <= e["cycle"] < 6000]
            log = read_log(self.out / "t.log")
            self.assertGreater(len(log), 0)
            place = ("core", "warp", "number", "cycle", "pc", "lanes", "text")
            # The log numbers what it sees from the start of the time shown.
            self.assertEqual(sorted([e[k] for k in place if k != "number"] for e in log),
                             sorted([e[k] for k in place if k != "number"] for e in kept))
            trace = Perfetto(self.out / "t.json")
            self.assertEqual([name for name in trace.processes.values() if name.startswith("core")], ["core 1", "core 3"])
            for slices in trace.slices.values():
                self.assertGreaterEqual(slices[0][0], 2000)
                self.assertLessEqual(slices[-1][1], 6000)
            for core in (1, 3):
                for slices in trace.of_core(core).values():
                    self.assertEqual((slices[0][0], slices[-1][1]), (2000, 6000), "shown from edge to edge")
            self.assertTrue(all(i["thread"] % 8 < 2 for i in Kanata(self.out / "t.kanata").instructions.values()))
            waves = Vcd(self.out / "t.vcd")
            self.assertEqual(waves.end, 6000 * PERIOD)
            self.assertEqual({name.split(".")[0] for name in waves.width},
                             {"core_1", "core_3", "cluster_0_matrix_unit_0"})
        with folder() as out:
            self.gemm(out, "--trace-filter", "function=main", files=("t.log", "t.json"))
            log = read_log(self.out / "t.log")
            pcs = {entry["pc"] for entry in log}
            self.assertGreater(len(pcs), 10)
            self.assertLess(len(log), len(whole))
            expected = [entry for entry in whole if entry["pc"] in pcs]
            self.assertEqual(len(log), len(expected))
            low, high = min(pcs), max(pcs)
            self.gemm(out, "--trace-filter", f"pc={low:#x}-{high + 3}", files=("t.log",))
            self.assertEqual({e["pc"] for e in read_log(self.out / "t.log")},
                             {e["pc"] for e in whole if low <= e["pc"] <= high})
        with folder() as out:
            self.gemm(out, "--trace-filter", "cycles=region", files=("t.log",))
            cycles = [entry["cycle"] for entry in read_log(self.out / "t.log")]
            self.assertGreaterEqual(min(cycles), region["begin_marker"])
            self.assertLessEqual(max(cycles), region["end_marker"])
            self.assertGreater(len(cycles), 500)

    def test_the_worked_example_shows_the_addresses_of_a_load(self):
        guide = (pathlib.Path(__file__).parents[2] / "docs/howto/trace.md").read_text()
        command = re.search(r"\$ \./spica (run virgo) build/sw/(particles).elf (--trace p.log) (.*)", guide)
        shown = re.findall(r"(?m)^\d+ c0\.w1 #.*$", guide)
        self.assertEqual(len(shown), 4)
        with folder() as out:
            self.run_traced(out, "run", "virgo", elf(command[2]), *command[4].split(), files=("t.log",))
            lines = (self.out / "t.log").read_text().splitlines()
            self.assertIn(shown, [lines[i:i + 4] for i in range(len(lines))])
            profile_guide = (pathlib.Path(__file__).parents[2] / "docs/howto/profile.md").read_text()
            self.assertIn(shown[0], profile_guide)

    def test_everything_wrong_with_the_options_is_said_at_once(self):
        with folder() as out:
            result = spica("gemm", "--trace", f"{out}/a.txt2", "--trace", "perfeto=x", "--trace", "no/such/folder.vcd",
                           "--trace-filter", "core=9,wrap=1,function=mian,cycles=9-3,pc=x,5")
            self.assertEqual(result.code, 2)
            for words in ("a.txt2: the file extension does not name a kind of trace", "unknown kind 'perfeto', did you mean \"perfetto\"?",
                          "core=9: this machine has 4 cores (0-3)", "unknown key 'wrap', did you mean \"warp\"?",
                          "the program has no such function, did you mean \"main\"?", "cycles=9-3: the range ends before it begins",
                          "pc=x: must be a number or a range", "'5' is not KEY=VALUE"):
                self.assertIn(words, result.err)
            self.assertEqual(list(pathlib.Path(out).iterdir()), [])
            result = spica("gemm", "--trace", "no/such/folder.vcd")
            self.assertEqual((result.code, "No such file" in result.err), (2, True), result.err)

    def test_a_file_ends_at_its_limit_and_is_whole(self):
        with folder() as out:
            result = self.gemm(out, "--trace-limit", "100000")
            for file in FILES:
                size = (self.out / file).stat().st_size
                self.assertLessEqual(size, 100000)
                self.assertGreater(size, 50000)
                self.assertRegex(result.err, f"{file} is not complete: .* limit of 100000 bytes in cycle [0-9]+")
            Perfetto(self.out / "t.json"), Kanata(self.out / "t.kanata"), Vcd(self.out / "t.vcd")
            self.assertGreater(len(read_log(self.out / "t.log")), 500)
            self.assertIn("end of trace", (self.out / "t.log").read_text().splitlines()[-1])

    def test_a_run_that_ends_with_a_fault_or_hangs_leaves_whole_files(self):  # long
        with folder() as out:
            for program, end in (("fault_1", "fault"), ("fault_6", "deadlock"), ("fault_7", "livelock")):
                self.run_traced(out, "run", "virgo", elf(program), code=1)
                document = stats(out)
                self.assertEqual(document["end"], end)
                Perfetto(self.out / "t.json")
                self.check_vcd_sums(document)
                log = read_log(self.out / "t.log")
                self.assertEqual(len(log), document["instructions"])
                self.assertEqual(Kanata(self.out / "t.kanata").retired,
                                 sum("not committed" not in (entry["effects"] or "") for entry in log))

    def test_logs_without_cycles_of_two_machines_differ_in_nothing_for_each_warp(self):
        logs, cycles = [], []
        with folder() as out:
            for settings in ((), ("--set", "cluster.core.alu_latency=9", "--set", "cluster.dcache.hit_latency=8")):
                self.run_traced(out, "run", "virgo", elf("collatz"), "--trace-no-cycles", *settings, files=("t.log",))
                warps = collections.defaultdict(list)
                for line in (self.out / "t.log").read_text().splitlines()[1:]:
                    warps[line.split()[0]].append(line)
                logs.append(dict(warps))
                cycles.append(stats(out)["simulated_cycles"])
        self.assertNotEqual(*cycles)
        # Warp 0 of a core waits for the others in a loop, longer or shorter.
        workers = [{warp: lines for warp, lines in log.items() if not warp.endswith("w0")} for log in logs]
        self.assertEqual(*workers)
        self.assertGreater(sum(map(len, workers[0].values())), 1000)

    def log_of(self, out, mode, *arguments, code=0):
        """Lines of each warp, without cycles."""
        self.run_traced(out, *arguments, "--mode", mode, "--trace-no-cycles", files=("t.log",), code=code)
        warps = collections.defaultdict(list)
        for line in (self.out / "t.log").read_text().splitlines()[1:]:
            warps[line.split()[0]].append(line)
        return warps

    def test_logs_of_both_modes_differ_in_nothing_for_each_warp(self):
        with folder() as out:
            for config, program in (("virgo", "vecadd"), ("virgo", "saxpy"), ("virgo", "collatz"), ("virgo", "reduce"),
                                    ("virgo", "wmma_fragments"), ("fp16-hopper", "hgmma")):
                cycle, fast = (self.log_of(out, mode, "run", config, elf(program)) for mode in ("cycle", "fast"))
                self.assertEqual(cycle.keys(), fast.keys())
                for warp in cycle:
                    # Warp 0 of a core waits for the others in a loop, longer or shorter.
                    if warp.endswith("w0") and len(cycle) > 1:
                        continue
                    self.assertEqual(cycle[warp], fast[warp], (program, warp))
                self.assertGreater(sum(map(len, fast.values())), 500)
                self.assertEqual(sum(map(len, fast.values())), stats(out)["instructions"])

    def test_the_fast_mode_logs_the_region_and_what_ends_with_a_fault(self):
        with folder() as out:
            region = self.log_of(out, "fast", "gemm", "--size", "64x64x64", "--design", "tc", "--trace-filter",
                                 "cycles=region")
            self.assertEqual(len(region), 32)
            self.assertLess(sum(map(len, region.values())), stats(out)["instructions"])
            self.assertTrue(any("wmma" in line for line in region["c3.w7"]))
            log = self.log_of(out, "fast", "run", "virgo", elf("fault_1"), code=1)
            self.assertEqual(sum(map(len, log.values())), stats(out)["instructions"])

    def test_the_fast_mode_refuses_kinds_that_show_when(self):
        with folder() as out:
            files = [f"{out}/t.{ending}" for ending in ("json", "kanata", "vcd", "log")]
            result = spica("run", "virgo", elf("hello"), "--mode", "fast",
                           *(word for file in files for word in ("--trace", file)))
            self.assertEqual(result.code, 2)
            for file in files[:3]:
                self.assertIn(f"--trace {file}: needs the cycle mode", result.err)
            self.assertNotIn("t.log", result.err)
            self.assertEqual(list(pathlib.Path(out).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
