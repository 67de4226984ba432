# SPDX-License-Identifier: Apache-2.0
"""Asynchronous copies from global to shared memory in a whole machine: both modes, what tools see, mistakes."""
import json
import pathlib
import random
import re
import struct
import unittest

from spica_runner import elf, folder, line_of, spica, stats

SOURCE = pathlib.Path(__file__).parent / "async_copy" / "async_copy.cpp"
WARPS, WORDS = 32, 512


class AsyncCopies(unittest.TestCase):
    def run_case(self, number, *options):
        return spica("run", "ampere-sm", elf("async_copy"), "-q", "--args", f"u32:{number},u32:{WORDS}", *options)

    def assert_found(self, number, kind, *parts):
        for mode in ("cycle", "fast"):
            result = self.run_case(number, "--mode", mode, "--check", "hazards")
            self.assertEqual(result.code, 1, result.text)
            for part in (kind, *parts):
                self.assertIn(part, result.text, mode)

    def test_copies_of_all_sizes_bring_what_is_there_in_both_modes(self):
        words = random.Random(3).choices(range(2 ** 32), k=WARPS * WORDS)
        for options in (("--mode", "cycle"), ("--mode", "fast"), ("--set", "cluster.core.load_store.source_ids=2"),
                        ("--set", "cluster.mio.present=false", "--set", "cluster.mio.shared_data_path=false")):
            with folder() as out:
                load, save = pathlib.Path(out, "operand"), pathlib.Path(out, "result")
                load.write_bytes(struct.pack(f"<{len(words)}I", *words))
                result = self.run_case(0, "--load", f"{load}@0xA0000000", "--save",
                                       f"{save}@0xC0000000+{4 * len(words)}", "--out", out, *options)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(list(struct.unpack(f"<{len(words)}I", save.read_bytes())), words, options)
                if "fast" in options:
                    continue
                cores = stats(out)["stats"]["cluster_0"]
                copies = sum(cores[f"core_{core}"]["async_copies"]["value"] for core in range(4))
                self.assertEqual(copies, sum(WORDS // (32 << warp % 3) for warp in range(WARPS)))
                self.assertEqual(sum(cores[f"core_{core}"]["async_words"]["value"] for core in range(4)), len(words))
                # Read once, and stored once, whatever the size.
                if "mio" not in cores:
                    continue
                self.assertEqual(cores["mio"]["shared_bytes_written"]["value"], 4 * len(words))

    def test_each_word_copied_costs_energy_in_the_load_store_unit(self):
        with folder() as out:
            load = pathlib.Path(out, "operand")
            load.write_bytes(bytes(4 * WARPS * WORDS))
            # In the technology of the table, for which the value stands there.
            result = self.run_case(0, "--load", f"{load}@0xA0000000", "--energy", "--out", out, "--set", "power.technology_nm=16")
            self.assertEqual(result.code, 0, result.text)
            event = next(event for event in json.loads(pathlib.Path(out, "energy.json").read_text())["events"]
                         if event["event"] == "core.async_word")
            self.assertEqual(event["count"], WARPS * WORDS)
            self.assertAlmostEqual(event["active_uj"]["nominal"], 0.5e-6 * WARPS * WORDS, places=12)

    def test_the_checkers_find_nothing_where_all_groups_are_awaited(self):
        with folder() as out:
            load = pathlib.Path(out, "operand")
            load.write_bytes(bytes(4 * WARPS * WORDS))
            for mode in ("cycle", "fast"):
                for what in ("hazards", "memory"):
                    result = self.run_case(0, "--mode", mode, "--check", what, "--load", f"{load}@0xA0000000")
                    self.assertEqual(result.code, 0, result.text)
                    self.assertIn("none found", result.text)

    def test_a_read_of_a_copy_that_nobody_has_waited_for_is_named(self):
        for number in (1, 2, 3):  # no wait; the copy is in no group; the wait leaves one group
            self.assert_found(number, "a read that does not wait", "asynchronous copy by core 0, warp 0, lanes 0-31",
                              line_of(SOURCE, "copy of the mistakes"), line_of(SOURCE, "read of cases 1 to 3"),
                              "pipeline_wait_prior() for its group", "shared memory + 0x0")

    def test_a_read_of_another_warp_behind_the_wait_and_a_barrier_is_in_order(self):
        for mode in ("cycle", "fast"):
            result = self.run_case(4, "--mode", mode, "--check", "hazards")
            self.assertEqual(result.code, 0, result.text)

    def test_a_barrier_alone_does_not_wait_for_copies(self):
        self.assert_found(7, "a read that does not wait", line_of(SOURCE, "copy of case 7"), line_of(SOURCE, "read of case 7"),
                          "then a barrier (simt_barrier)")

    def test_copies_that_cannot_be_end_the_run_with_their_place(self):
        for mode in ("cycle", "fast"):
            for number, text in ((5, "the address must be a multiple of 16"),
                                 (6, "the 4 bytes do not lie in shared memory")):
                result = self.run_case(number, "--mode", mode)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn(text, result.text)
                self.assertIn(line_of(SOURCE, {5: "not aligned", 6: "to global memory"}[number]), result.text)

    def test_other_machines_refuse_the_instructions(self):
        for mode in ("cycle", "fast"):
            result = spica("run", "volta-sm", elf("async_copy"), "-q", "--args", "u32:1,u32:0", "--mode", mode)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("cores of this machine cannot", result.text)
            self.assertIn("--set cluster.core.async_copy=true", result.text)

    def test_the_instruction_log_has_both_addresses_in_both_modes(self):
        logs = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                log = pathlib.Path(out, "t.log")
                result = self.run_case(4, "--mode", mode, "--trace", log, "--trace-no-cycles",
                                       "--trace-filter", "core=0,warp=0")
                self.assertEqual(result.code, 0, result.text)
                # how many instructions came before depends on how long the warp waited
                logs.append([re.sub(r" #\d+ ", " ", line) for line in log.read_text().splitlines() if " cp.async" in line])
        self.assertEqual(logs[0], logs[1])
        self.assertEqual(len(logs[0]), 3)
        self.assertRegex(logs[0][0], r" ffffffff cp\.async\.4 \(\w+\),\(\w+\) \| copy @0x\w+\+4\*i to @0xff000000\+4\*i$")
        self.assertRegex(logs[0][1], r" cp\.async\.commit_group$")
        self.assertRegex(logs[0][2], r" cp\.async\.wait_group 0$")


if __name__ == "__main__":
    unittest.main()
