# SPDX-License-Identifier: Apache-2.0
"""--check memory: each seeded error is found in its line, in both modes; the same program without it, and the kernels
of the repository, are clean."""
import itertools
import json
import pathlib
import re
import unittest

from spica_runner import elf, folder, spica

MODES = ("cycle", "fast")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = pathlib.Path(__file__).parent / "memory_errors" / "memory_errors.cpp"
# Case: kind of the finding, and a piece of what it says.
CASES = {
    "code_written": ("read_only", r"section \.text"),
    "constant_written": ("read_only", r"section \.rodata"),
    "behind_object": ("outside_object", r"0 bytes past the end of `odd` \(61 bytes"),
    "behind_into_next": ("outside_object", r"0 bytes past the end of `full` \(256 bytes at 0x[0-9a-f]+\), in `\w+`"),
    **{case: ("outside_object", r"0 bytes past the end of `page` \(64 bytes at 0x[0-9a-f]+000\), in `behind_page`")
       for case in ("page_in_one_register", "page_in_two_registers", "page_by_pc", "page_of_the_access")},
    "page_at_a_distance": ("outside_object", r"0 bytes past the end of `page` \(64 bytes at 0x[0-9a-f]+000\), in `behind_page`"),
    "page_proven_later": ("outside_object", r"4 bytes past the end of `page` \(64 bytes at 0x[0-9a-f]+000\), in `behind_page`"),
    "before_object": ("outside_object", r"4 bytes before the beginning of `counts` \(244 bytes"),
    "behind_constant": ("outside_object", r"0 bytes past the end of `table` \(32 bytes"),
    "copied_too_far": ("outside_object", r"0 bytes past the end of `counts` \(244 bytes"),
    "across_end": ("outside_object", r"3 bytes of it past the end of `odd`"),
    "lane_behind_object": ("outside_object", r"0 bytes past the end of `counts` \(244 bytes"),
    "behind_block": ("heap_block", r"0 bytes past the end of the block .* of 24 bytes"),
    "before_block": ("heap_block", r"before the block"),
    "after_free": ("heap_block", r"byte \d+ of the freed block 0x[0-9a-f]+ of \d+ bytes"),
    "unwritten_heap": ("unwritten", r"none of the 4 bytes"),
    "unwritten_stack": ("unwritten", r"none of the 4 bytes"),
    "stale_stack": ("unwritten", r"none of the 4 bytes"),
    "unwritten_operand": ("unwritten", r"none of the 4 bytes"),
    "misaligned_transfer": ("dma_alignment", r"elements have 4 bytes"),
    "unconfigured_unit": ("unconfigured", r"no command has configured the loads"),
}
CLEAN = ("hello", "library_check", "collatz", "vecadd", "saxpy", "reduce", "softmax", "elementwise", "particles", "irregular_macros", "irregular_plugin", "race_example_fixed",
         "deep_recursion_fixed", "histogram_fixed")
SMALLER = {**dict.fromkeys(("vecadd", "saxpy", "reduce"), "n=256,flags=1"), "softmax": "columns=100"}


# Of work groups and warps, by number: kind, and a piece of what it says.
GROUPS = {
    "rounded_up": r"0 bytes past the end of the part of work group .*, beyond the declared size.* 400 bytes",
    "neighbour": r"112 bytes past the end of the part of work group \(\d, 0, 0\), in the part of work group \(\d, 0, 0\)",
    "nobody": r"past the end of the part of work group .*, in no work group's part",
    "copied": r"112 bytes past the end of the part of work group",
    "moved": r"(across|\d+ bytes past) the end of the part of work group",
}
WARPS = {
    "without_a": ("unloaded_fragment", r"fragment 0 \(A\) has no value"),
    "without_b": ("unloaded_fragment", r"fragment 1 \(B\) has no value"),
    "without_sums": ("unloaded_fragment", r"fragment 2 \(accumulator\) has no value"),
    "sums_set_in_part": ("unloaded_fragment", r"1 of 8 registers of fragment 2 \(accumulator\) have a value"),
    "register_never_set": ("unloaded_fragment", r"of fragment 2 \(accumulator\)"),
    "asked_behind_a_branch": ("absent_lane", r"lane 16 did not take part in this exchange, lanes 0-15 did"),
    "broadcast_of_an_absent_lane": ("absent_lane", r"lane 0 did not take part in this exchange, lanes 1-31 did"),
}

# Programs in plain C++ whose first object is at a multiple of 4096; %s is the element behind the end, or in front.
PROGRAM = """#include <spica/simt.h>
#include <simt.h>
#include <spawn.h>
enum { N = 20 };
[[gnu::section(".bss.first"), gnu::aligned(4096)]] float first[N];
float next[N], sums[64];
[[gnu::noinline]] float sum(const float* p, int last) {
  float s = 0;
  for (int i = 0; i <= last; ++i) s += p[i]; /* sum */
  return s;
}
static void task(unsigned id, void*) {
  float s = 0;
%s
  sums[id] = s + next[3];
}
int main() {
  for (unsigned i = 0; i < N; ++i) first[i] = next[i] = 1;
  spawn_tasks(64, task, nullptr);
  return 0;
}
"""
LOOPS = {  # text, the wrong element, the right one
    "upwards": ("for (const float* p = first; p <= first + %s; ++p) s += *p; /* x */", "N", "N - 1"),
    "downwards": ("for (int i = %s; i >= 0; --i) s += first[i]; /* x */", "N", "N - 1"),
    "in front": ("for (int i = N - 1; i >= %s; --i) s += next[i]; /* x */", "-1", "0"),
    "constants": ("const float* p = first; s = p[0] + p[7] + p[%s]; /* x */", "N", "N - 1"),
    "lanes": ("s = first[id %% (%s + 1)]; /* x */", "N", "N - 1"),
    "neighbours": ("for (int i = %s; i < N - 1; ++i) s += next[i - 1] + next[i + 1]; /* x */", "0", "1"),
    "called": ("s = sum(first, %s);", "N", "N - 1"),
}


class MemoryErrors(unittest.TestCase):
    def setUp(self):
        text = SOURCE.read_text()
        self.order = re.findall(r"\w+", re.search(r"cases\[\]\)\(unsigned\) = \{([^}]*)\}", text)[1])
        self.lines = {}
        for number, line in enumerate(text.splitlines(), 1):
            for marks in re.findall(r"/\* ([\w, ]+) \*/", line):
                for mark in marks.split(", "):
                    self.lines[mark] = number

    def run_case(self, case, bug, mode, *more):
        with folder() as out:
            result = spica("run", "virgo", elf("memory_errors"), "--args", f"u32:{self.order.index(case)},u32:{bug}",
                           "--mode", mode, "--check", "memory", "--out", out, "-q", *more)
            return result, json.loads((pathlib.Path(out) / "memory.json").read_text())["memory_errors"]

    def test_each_error_is_found_where_it_is_and_nothing_else(self):
        for case, mode in itertools.product(CASES, MODES):
            kind, text = CASES[case]
            with self.subTest(case=case, mode=mode):
                result, findings = self.run_case(case, 1, mode)
                self.assertEqual(result.code, 1, result.text)
                self.assertEqual({f["kind"] for f in findings}, {kind}, result.err)
                self.assertRegex(findings[0]["detail"], text)
                second = findings[0]["second"]
                sides = [second, *second["inlined_into"], *([second["called_from"]] if second["called_from"] else [])]
                self.assertIn(self.lines[case], [side["line"] for side in sides], result.err)

    def test_overruns_of_objects_at_multiples_of_4096_are_found_at_every_level(self):  # long
        for (case, (text, wrong, right)), level in itertools.product(LOOPS.items(), ("-O1", "-O2", "-Os")):
            with self.subTest(case=case, level=level), folder() as out:
                work = pathlib.Path(out)
                for element in (wrong, right):
                    program = PROGRAM % (text % element)
                    (work / "x.cpp").write_text(program)
                    done = spica("cc", work / "x.cpp", level, "-g", "-o", work / "x.elf")
                    self.assertEqual(done.code, 0, done.text)
                    result = spica("run", "virgo", work / "x.elf", "--mode", "fast", "--check", "memory", "--out", work / "out", "-q")
                    findings = json.loads((work / "out/memory.json").read_text())["memory_errors"]
                    if element == right:
                        self.assertEqual((result.code, findings), (0, []), result.text)
                        continue
                    self.assertEqual({f["kind"] for f in findings}, {"outside_object"}, result.text)
                    lines = {n for n, words in enumerate(program.splitlines(), 1) if "/* x */" in words or "/* sum */" in words}
                    self.assertLessEqual({f["second"]["line"] for f in findings}, lines, result.text)

    def test_the_same_programs_without_the_error_are_clean(self):
        for case, mode in itertools.product(CASES, MODES):
            with self.subTest(case=case, mode=mode):
                result, findings = self.run_case(case, 0, mode)
                self.assertEqual((result.code, findings), (0, []), result.text)

    def check_cases(self, cases, source, run):
        """Each case with its bug is found in the line with its mark, and without it there is nothing."""
        lines = (SOURCE.parent / source).read_text().splitlines()
        for (number, case), mode in itertools.product(enumerate(cases), MODES):
            with self.subTest(case=case, mode=mode), folder() as out:
                kind, text = cases[case]
                kernel = ("--kernel", "moves" if case == "moved" else "cases") if cases is not WARPS else ()
                for bug in (1, 0):
                    result = spica("run", *run, *kernel, "--args", f"u32:{number},u32:{bug}", "--mode", mode, "--check", "memory",
                                   "--check", "hazards", "--out", out, "-q")
                    findings = json.loads((pathlib.Path(out) / "memory.json").read_text())["memory_errors"]
                    if bug == 0:
                        self.assertEqual((result.code, findings), (0, []), result.text)
                        continue
                    self.assertEqual({f["kind"] for f in findings}, {kind}, result.text)
                    self.assertRegex(findings[0]["detail"], text)
                    sides = [findings[0]["second"], *findings[0]["second"]["inlined_into"]]
                    line = next(n for n, words in enumerate(lines, 1) if f"/* {case} */" in words)
                    self.assertIn(line, [side["line"] for side in sides], result.err)

    def test_work_groups_stay_in_their_part_of_shared_memory(self):
        self.check_cases({case: ("outside_group", text) for case, text in GROUPS.items()}, "group_errors.cpp",
                         ("virgo", elf("group_errors"), "--set", "dispatcher.present=true", "--grid", "4",
                          "--set", "cluster.core.async_copy=true", "--set", "cluster.core.load_store.lanes=lockstep"))

    def test_values_that_are_not_there_are_found_where_they_are_used(self):
        self.check_cases(WARPS, "warp_errors.cpp", ("volta-sm", elf("warp_errors")))

    def test_the_lane_is_named(self):
        _, findings = self.run_case("lane_behind_object", 1, "cycle")
        self.assertEqual(findings[0]["second"]["lanes"], [7])

    def test_an_error_can_be_suppressed(self):
        _, findings = self.run_case("after_free", 1, "fast")
        with folder() as out:
            known = pathlib.Path(out) / "known"
            known.write_text(findings[0]["suppression"] + "\n")
            result, findings = self.run_case("after_free", 1, "fast", "--suppress", known)
        self.assertEqual((result.code, findings), (0, []), result.text)

    def test_kernels_and_examples_are_clean(self):
        for name, mode in itertools.product(CLEAN, MODES):
            with self.subTest(name=name, mode=mode):
                arguments = ("--args", SMALLER[name]) if name in SMALLER else ()
                result = spica("run", "virgo", elf(name), "--mode", mode, "--check", "memory", "-q", *arguments)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("memory errors: none found", result.err)

    def test_matrix_products_and_attention_are_clean(self):
        for design in ("simt", "tc", "tc-dma", "virgo", "virgo-dma", "fp16-volta", "fp16-ampere", "fp16-hopper"):
            with self.subTest(design=design):
                result = spica("gemm", "--design", design, "--size", "128x128x128", "--mode", "fast", "--check", "memory")
                self.assertEqual(result.code, 0, result.text)
        result = spica("attention", "--design", "virgo-overlapped", "--exponential", "polynomial", "--sequence", "128", "--check",
                       "memory")
        self.assertEqual(result.code, 0, result.text)

    def test_findings_in_matrices_name_the_element_and_its_format(self):
        kernel = (ROOT / "sw/kernels/gemm_virgo_dma/main.cpp").read_text()
        store = "  MARK_BEG();\n" + "".join(
            f"  {{ volatile unsigned char* p = reinterpret_cast<unsigned char*>({matrix} + 65); *p = *p; }}\n" for matrix in "ab")
        self.assertEqual(kernel.count("  MARK_BEG();\n"), 1)
        with folder() as out:
            work = pathlib.Path(out)
            (work / "mine.cpp").write_text(kernel.replace("  MARK_BEG();\n", store))
            design = (ROOT / "configs/designs/virgo-dma.yaml").read_text()
            design = re.sub(r"^(order|kernel|standard|published):.*\n(  - .*\n)*", "", design, flags=re.M)
            (work / "mine.yaml").write_text(design.replace("source: gemm_virgo_dma", "source: mine.cpp"))
            # A row by row, B row by row of words of 32 bits: elements along k in each.
            for number_format, in_a, in_b in (("fp32", "row 0, column 16", "row 0, column 16"),
                                              ("fp16", "row 0, column 32", "row 0, column 16"),
                                              ("fp8_e4m3", "row 0, column 65", "row 1, column 16"),
                                              ("int4", "row 0, columns 130 to 131", "rows 2 to 3, column 16")):
                with self.subTest(number_format):
                    result = spica("gemm", "--design", work / "mine.yaml", "--size", "64x64x512", "--format", number_format,
                                   "--mode", "fast", "--check", "hazards", "--out", work / "out")
                    self.assertEqual(result.code, 1, result.text)
                    self.assertIn(f"A + 0x41: {in_a} ({number_format})", result.err)
                    self.assertIn(f"B + 0x41: {in_b} ({number_format})", result.err)


if __name__ == "__main__":
    unittest.main()
