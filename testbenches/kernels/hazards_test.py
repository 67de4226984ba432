# SPDX-License-Identifier: Apache-2.0
"""--check hazards: each seeded hazard is found between the right two lines, and the same program without it
is clean. In the fast mode, too."""
import itertools
import json
import pathlib
import re
import unittest

from spica_runner import elf, folder, spica

MODES = ("cycle", "fast")
HERE = pathlib.Path(__file__).parent / "hazards"

# Case: kind of the finding, and a piece of the advice.
WARPS = {
    "warps_of_a_core": ("race", "a barrier"),
    "warps_of_two_cores": ("race", "a barrier"),
    "global_memory": ("race", "a barrier"),
    "barrier_without_fence": ("fence_missing", "a fence (simt_fence) after the first, before the barrier"),
    "overwritten_too_early": ("race", "a barrier"),
    "same_value": ("race", "a barrier"),
    "lanes_of_a_warp": ("lanes", "give each lane its own address"),
    "neighbours_word": ("race", "a barrier"),
    "other_barrier": ("race", "a barrier"),
    "flag_without_fence": ("race", "a fence (simt_fence) after the first, before the barrier or flag"),
    "flag_of_another_function": ("race", "a barrier"),
    "atomic_and_plain": ("race", "make both accesses atomic"),
    "unlocked_counter": ("race", "a fence (simt_fence)"),
    "lane_without_fence": ("lane_order", "a fence (simt_fence)"),
    "lane_between_fences": ("lane_order", "a fence (simt_fence)"),
    "uninitialised": ("uninitialised", "write it first"),
    "partly_uninitialised": ("uninitialised", "write it first"),
}
BARRIERS = {
    "counts_differ": ("barrier_count", "the same number everywhere"),
    "count_too_small": ("barrier_count", "count"),  # one too many, or left over at the end: as the warps come
    "count_too_large": ("barrier_count", "check the count"),
    "barrier_in_split": ("barrier_in_split", "past the end of the SIMT_IF"),
}
UNITS = {
    "store_then_dma": ("race", "a fence (simt_fence) between the store and the command"),
    "warps_then_dma": ("race", "a barrier (simt_barrier) between the access and the command"),
    "operands_without_fence": ("fence_missing", "a fence (simt_fence) between the store and the command"),
    "tile_too_early": ("early_read", "wait until the unit is idle"),
    "wait_without_barrier": ("race", "a barrier"),
    "compute_too_early": ("unit_order", "wait until the unit is idle (matrix_unit_fence) between"),
    "load_into_tile_in_use": ("unit_order", "wait until the unit is idle (matrix_unit_fence) between"),
    "one_buffer": ("unit_order", "wait until the unit is idle (matrix_unit_fence) between"),
    "sums_in_turns": ("foreign_sums", "store the sums of a product before starting the next"),
    "sums_of_another": ("foreign_sums", "store the sums of a product before starting the next"),
    "sums_not_begun": ("foreign_sums", "start each product without accumulation"),
    "store_into_tile_in_use": ("overwritten_in_use", "wait until the unit is idle"),
    "result_too_early_shared": ("early_read", "wait until the unit is idle"),
    "result_too_early_global": ("early_read", "wait until the unit is idle"),
    "result_loaded_too_early": ("unit_order", "wait until the unit is idle (matrix_unit_fence) between"),
    "two_drivers": ("command_order", "let one warp drive the unit"),
    "lost_commands": ("command_busy", "wait until the unit is idle"),
    "tile_leaves_buffer": ("tile", "size of the tile"),
    "tile_leaves_shared_memory": ("tile", "size of the tile"),
}
TENSOR = {
    "unsettled_store": ("race", "decoupled_tensor_settle() after the store"),
    "tile_of_another_warp": ("race", "decoupled_tensor_settle() after the store"),
    "product_before_dma": ("early_read", "wait until the unit is idle"),
    "overwritten_operand": ("overwritten_in_use", "decoupled_tensor_wait()"),
    "result_before_wait": ("registers", "decoupled_tensor_wait()"),
    "load_under_way": ("registers", "decoupled_tensor_settle()"),
}
# There the last warp comes too late for its barrier, and the others wait for it at the next one.
HANGS = {("count_too_small", "fast"), ("count_too_small", "cycle")}


class Program:
    """A program with cases, and the marks in its source."""

    def __init__(self, name, config):
        self.name, self.config = name, config
        self.source = HERE / f"{name}.cpp"
        text = self.source.read_text()
        self.cases = re.findall(r"\w+", re.search(r"cases\[\] = \{([^}]*)\}", text)[1])
        self.marks = {}  # (case, first or second): lines
        for number, line in enumerate(text.splitlines(), 1):
            for case, sides in re.findall(r"/\* (\w+): ([\w, ]+) \*/", line):
                for side in sides.split(", ") if sides != "either" else ("first", "second"):
                    self.marks.setdefault((case, side), set()).add(number)

    def run(self, case, bug, mode="cycle", *more):
        """Exit code, what it said, and the findings."""
        with folder() as out:
            result = spica("run", self.config, elf(self.name), "--args", f"u32:{self.cases.index(case)},u32:{bug}",
                           "--mode", mode, "--check", "hazards", "--out", out, "-q", *more)
            return result, json.loads((pathlib.Path(out) / "hazards.json").read_text())["hazards"]

    def lines(self, party):
        """Lines of the program through which a side of a finding comes, from the innermost to the outermost."""
        if party is None:
            return set()
        frames = [party, *party["inlined_into"]]
        return {frame["line"] for frame in frames if frame["file"].endswith(self.source.name)}


GENERAL = Program("hazards", "virgo")
DECOUPLED = Program("tensor_hazards", "fp16-hopper")


class Hazards(unittest.TestCase):
    def check_found(self, program, expected):
        for case, mode in itertools.product(expected, MODES):
            kind, advice = expected[case]
            with self.subTest(case=case, mode=mode):
                result, findings = program.run(case, 1, mode)
                self.assertEqual(result.code, 1, result.text)
                first, second = (program.marks.get((case, side), set()) for side in ("first", "second"))

                def right(finding):
                    one, two = program.lines(finding["first"]), program.lines(finding["second"])
                    there = bool(two & second) and (not first or finding["first"] is None or bool(one & first))
                    swapped = bool(one & second) and bool(two & first)
                    return finding["kind"] == kind and advice in finding["advice"] and (there or swapped)

                self.assertTrue(any(map(right, findings)), f"{first} {second} {json.dumps(findings, indent=1)}")
                for finding in findings:  # nothing else is wrong
                    if (case, mode) in HANGS and re.search("never do|when the run ends", finding["detail"]):
                        continue
                    self.assertTrue((program.lines(finding["first"]) | program.lines(finding["second"])) &
                                    (first | second), json.dumps(finding, indent=1))

    def check_clean(self, program, expected):
        for case, mode in itertools.product(expected, MODES):
            with self.subTest(case=case, mode=mode):
                result, findings = program.run(case, 0, mode)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(findings, [])
                self.assertIn("hazards: none found", result.err)

    def test_every_case_has_an_expectation(self):
        self.assertEqual(sorted(GENERAL.cases), sorted([*WARPS, *BARRIERS, *UNITS]))
        self.assertEqual(sorted(DECOUPLED.cases), sorted(TENSOR))

    def test_hazards_between_warps_are_found(self):
        self.check_found(GENERAL, WARPS)

    def test_ordered_warps_are_clean(self):
        self.check_clean(GENERAL, WARPS)

    def test_wrong_barriers_are_found(self):
        self.check_found(GENERAL, BARRIERS)

    def test_right_barriers_are_clean(self):
        self.check_clean(GENERAL, BARRIERS)

    def test_hazards_with_units_are_found(self):
        self.check_found(GENERAL, UNITS)

    def test_units_that_are_waited_for_are_clean(self):
        self.check_clean(GENERAL, UNITS)

    def test_hazards_with_decoupled_tensor_cores_are_found(self):
        self.check_found(DECOUPLED, TENSOR)

    def test_decoupled_tensor_cores_that_are_waited_for_are_clean(self):
        self.check_clean(DECOUPLED, TENSOR)

    def test_a_report_names_both_sides_the_address_and_what_would_order_them(self):
        result, _ = GENERAL.run("warps_of_two_cores", 1)
        for text in ("core 0, warp 3, lanes 0-7", "core 2, warp 5, lanes 0-7", "shared memory + 0x100", "remedy",
                     "hazards: 1 found"):
            self.assertIn(text, result.err)

    def test_the_same_run_reports_the_same(self):
        self.assertEqual(GENERAL.run("one_buffer", 1)[1], GENERAL.run("one_buffer", 1)[1])


class BarriersThatDoNotWait(unittest.TestCase):
    """The machine of the published core: a fence and a barrier order nothing beyond a core."""
    OFF = ("--set", "cluster.core.barrier_waits_for_memory=false")

    def test_a_fence_and_a_barrier_are_a_race_there_with_both_lines(self):
        for mode in MODES:
            self.assertEqual(GENERAL.run("warps_of_a_core", 0, mode, *self.OFF)[1], [])
            self.assertEqual(len(GENERAL.run("warps_of_a_core", 1, mode, *self.OFF)[1]), 1)
        for case, mode in itertools.product(("warps_of_two_cores", "global_memory"), MODES):
            with self.subTest(case=case, mode=mode):
                self.assertEqual(GENERAL.run(case, 0, mode)[1], [])
                result, findings = GENERAL.run(case, 0, mode, *self.OFF)
                self.assertEqual(result.code, 1, result.text)
                first, second = (GENERAL.marks[case, side] for side in ("first", "second"))
                self.assertTrue(any(f["kind"] == "race" and GENERAL.lines(f["first"]) & first and
                                    GENERAL.lines(f["second"]) & second and
                                    "barrier_waits_for_memory" in f["advice"] for f in findings), findings)

    def test_flags_and_settled_stores_are_in_order_there(self):
        """What waits for a flag, or for a CSR access after a fence, needs no barrier that waits."""
        for mode in MODES:
            result, findings = GENERAL.run("flag_without_fence", 0, mode, *self.OFF)
            flag = GENERAL.marks["flag_without_fence", "first"]
            self.assertFalse(any(GENERAL.lines(f["first"]) & flag for f in findings), findings)

    def test_the_race_behind_the_wrong_attention_is_found_in_both_modes(self):
        for mode in MODES:
            with folder() as out:
                result = spica("attention", "--design", "tc-overlapped", "--exponential", "polynomial", "--sequence", "128",
                               "--mode", mode, "--check", "hazards", "--out", out, *self.OFF)
                self.assertEqual(result.code, 1, result.text)
                findings = json.loads((pathlib.Path(out) / "hazards.json").read_text())["hazards"]
                self.assertTrue(any(f["kind"] == "race" and "attention_tc" in json.dumps(f["first"]) and
                                    "attention_tc" in json.dumps(f["second"]) for f in findings), result.text)

    def test_attention_that_was_wrong_is_right_on_the_machine_as_it_is(self):  # long
        result = spica("attention", "--design", "tc-overlapped", "--exponential", "polynomial")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("verified", result.out)

    def test_a_wrong_result_names_the_checker_as_the_next_step(self):
        # A timing at which a race shows: loads overtake the products that read the tiles (deviation D152).
        result = spica("gemm", "--design", "fp16-hopper", "--size", "256",
                       "--set", "cluster.tensor_core.decoupled.source_ids=1", "--set", "cluster.shared_memory.read_latency=60")
        self.assertEqual(result.code, 1, result.text)
        self.assertIn("WRONG RESULT", result.out)
        self.assertRegex(result.out, r"next +--check hazards")


class Kernels(unittest.TestCase):
    """No false alarm on what is right."""

    def check_clean(self, *command):
        for mode in MODES:
            with self.subTest(command=command, mode=mode):
                result = spica(*command, "--mode", mode, "--check", "hazards")
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("hazards: none found", result.err)

    def test_small_kernels(self):
        softmax = (elf("softmax"), "--args", "columns=100")
        for kernel in ("hello", "vecadd", "saxpy", "reduce", "elementwise", "collatz", "library_check"):
            self.check_clean("run", "virgo", elf(kernel))
        self.check_clean("run", "virgo", *softmax)
        for kernel in ((elf("reduce"),), softmax, (elf("elementwise"),), (elf("collatz"),)):
            self.check_clean("run", "virgo", *kernel, "--set", "cluster.core.reconvergence=min_pc")
        self.check_clean("run", "fp16-hopper", elf("hgmma"))
        self.check_clean("run", "virgo", elf("wmma_fragments"))

    def test_matrix_products_of_all_designs(self):
        for design in ("tc", "tc-dma", "virgo", "virgo-dma", "tc-dma-swish", "virgo-dma-swish",
                       "tc-dma-swish-overlapped", "virgo-dma-swish-overlapped"):
            self.check_clean("gemm", "--design", design, "--size", "128x64x128")
        for design in ("dual-serial", "dual-parallel"):
            self.check_clean("gemm", "--design", design, "--size", "128x64x128+64x64x64")

    def test_matrix_products_of_all_configurations(self):
        for config in ("attention", "fp16-ampere", "fp16-quartile", "fp16-virgo", "fp16-volta",
                       "fp16-ampere-quartile", "virgo-16k", "virgo-dual"):
            self.check_clean("gemm", "--config", config, "--size", "128x64x256")

    def test_products_of_the_hopper_kernel_are_not_waited_for_and_nothing_else_races(self):
        for design, *options in (("fp16-hopper",), ("fp16-hopper-quartile",), ("fp16-hopper", "--output-format", "int8")):
            # docs/deviations.md, D152; configs/designs/fp16-hopper.suppressions
            result = spica("gemm", "--design", design, "--size", "128x128x256", *options, "--check", "hazards")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("hazards: none found", result.err)
            self.assertRegex(result.text, r"suppressed: [12] finding")

    def test_designs_that_meet_at_barriers_alone_say_so(self):
        result = spica("gemm", "--design", "mlds-64x64x32", "--size", "64x64x64", "--mode", "fast", "--check", "hazards")
        self.assertEqual(result.code, 0, result.text)
        self.assertRegex(result.text, r"mlds\.suppressions:\d+: fence_missing function=block")

    def test_a_fence_in_front_of_wspawn_is_enough_in_a_core_whose_barriers_do_not_wait(self):
        for mode in MODES:
            result = spica("run", "virgo", elf("vecadd"), "--args", "u32:256,u32:1", "--mode", mode, "--check", "hazards",
                           "--set", "cluster.core.barrier_waits_for_memory=false")
            self.assertNotIn("sw/lib/spawn.cpp", result.err)

    def test_attention(self):  # long
        for design in ("virgo", "tc", "virgo-overlapped", "tc-overlapped", "fp16-tc", "fp16-tc-overlapped",
                       "fp16-virgo-overlapped", "fp16-hopper"):
            self.check_clean("attention", "--design", design, "--sequence", "256")
        for design in ("tc", "virgo", "tc-overlapped"):
            self.check_clean("attention", "--design", design, "--sequence", "128", "--exponential", "polynomial")

    def test_the_checker_changes_no_cycle(self):
        plain = spica("gemm", "--size", "128x128x128")
        checked = spica("gemm", "--size", "128x128x128", "--check", "hazards")
        cycles = re.compile(r"cycles +([\d,]+)")
        self.assertEqual(cycles.search(plain.out)[1], cycles.search(checked.out)[1])


class Suppressed(unittest.TestCase):
    """--suppress, with the race of the guide."""

    def run_with(self, entries, mode="cycle"):
        with folder() as out:
            file = pathlib.Path(out) / "known.txt"
            file.write_text("\n".join(entries) + "\n")
            result = spica("run", "virgo", elf("race_example"), "--mode", mode, "--check", "hazards", "--suppress", file,
                           "--out", out, "-q")
            found = pathlib.Path(out) / "hazards.json"
            return result, json.loads(found.read_text())["hazards"] if found.exists() else None

    def test_what_every_finding_calls_its_suppression_suppresses_it(self):
        for mode in MODES:
            result, findings = self.run_with(["# nothing yet"], mode)
            self.assertEqual(result.code, 1)
            # In the fast mode a warp reads what later ones have not written yet; in the cycle mode it depends on the timing.
            self.assertGreater(len(findings), 1 if mode == "fast" else 0)
            for left in findings:
                others = [f["suppression"] for f in findings if f is not left]
                result, rest = self.run_with(others, mode)
                self.assertEqual((result.code, [f["suppression"] for f in rest]), (1, [left["suppression"]]))
            result, rest = self.run_with([f["suppression"] for f in findings], mode)
            self.assertEqual((result.code, rest), (0, []), result.text)
            self.assertIn("hazards: none found", result.err)
            self.assertIn(f"suppressed: {len(findings)} finding", result.err)

    def test_an_entry_that_matches_nothing_is_said_to_be_unused(self):
        result, _ = self.run_with(["race function=reverse", "uninitialised function=revers"], "fast")
        self.assertEqual(result.code, 1)
        self.assertIn("known.txt:1: race function=reverse", result.err)
        self.assertRegex(result.err, r"unused: .*known.txt:2: uninitialised function=revers\n")

    def test_mistakes_in_the_file_are_the_users(self):
        result, findings = self.run_with(["race function=reverse", "rase function=reverse", "race lines=3"])
        self.assertEqual((result.code, findings), (2, None), result.text)
        for part in ('known.txt:2: "rase" is not a kind of finding, did you mean "race"?', "known.txt:3: \"lines=3\" is not known"):
            self.assertIn(part, result.err)
        self.assertEqual(spica("run", "virgo", elf("hello"), "--check", "hazards", "--suppress", "/no/such").code, 2)
        self.assertEqual(spica("run", "virgo", elf("hello"), "--suppress", "/dev/null").code, 2)


class Guide(unittest.TestCase):
    """The example of docs/howto/find-a-race.md."""

    def test_the_example_says_what_the_guide_says(self):
        guide = (pathlib.Path(__file__).parents[2] / "docs" / "howto" / "find-a-race.md").read_text()
        code = re.search(r"```cpp\n(.*?)```", guide, re.S)[1]
        source = (pathlib.Path(__file__).parents[2] / "sw/examples/race/main.cpp").read_text()
        for line in code.splitlines():
            self.assertIn(line + "\n", source)
        report = re.search(r"```\n(hazard \d: two unordered accesses.*?)```", guide, re.S)[1].strip()
        result = spica("run", "virgo", elf("race_example"), "--check", "hazards", "-q")
        self.assertEqual(result.code, 1, result.text)
        # Addresses of code and times depend on the compiler.
        plain = [re.sub(r"pc 0x[0-9a-f]{8}|cycle \d+", "", text) for text in (report, result.err)]
        self.assertIn(plain[0], plain[1])

    def test_the_mended_example_is_clean(self):
        result = spica("run", "virgo", elf("race_example_fixed"), "--check", "hazards", "-q")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("hazards: none found", result.err)

    def test_the_option_knows_its_values(self):
        result = spica("run", "virgo", elf("race_example"), "--check", "races")
        self.assertEqual(result.code, 2)
        self.assertIn("hazards", result.text)


if __name__ == "__main__":
    unittest.main()
