# SPDX-License-Identifier: Apache-2.0
"""Kernels in streams (spica stream, models/command_processor)."""
import itertools
import json
import pathlib
import random
import struct
import unittest

from spica_runner import folder, level_2, spica, stats
from trace_reader import Perfetto

SOURCE = pathlib.Path(__file__).resolve().parent / "streams" / "streams.cpp"
COUNT = 2048
POLICIES = [sets for command in ("sequential", "greedy") for policy in ("round_robin", "oldest_first")
            for mix in ("allow", "one_kernel_per_cluster")
            for sets in [(f"command_processor.policy={command}", f"dispatcher.policy={policy}", f"dispatcher.mix={mix}")]]
POLICIES += [("command_processor.policy=predicted",), ("command_processor.policy=oracle",)]  # others than products: as greedy
POLICIES += [("command_processor.firmware=command_processor", f"command_processor.policy={policy}")
             for policy in ("sequential", "greedy", "predicted", "oracle")]


def options(*settings):
    return [word for setting in settings for word in ("--set", setting)]


def step(x, factor, addend, grid=32):
    return f"{{launch: step, grid: {grid}, args: \"factor={factor},addend={addend},x={x}\"}}"


def add(x, y):
    return f"{{launch: add, grid: 32, args: \"x={x},y={y}\"}}"


def words(file):
    data = pathlib.Path(file).read_bytes()
    return list(struct.unpack(f"<{len(data) // 4}I", data))


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.program = pathlib.Path(cls.work.name, "streams.elf")
        result = spica("cc", SOURCE, "-I", SOURCE.parents[3], "-o", cls.program)
        assert result.code == 0, result.text

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def file(self, out, streams, more=""):
        path = pathlib.Path(out, "streams.yaml")
        text = f"program: {self.program}\nconfig: mgpu-2\n{more}streams:\n"
        for name, steps in streams.items():
            text += f"  - name: {name}\n    steps:\n" + "".join(f"      - {one}\n" for one in steps)
        path.write_text(text)
        return path

    def run_streams(self, out, streams, *more, file_text="", saves="abcd"):
        """Runs them; the four arrays afterwards."""
        path = self.file(out, streams, file_text)
        save = [word for name in saves for word in ("--save", f"{pathlib.Path(out, name)}.bin@{name}")]
        result = spica("stream", path, *save, "--out", out, *more)
        self.assertEqual(result.code, 0, result.text)
        return {name: words(pathlib.Path(out, f"{name}.bin")) for name in saves}, result

    # A diamond: c needs a and b, which have nothing to do with each other; d runs beside all of it.
    DIAMOND = {
        "left": [step("a", 3, 1), step("a", 5, 2), "{record: a_done}"],
        "right": [step("b", 7, 3), "{record: b_done}", "{wait: a_done}", add("b", "a"), "{record: sum}"],
        "last": ["{wait: b_done}", "{wait: sum}", add("c", "b"), step("c", 2, 1)],
        "other": [step("d", 1, 9), step("d", 11, 0)],
    }
    A = (0 * 3 + 1) * 5 + 2
    B = 3 + A
    RESULT = {"a": A, "b": B, "c": B * 2 + 1, "d": 99}

    def test_results_are_the_same_for_every_policy_mode_and_number_of_clusters(self):
        for mode, sets in itertools.product(("cycle", "fast"), POLICIES):
            with self.subTest(mode=mode, sets=sets), folder() as out:
                arrays, _ = self.run_streams(out, self.DIAMOND, "--mode", mode, *options(*sets))
                for name, value in self.RESULT.items():
                    self.assertEqual(arrays[name], [value] * COUNT)
        for clusters in (1, 3, 8):
            with self.subTest(clusters=clusters), folder() as out:
                arrays, _ = self.run_streams(out, self.DIAMOND, *options(f"clusters={clusters}"))
                self.assertEqual({name: array[77] for name, array in arrays.items()}, self.RESULT)

    def test_kernels_of_one_stream_never_overlap_and_those_of_several_do(self):
        for policy in ("greedy", "sequential"):
            with self.subTest(policy), folder() as out:
                self.run_streams(out, self.DIAMOND, *options(f"command_processor.policy={policy}"))
                streams = stats(out)["streams"]
                runs = []
                for stream in streams.values():
                    launches = stream["launches"]
                    self.assertEqual(stream["cycles"], sum(one["ended"] - one["launched"] for one in launches))
                    for before, after in zip(launches, launches[1:]):
                        self.assertLess(before["ended"], after["launched"])
                    for one in launches:
                        self.assertLess(one["launched"], one["begun"])
                        self.assertLess(one["begun"], one["ended"])
                    runs += launches
                overlaps = [1 for a, b in itertools.combinations(runs, 2)
                            if a["begun"] < b["ended"] and b["begun"] < a["ended"]]
                self.assertEqual(bool(overlaps), policy == "greedy")
                block = stats(out)["stats"]["dispatcher"]
                self.assertEqual(block["groups"]["value"], 32 * len(runs))
                self.assertEqual(stats(out)["stats"]["command_processor"]["kernels"]["value"], len(runs))

    def test_random_streams_with_random_times_give_what_their_order_says(self):
        draw = random.Random(5)
        for trial in range(6):
            streams, value, recorded = {}, {}, []
            for name in "abcd":
                steps, at = [], 0
                for _ in range(draw.randint(1, 4)):
                    if recorded and draw.random() < 0.5:
                        other, event, then = draw.choice(recorded)
                        steps += [f"{{wait: {event}}}", add(name, other)]
                        at = (at + then) % 2**32
                    else:
                        factor, addend = draw.randint(1, 9), draw.randint(0, 9)
                        steps.append(step(name, factor, addend))
                        at = (at * factor + addend) % 2**32
                steps.append(f"{{record: {name}_done}}")  # nobody writes it afterwards
                recorded.append((name, f"{name}_done", at))
                streams[name], value[name] = steps, at
            for mode in ("cycle", "fast"):
                sets = (*draw.choice(POLICIES), f"clusters={draw.choice((1, 2, 5))}",
                        f"command_processor.memory_latency={draw.choice((0, 31, 500))}",
                        f"command_processor.clock_mhz={draw.choice((100, 400, 1500))}",
                        f"command_processor.heads_per_access={draw.choice((1, 2, 32))}",
                        f"dispatcher.kernel_latency={draw.choice((0, 700))}",
                        f"dispatcher.active_kernels={draw.choice((1, 2, 16))}")
                with self.subTest(trial=trial, mode=mode, sets=sets), folder() as out:
                    arrays, _ = self.run_streams(out, streams, "--mode", mode, *options(*sets))
                    for name in "abcd":
                        self.assertEqual(set(arrays[name]), {value[name]})

    def test_one_stream_takes_what_its_kernels_take_and_the_first_the_time_to_read_its_packet(self):
        def launches(*sets):
            with folder() as out:
                self.run_streams(out, {"one": [step("a", 2, 1, grid=1)] * 3}, *options(*sets))
                return stats(out)["streams"]["one"]["launches"]
        for latency, mhz in ((0, 1500), (31, 1500), (300, 100), (7, 400)):
            cycles = -(-latency * 400 // mhz)  # one access; 1200 are longer than a kernel takes
            first = launches(f"command_processor.memory_latency={latency}", f"command_processor.clock_mhz={mhz}")
            self.assertEqual(first[0]["launched"], 1 + cycles)
            for before, after in zip(first, first[1:]):  # its packet is read while the one before runs
                self.assertEqual(after["launched"], max(before["ended"], before["begun"] + cycles) + 1)

    def test_sequential_streams_take_the_sum_of_the_kernels(self):
        with folder() as out:
            self.run_streams(out, {name: [step(name, 2, 1)] * 2 for name in "abcd"},
                             *options("command_processor.policy=sequential"))
            streams = stats(out)["streams"]
            runs = sorted((one for stream in streams.values() for one in stream["launches"]), key=lambda one: one["launched"])
            for before, after in zip(runs, runs[1:]):
                self.assertEqual(after["launched"], before["ended"] + 1)

    def test_repeats_and_events_of_each_repeat(self):
        text = f"""program: {self.program}
kernels:
  - {{name: twice, kernel: step, grid: 32, args: "factor=2,addend=1,x=a"}}
streams:
  - name: producer
    repeat: 3
    steps:
      - {{launch: twice, repeat: 2}}
      - {{record: made}}
      - {{wait: taken}}
  - name: consumer
    repeat: 3
    steps:
      - {{wait: made}}
      - {{launch: add, grid: 32, args: "x=b,y=a"}}
      - {{record: taken}}
"""
        a = b = 0
        for _ in range(3):
            a = (a * 2 + 1) * 2 + 1
            b += a
        for mode in ("cycle", "fast"):
            with folder() as out:
                path = pathlib.Path(out, "pipe.yaml")
                path.write_text(text)
                result = spica("stream", path, "--mode", mode, "--save", f"{out}/b.bin@b", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(set(words(pathlib.Path(out, "b.bin"))), {b})
                self.assertEqual(stats(out)["streams"]["producer"]["kernels"], 6)

    def test_a_stream_stays_on_its_clusters(self):
        with folder() as out:
            path = pathlib.Path(out, "s.yaml")
            path.write_text(f"program: {self.program}\nconfig: mgpu-4\nstreams:\n"
                            f"  - {{name: low, clusters: 0x3, steps: [{step('a', 2, 1)}]}}\n"
                            f"  - {{name: high, clusters: 0x8, steps: [{step('b', 2, 1)}]}}\n")
            result = spica("stream", path, "--out", out)
            self.assertEqual(result.code, 0, result.text)
            cores = [stats(out)["stats"][f"cluster_{i}"]["core_0"]["warp_instructions"]["value"] for i in range(4)]
            self.assertEqual([bool(count) for count in cores], [True, True, False, True])

    def test_sets_of_clusters_are_ranges_or_masks_and_a_lone_number_is_refused(self):
        def run(out, clusters, *settings):
            path = pathlib.Path(out, "s.yaml")
            path.write_text(f"program: {self.program}\nconfig: mgpu-8\nstreams:\n"
                            f"  - {{name: one, clusters: {clusters}, steps: [{step('a', 2, 1)}]}}\n")
            return spica("stream", path, "--out", out, *settings)
        with folder() as out:
            for clusters, used in (("2-3", {2, 3}), ('"0,5"', {0, 5}), ("0x48", {3, 6}), ("7-7", {7})):
                result = run(out, clusters)
                self.assertEqual(result.code, 0, result.text)
                work = {i for i in range(8)
                        if stats(out)["stats"][f"cluster_{i}"]["core_0"]["warp_instructions"]["value"]}
                self.assertEqual(work, used, clusters)
            for clusters, words in (("3", "s.yaml:4: clusters '3': a single number is ambiguous; cluster 3 alone is 3-3"),
                                    ("5-2", "expected ranges of 0 to 255"), ("0x", "expected ranges"),
                                    ("0xg", "a bit mask has"), ("0-256", "expected ranges"), ("70-80", "none of the machine's clusters, 0-7")):
                result = run(out, clusters)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(words, result.text)

    def test_a_kernel_that_streams_pushes_no_lines_of_another_out_of_a_level_2_cache_with_parts(self):
        # One reads 32 KB, more than its level 1 cache, four times; two threads take longer for that than the other takes to
        # fill the level 2 cache of 128 KB.
        keeper = "{name: keeper, clusters: 0x1, steps: [{launch: walk, grid: 1, block: 2, args: \"factor=4,addend=8192,x=kept\"}]}"
        streamer = "{name: streamer, clusters: 0x2, steps: [{launch: walk, grid: 8, args: \"factor=2,addend=131072,x=big\"}]}"
        lines = 8192 * 4 // 64

        def run(partitions, *streams):
            with folder() as out:
                path = pathlib.Path(out, "s.yaml")
                path.write_text(f"program: {self.program}\nconfig: mgpu-2\nset: [l2.partitions={partitions}]\nstreams:\n"
                                + "".join(f"  - {stream}\n" for stream in streams))
                result = spica("stream", path, "--out", out)
                self.assertEqual(result.code, 0, result.text)
                return level_2(stats(out))
        few = 64  # of code, arguments and packets
        for streams in ((keeper,), (keeper, streamer)):
            self.assertIn(run(2, *streams)["part_0_misses"] - lines, range(few))
        shared, without = (run(1, *streams)["read_misses"] for streams in ((keeper, streamer), (streamer,)))
        self.assertGreater(shared - without, 3 * lines)

    def test_check_compares_memory_after_the_run(self):
        with folder() as out:
            pathlib.Path(out, "good.bin").write_bytes(struct.pack("<I", 1) * COUNT)
            pathlib.Path(out, "bad.bin").write_bytes(struct.pack("<I", 1) * 7 + struct.pack("<I", 258) * 2)
            streams = {"one": [step("a", 2, 1)]}
            good = self.file(out, streams, "check:\n  - {at: a, file: good.bin}\n")
            result = spica("stream", good, "--out", out)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("verified", result.out)
            self.assertTrue(stats(out)["verified"])
            bad = self.file(out, streams, "check:\n  - {at: a, file: bad.bin}\n")
            result = spica("stream", bad, "--out", out)
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("4 bytes differ from", result.err)
            self.assertIn("at byte 28: 0x01 instead of 0x02", result.err)
            self.assertFalse(stats(out)["verified"])

    def test_queues_that_wait_for_each_other_are_explained(self):
        streams = {"one": [step("a", 2, 1), "{wait: b_done}", "{record: a_done}"],
                   "two": ["{wait: a_done}", "{record: b_done}"]}
        for mode in ("cycle", "fast"):
            with self.subTest(mode), folder() as out:
                result = spica("stream", self.file(out, streams), "--mode", mode)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn("stream one: 1 of 3 steps are done; next: wait b_done", result.err)
                self.assertIn("which has not occurred: event 'b_done' of stream 'two'", result.err)
                self.assertIn("stream two: 0 of 2 steps are done; next: wait a_done", result.err)
                self.assertIn("streams.yaml:", result.err)
                self.assertIn("queue 1", result.err)

    def test_a_kernel_that_hangs_is_shown_with_its_stream(self):
        streams = {"good": [step("a", 2, 1)], "bad": ["{launch: hangs, grid: 2}", step("b", 2, 1)]}
        with folder() as out:
            result = spica("stream", self.file(out, streams))
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("stream bad: 1 of 2 steps are done, 1 kernel is running; next: launch step", result.err)
            self.assertNotIn("stream good", result.err)

    def test_a_checkpoint_in_the_middle_of_the_streams_goes_on_to_the_same_end(self):
        for mode, every in (("cycle", "2000"), ("fast", "2000")):
            with self.subTest(mode), folder() as out:
                saves = pathlib.Path(out, "saves")
                arrays, _ = self.run_streams(out, self.DIAMOND, "--mode", mode, "--checkpoint", f"every={every}",
                                             "--checkpoint-dir", saves)
                whole = stats(out)
                files = sorted(saves.iterdir())
                self.assertGreater(len(files), 1)
                for file in (files[0], files[len(files) // 2]):
                    again, _ = self.run_streams(out, self.DIAMOND, "--mode", mode, "--from", file)
                    self.assertEqual(again, arrays)
                    self.assertEqual(stats(out)["launch_account"], whole["launch_account"])
                    if mode == "cycle":
                        self.assertEqual(stats(out)["streams"], whole["streams"])

    def test_a_checkpoint_has_the_parts_of_the_level_2_cache(self):
        sets = options("l2.partitions=2")
        with folder() as out:
            saves = pathlib.Path(out, "saves")
            arrays, _ = self.run_streams(out, self.DIAMOND, *sets, "--checkpoint", "every=2000", "--checkpoint-dir", saves)
            whole = stats(out)
            self.assertGreater(level_2(whole)["part_1_lines"], 0)
            files = sorted(saves.iterdir())
            again, _ = self.run_streams(out, self.DIAMOND, *sets, "--from", files[len(files) // 2])
            self.assertEqual(again, arrays)
            self.assertEqual(level_2(stats(out)), level_2(whole))
            self.assertEqual(stats(out)["cycles"], whole["cycles"])

    def check_account(self, document):
        """Its rows are the run, exactly; each launch is in a row."""
        account = document["launch_account"]
        rows, names, total = account["rows"], account["by_name"], account["total"]
        for key, whole in (("cycles", "simulated_cycles"), ("warp_instructions", "instructions"), ("thread_instructions",) * 2):
            self.assertEqual((sum(row[key] for row in rows), sum(row[key] for row in names.values()), total[key]),
                             (document[whole],) * 3)
        self.assertEqual({launch for row in rows for launch in row["launches"]}, set(range(len(account["launches"]))))
        self.assertEqual(sum(row["launches"] for row in names.values()), len(account["launches"]))
        if document["mode"] == "fast":
            return account
        for level, value in total["bytes"].items():
            self.assertEqual(sum(row["bytes"][level] for row in rows), value)
        cores = sum(total["accounts"]["core"].values()) // document["simulated_cycles"]
        for row in (*rows, total):
            self.assertEqual(sum(row["accounts"]["core"].values()), row["cycles"] * cores)
        self.assertEqual(total["bytes"]["l2"], sum(level_2(document)[key] for key in ("bytes_read", "bytes_written")))
        return account

    def test_the_account_by_launch_is_the_run_exactly_also_where_launches_overlap(self):
        streams = {**self.DIAMOND, "named": [step("d", 2, 7).replace("launch: step", "launch: step, name: the last layer")]}
        for mode, more in (("cycle", ("--energy",)), ("fast", ())):
            with self.subTest(mode=mode), folder() as out:
                _, result = self.run_streams(out, streams, "--mode", mode, *more)
                account = self.check_account(stats(out))
                self.assertTrue(any(len(row["launches"]) > 1 for row in account["rows"]))
                self.assertIn("the last layer", result.text + str([one["name"] for one in account["launches"]]))
                if mode == "cycle":
                    whole = json.loads(pathlib.Path(out, "energy.json").read_text())["whole_run"]
                    for key in ("active", "idle"):
                        for rows in ([account["total"]], account["rows"]):
                            self.assertAlmostEqual(sum(row["energy_uj"][key] for row in rows), whole[f"{key}_uj"]["nominal"], places=9)

    def test_a_trace_has_a_thread_for_each_stream_with_a_slice_for_each_kernel(self):
        small = {name: [one.replace("grid: 32", "grid: 2") for one in steps] for name, steps in self.DIAMOND.items()}
        with folder() as out:
            self.run_streams(out, small, "--trace", f"{out}/t.json")
            trace, streams = Perfetto(pathlib.Path(out, "t.json")), stats(out)["streams"]
            for name, stream in streams.items():
                slices = trace.threads_of("streams", name)
                launches = stream["launches"]
                self.assertEqual([(begin, end, kernel) for begin, end, kernel, _ in slices],
                                 [(one["launched"], one["ended"], one["kernel"]) for one in launches])
                for (_, _, _, event), one in zip(slices, launches):
                    self.assertEqual((event["args"]["begun"], event["args"]["grid"]), (one["begun"], "2"))
            first = trace.threads_of("streams", "left")[0][3]["args"]
            self.assertEqual(first["args"], "factor=3,addend=1,x=a")

    def test_a_trace_shows_kernels_of_queues_that_no_stream_has(self):
        with folder() as out:
            streams = {"one": ["{launch: enqueue, grid: 1, args: \"factor=2,addend=5,x=a\"}"]}
            self.run_streams(out, streams, "--trace", f"{out}/t.json")
            trace = Perfetto(pathlib.Path(out, "t.json"))
            self.assertEqual([name for *_, name, _ in trace.threads_of("streams", "queue 5")], ["packet 0"])
            self.assertEqual([name for *_, name, _ in trace.threads_of("streams", "one")], ["enqueue"])

    def test_the_hazard_checker_knows_the_order_of_kernels(self):
        with folder() as out:
            for mode in ("cycle", "fast"):
                self.run_streams(out, self.DIAMOND, "--check", "hazards", "--mode", mode)
            race = {"one": [step("a", 2, 1)], "two": [step("a", 3, 1)]}
            result = spica("stream", self.file(out, race), "--check", "hazards")
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("two unordered accesses", result.text)

    # Streams in which `late` comes long after the kernel of the other one that it needs, and their twins in which it waits.
    LATE = [step("c", 3, 1, 2)] * 2
    UNORDERED = {
        "no event": {"one": [step("a", 2, 1, 1)], "two": [*LATE, add("b", "a")]},
        "two writers": {"one": [step("a", 2, 1, 1)], "two": [*LATE, step("a", 3, 1)]},
        "a reader and a writer": {"one": [add("b", "a")], "two": [*LATE, step("a", 3, 1, 1)]},
        "an event of the time before": {"one": ["{record: early}", step("a", 2, 1, 1)],
                                        "two": [*LATE, "{wait: early}", add("b", "a")]},
        "a chain without its first event": {"one": [step("a", 2, 1, 1)], "two": [*LATE, "{record: then}"],
                                            "three": ["{wait: then}", add("b", "a")]},
        "a second round that overtakes": {"one": [step("a", 2, 1), "{record: e}", step("a", 2, 1), "{record: e}"],
                                          "two": ["{wait: e}", add("b", "a"), "{wait: e}", add("b", "a")]},
    }
    ORDERED = {
        "an event": {"one": [step("a", 2, 1, 1), "{record: e}"], "two": [*LATE, "{wait: e}", add("b", "a")]},
        "a chain": {"one": [step("a", 2, 1, 1), "{record: e}"], "two": ["{wait: e}", *LATE, "{record: then}"],
                    "three": ["{wait: then}", add("b", "a")]},
        "rounds that wait for each other": {
            "one": [step("a", 2, 1), "{record: full}", "{wait: empty}"] * 3,
            "two": ["{wait: full}", add("b", "a"), "{record: empty}"] * 3},
        "more waits than records": {"one": [step("a", 2, 1), "{record: e}"],
                                    "two": ["{wait: e}", add("b", "a"), "{wait: e}", add("b", "a")]},
        "two readers": {"one": [add("b", "a")], "two": [*LATE, add("d", "a")]},
        "one stream": {"one": [step("a", 2, 1, 1), step("a", 2, 1), add("b", "a")]},
    }
    FIRMWARE = "command_processor.firmware=command_processor"

    def check_order(self, streams, found, *more):
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = spica("stream", self.file(out, streams), "--check", "hazards", "--mode", mode, *more)
                self.assertEqual(result.code, int(found), result.text)
                if found:
                    self.assertRegex(result.text, r"kernels of stream '\w+' and stream '\w+', which no event")

    def test_hazards_of_streams_do_not_depend_on_when_kernels_ran(self):
        for streams, found in ((self.UNORDERED, True), (self.ORDERED, False)):
            for name, one in streams.items():
                for sets in ((), ("command_processor.policy=sequential",), (self.FIRMWARE,)):
                    with self.subTest(name, sets=sets):
                        self.check_order(one, found, *options(*sets))

    def test_what_a_firmware_has_seen_end_is_before_what_it_launches_then(self):
        """Programs that launch the kernel of the first queue and then that of the second, one of them without a look."""
        text = """#include <spica/firmware.h>
using namespace spica::firmware;
int main() {
  bool first = true, go = false;
  for (;; sleep()) {
    take_new(), take_given();
    WHAT;
    if (!first && go && head(1).may_begin()) launch(1);
    if (first && head(0).may_begin()) launch(0), first = false;
  }
}
"""
        streams = {"one": [step("a", 2, 1, 1)], "two": [add("b", "a")]}
        looks = ("go |= (take_ended() & 1) != 0", "take_ended(), go = running() == 0",
                 "take_ended(), go = head(0).running_in_queue() == 0",
                 "unsigned ended = take_ended(), all = queues(); __asm__ volatile(\"\" : \"+r\"(ended), \"+r\"(all)); "
                 "go |= (ended & 1) != 0 && all != 0")
        with folder() as work:
            for what, found in (*((look, False) for look in looks), ("take_ended(), go = true", True)):
                with self.subTest(what):
                    source, firmware = pathlib.Path(work, "firmware.cpp"), pathlib.Path(work, "firmware.elf")
                    source.write_text(text.replace("WHAT", what))
                    built = spica("cc", "--firmware", source, "-o", firmware)
                    self.assertEqual(built.code, 0, built.text)
                    self.check_order(streams, found, *options(f"command_processor.firmware={firmware}"))

    def test_a_kernel_that_a_kernel_launches_comes_after_what_that_did_before(self):
        with folder() as out:
            for mode in ("cycle", "fast"):
                launched = {"one": ["{launch: enqueue, grid: 1, args: \"factor=2,addend=5,x=a\"}"]}
                for streams, found in ((launched, 0), ({**launched, "two": [*self.LATE, *self.LATE, step("a", 3, 1, 1)]}, 1)):
                    result = spica("stream", self.file(out, streams), "--check", "hazards", "--mode", mode)
                    self.assertEqual(result.code, found, result.text)

    def test_a_kernel_rings_a_doorbell_itself_and_a_bad_packet_is_a_fault(self):
        def stream(kind):
            return {"one": [f"{{launch: enqueue, grid: 1, args: \"factor={kind},addend=5,x=a\"}}"]}
        for mode in ("cycle", "fast"):
            with self.subTest(mode), folder() as out:
                arrays, _ = self.run_streams(out, stream(2), "--mode", mode)
                self.assertEqual(set(arrays["a"]), {5})
                result = spica("stream", self.file(out, stream(4)), "--mode", mode)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn("a packet that the command processor cannot run", result.err)
                self.assertIn("queue 5, packet 0: it is neither a kernel (type 2) nor a barrier (type 3)", result.err)

    def test_mistakes_are_told_all_at_once_with_their_lines(self):
        with folder() as out:
            path = self.file(out, {
                "one": ["{launch: step, record: x}", "{wait: donee}", "{grid: 4, record: done}", "{launch: step, grids: 4}"],
                "two": ["{record: done}"]})
            result = spica("stream", path)
            self.assertEqual(result.code, 2)
            for message in (":6: streams[0].steps[0]: a step is one of launch, record and wait",
                            ":7: ", "no stream records event 'donee', did you mean \"done\"?",
                            "grid, block and args are for a launch",
                            "event 'done' is already recorded by stream 'one'", "grids"):
                self.assertIn(message, result.err)

    def test_what_cannot_run_is_refused_before_the_run(self):
        cases = (
            ({"one": ["{launch: stepp, grid: 1}"]}, (), "has no kernel 'stepp'; there are: add, enqueue, hangs, step, walk"),
            ({"one": ["{launch: step}"]}, (), "add --grid X"),
            ({"one": ["{launch: step, grid: 1, args: \"faktor=3\"}"]}, (), "there is no such argument"),
            ({"one": ["{launch: step, grid: 1, block: 512}"]}, (), "at most 256 threads"),
            ({"one": ["{launch: step, grid: 1}"]}, ("command_processor.present=false",), "has no command processor"),
            ({"one": ["{launch: step, grid: 1}"]}, ("dispatcher.present=false",), "dispatcher.present must be true"),
            ({f"s{i}": ["{launch: step, grid: 1}"] for i in range(3)}, ("command_processor.queues=2",),
             "3 streams; the machine has 2 queues"),
        )
        for streams, sets, message in cases:
            with self.subTest(message), folder() as out:
                result = spica("stream", self.file(out, streams), *options(*sets))
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(message, result.err)


if __name__ == "__main__":
    unittest.main()
