# SPDX-License-Identifier: Apache-2.0
"""Lanes that part at any branch (cluster.core.reconvergence: min_pc): programs of compilers that know nothing of lanes."""
import json
import pathlib
import shlex
import struct
import subprocess
import sys
import unittest

from spica_runner import elf, folder, needs_gcc, spica

FOLDER = pathlib.Path(__file__).resolve().parent / "plain_cpp"
sys.path.insert(0, str(FOLDER))
import run_plain  # noqa: E402

MIN_PC = "cluster.core.reconvergence=min_pc"
GCC = ("--compiler", "gcc")

LOCK = """
#include <simt.h>
#include <spawn.h>
static volatile unsigned word;
unsigned total;
static void task(unsigned id, void*) {
  while (__atomic_exchange_n(&word, 1u, __ATOMIC_ACQUIRE) != 0) {
  }
  total = total + id + 1;
  __atomic_store_n(&word, 0u, __ATOMIC_RELEASE);
}
int main() { spawn_tasks(64, task, nullptr); }
"""
LOCKS = """
#include <simt.h>
#include <spawn.h>
#include <spica/atomic.h>
#include <stdio.h>
extern "C" { unsigned lock[8], table[8]; }
static void take(unsigned* l) { while (spica::atomic_exchange(l, 1u) != 0) {} }
static void give(unsigned* l) { simt_fence(); spica::atomic_exchange(l, 0u); }
static void task(unsigned id, void*) {
  const unsigned h = id * 7 % 4;
#if KIND == 0  // a hash table
  take(&lock[h]); table[h] += id; give(&lock[h]);
#elif KIND == 1  // a list with locks of its nodes
  unsigned at = 0; take(&lock[0]);
  while (at < h) { take(&lock[at + 1]); give(&lock[at]); ++at; }
  table[at] += id; give(&lock[at]);
#elif KIND == 2  // a range
  take(&lock[h]); take(&lock[h + 1]); table[h] += id; give(&lock[h + 1]); give(&lock[h]);
#elif KIND == 3  // three, in order
  take(&lock[h]); take(&lock[h + 1]); take(&lock[h + 2]); table[h] += id;
  give(&lock[h]); give(&lock[h + 2]); give(&lock[h + 1]);
#elif KIND == 4  // with output of the holder, for which the library changes the mask
  take(&lock[0]); table[0] += id; if (id % 16 == 5) printf("%u has it\\n", id); give(&lock[0]);
#else  // a try, in a loop with a flag
  for (bool done = false; !done;)
    if (spica::atomic_exchange(&lock[h], 1u) == 0) { table[h] += id; give(&lock[h]); done = true; }
#endif
}
int main() {
  spawn_tasks(64, task, nullptr);
  simt_barrier(0, 1);
  unsigned sum = 0;
  for (unsigned i = 0; i < 8; ++i) sum += table[i];
  return sum != 2016;
}
"""
VOTES = """
#include <simt.h>
#include <spawn.h>
#include <spica/simt.h>
unsigned wrong;
static void expect(bool good) { if (!good) __atomic_fetch_add(&wrong, 1u, __ATOMIC_RELAXED); }
static unsigned bits(bool (*holds)(unsigned)) {
  unsigned all = 0;
  for (unsigned lane = 0; lane < simt_lanes(); ++lane) all |= unsigned(holds(lane)) << lane;
  return all;
}
static void task(unsigned id, void*) {
  const unsigned me = simt_lane(), lanes = simt_lanes(), every = ~0u >> (32 - lanes);
  expect(spica::ballot(me & 1) == bits([](unsigned lane) { return lane % 2 == 1; }));
  expect(spica::ballot(me % 3 == 0) == bits([](unsigned lane) { return lane % 3 == 0; }));
  expect(spica::ballot(id < 1000) == every && spica::ballot(id > 1000) == 0);
  expect(spica::count(me >= 2) == lanes - 2 && spica::rank(me != 1) == me - (me > 1));
  expect(spica::any(me == 3) && !spica::all(me == 3) && spica::all(id < 1000));
  // Behind a branch, of the lanes that are here: of this one its own, and of others theirs or none.
  unsigned steps = 0;
  for (unsigned x = id + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2, ++steps) {
    const bool odd = me & 1;
    const unsigned vote = spica::ballot(odd), here = 1u << me;
    expect((vote & ~0xAAAAAAAAu) == 0 && ((vote & here) != 0) == odd && (vote & ~every) == 0);
  }
  if (me % 4 == 1) {
    const unsigned vote = spica::ballot(me > 1);
    expect((vote & ~(0x22222222u & every & ~2u)) == 0 && (vote >> me & 1) == (me > 1));
  }
  const unsigned zero = spica::ballot(me == 0);
  expect(zero == 1 || (zero == 0 && me != 0));
}
int main() { spawn_tasks(64, task, nullptr); simt_barrier(0, 1); return wrong != 0; }
"""
SPINS = """
#include <simt.h>
#include <spawn.h>
#include <spica/atomic.h>
#include <spica/simt.h>
extern "C" { unsigned lock, wrong; }
static void vote() {
  const unsigned lane = simt_lane(), all = spica::ballot(lane & 1);
  if ((all & 0x55555555u) != 0 || (all >> lane & 1) != (lane & 1)) __atomic_fetch_add(&wrong, 1u, __ATOMIC_RELAXED);
}
static void task(unsigned id, void*) {
  for (unsigned turn = 0; turn < 4 + 3 * (id % 5); ++turn) {
    while (spica::atomic_exchange(&lock, 1u) != 0) vote();
    for (unsigned k = 0; k < 90; ++k) vote();
    simt_fence();
    spica::atomic_exchange(&lock, 0u);
  }
}
int main() { spawn_tasks(8, task, nullptr); simt_barrier(0, 1); return wrong != 0; }
"""
NEVER_MEET = """
#include <simt.h>
#include <spawn.h>
static void task(unsigned id, void*) {
  if (id & 1) simt_barrier(1, 2);
  else simt_barrier(2, 2);
}
int main() { spawn_tasks(8, task, nullptr); }
"""


def compiled(work, text, *options):
    source, elf = pathlib.Path(work, "program.cpp"), pathlib.Path(work, "program.elf")
    source.write_text(text)
    result = spica("cc", source, *options, "-o", elf)
    assert result.code == 0, result.text
    return elf


@needs_gcc
class MinPc(unittest.TestCase):
    def run_file(self, name, levels, lanes, more=GCC):
        with folder() as work:
            run_plain.run_source(FOLDER / name, pathlib.Path(work), levels, lanes, ["cycle", "fast"], more, [MIN_PC])

    def test_what_gcc_makes_of_plain_programs_gives_the_results_of_the_host_at_every_level(self):
        for name in ("cases.cpp", "calls.cpp"):
            self.run_file(name, run_plain.LEVELS, ["8"])

    def test_it_does_with_4_16_and_32_lanes(self):
        for name in ("cases.cpp", "calls.cpp"):
            self.run_file(name, ["-O2"], ["4", "16", "32"])

    def test_random_programs_do(self):  # long
        with folder() as work:
            for seed in range(601, 613):
                run_plain.run_random(seed, work, [run_plain.LEVELS[seed % len(run_plain.LEVELS)]], [run_plain.LANES[seed % 4]],
                                     ["cycle", "fast"], GCC, [MIN_PC])

    def test_random_programs_of_the_plugin_do(self):
        """Groups that meet in a loop have come into it at different times."""
        with folder() as work:
            for seed, lanes in ((71010, "16"), (71012, "8"), (71015, "32"), (72008, "4")):
                run_plain.run_random(seed, work, ["-O2"], [lanes], ["cycle", "fast"], (), [MIN_PC])

    def test_lanes_know_whether_any_of_them_has_a_condition(self):
        source = "#include <simt.h>\n#include <spawn.h>\nunsigned wrong;\nstatic void task(unsigned id, void*) {\n" \
                 "  if (!simt_any(simt_lane() == 3) || simt_any(id > 1000)) __atomic_fetch_add(&wrong, 1u, __ATOMIC_RELAXED);\n}\n" \
                 "int main() { spawn_tasks(64, task, nullptr); simt_barrier(0, 1); return wrong != 0; }\n"
        with folder() as work:
            program = compiled(work, source, *GCC)
            for mode in ("cycle", "fast"):
                self.assertEqual(spica("run", "virgo", program, "--mode", mode, "--set", MIN_PC).code, 0)

    def test_votes_are_right_where_lanes_are_together_and_where_they_have_parted(self):
        with folder() as work:
            for options in (GCC + ("-O2",), ("-O2",), GCC + ("-O0",)):
                program = compiled(work, VOTES, *options)
                for lanes in ("4", "8", "32"):
                    for mode in ("cycle", "fast"):
                        result = spica("run", "virgo", program, "--mode", mode, "--set", MIN_PC, "--set", f"cluster.core.lanes={lanes}",
                                       "--set", "cluster.tensor_core.present=false")
                        self.assertEqual(result.code, 0, f"{options} {lanes} {mode}\n{result.text}")

    def test_votes_are_right_where_groups_of_lanes_take_turns(self):
        with folder() as work:
            for options in (GCC + ("-O1",), ("-O2",)):
                program = compiled(work, SPINS, *options)
                for mode in ("cycle", "fast"):
                    result = spica("run", "virgo", program, "--mode", mode, "--set", MIN_PC)
                    self.assertEqual(result.code, 0, f"{options} {mode}\n{result.text}")

    def test_what_clang_makes_without_the_plugin_does(self):
        with folder() as work:
            work = pathlib.Path(work)
            elf = work / "program.elf"
            printed = spica("cc", FOLDER / "cases.cpp", "-O2", "-w", f"-I{FOLDER}", "-o", elf, "--print-command")
            words = shlex.split(printed.out)
            plugin = [i for i, word in enumerate(words) if "spica_lanes.so" in word or "-spica-" in word]
            stock = words[:plugin[0]] + words[plugin[-1] + 1:]
            subprocess.run(stock, check=True, capture_output=True)
            expected = run_plain.host_results(FOLDER / "cases.cpp", work)
            for mode in ("cycle", "fast"):
                run_plain.check(expected, elf, "8", mode, work, [MIN_PC])

    def test_without_it_such_a_program_is_a_fault(self):
        with folder() as work:
            program = compiled(work, LOCK, *GCC)
            for mode in ("cycle", "fast"):
                result = spica("run", "virgo", program, "--mode", mode)
                self.assertEqual(result.code, 1, result.text)

    def test_lanes_that_wait_for_a_lock_let_the_one_that_has_it_go_on(self):
        with folder() as work:
            program, saved = compiled(work, LOCK, *GCC), pathlib.Path(work, "total")
            for mode in ("cycle", "fast"):
                result = spica("run", "virgo", program, "--mode", mode, "--set", MIN_PC, "--save", f"{saved}@total")
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(struct.unpack("<I", saved.read_bytes())[0], 64 * 65 // 2)

    def test_locks_of_any_kind_end_as_independent_lanes_take_turns(self):  # long
        with folder() as work:
            for kind in range(6):
                program = compiled(work, LOCKS, *GCC, f"-DKIND={kind}", "-O2")
                for mode in ("cycle", "fast"):
                    texts = [spica("run", "virgo", program, "--mode", mode, "--set", MIN_PC) for _ in range(2)]
                    self.assertEqual(texts[0].code, 0, f"{kind} {mode}\n{texts[0].text}")
                    counts = [[line for line in text.out.splitlines() if "instructions" in line] for text in texts]
                    self.assertEqual(counts[0], counts[1])

    def test_designs_with_splits_and_masks_of_their_own_are_verified(self):
        for design in ("virgo-dma", "virgo", "tc", "tc-dma", "fp16-ampere", "fp16-hopper", "virgo-serial"):
            for mode in ("cycle", "fast"):
                result = spica("gemm", "--design", design, "--size", "64x64x64", "--mode", mode, "--set", MIN_PC)
                self.assertEqual(result.code, 0, f"{design} {mode}\n{result.text}")
                self.assertIn("verified", result.out)

    def test_lanes_that_can_never_meet_at_a_barrier_are_a_fault(self):
        with folder() as work:
            program = compiled(work, NEVER_MEET, *GCC)
            for mode in ("cycle", "fast"):
                result = spica("run", "virgo", program, "--mode", mode, "--set", MIN_PC)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn("lanes of the warp wait at another instruction", result.text)

    def test_a_checkpoint_between_parted_lanes_goes_on_to_the_same_bytes(self):
        with folder() as work:
            work = pathlib.Path(work)
            program = compiled(work, LOCK, *GCC)
            common = ("run", "virgo", program, "--mode", "fast", "--set", MIN_PC)
            plain = spica(*common, "--save-memory", work / "plain", "--checkpoint", "every=30k", "--checkpoint-dir",
                          work / "checkpoints")
            self.assertEqual(plain.code, 0, plain.text)
            files = sorted((work / "checkpoints").iterdir())
            self.assertGreater(len(files), 2)
            for file in files[:3]:
                again = spica(*common, "--from", file, "--save-memory", work / "again")
                self.assertEqual(again.code, 0, again.text)
                self.assertEqual((work / "again").read_bytes(), (work / "plain").read_bytes())
                self.assertEqual([line for line in again.out.splitlines() if "instructions" in line],
                                 [line for line in plain.out.splitlines() if "instructions" in line])


class PublicSources(unittest.TestCase):
    """A program in the form of the public kernels, with a runtime of its own, compiled as docs/howto/public-sources.md says."""
    SOURCES = FOLDER.parent / "public_api"

    def compiled(self, work):
        page = (FOLDER.parents[2] / "docs/howto/public-sources.md").read_text()
        command = next(line for line in page.splitlines() if line.startswith("P=")).split("; ", 1)[1]
        words = shlex.split(command.replace("$P", str(self.SOURCES)).replace("public.elf", str(pathlib.Path(work, "public.elf"))))
        subprocess.run(words, check=True)
        return pathlib.Path(work, "public.elf")

    def test_its_tasks_have_their_results_in_both_modes_on_several_machines(self):
        def walk(number):
            length = 1
            while number != 1:
                number, length = (3 * number + 1 if number % 2 else number // 2), length + 1
            return length

        with folder() as work:
            program, saved = self.compiled(work), pathlib.Path(work, "lengths")
            for machine in ("virgo", "fp16-volta", "fp16-ampere-quartile"):
                for mode in ("cycle", "fast"):
                    result = spica("run", machine, program, "--mode", mode, "--set", MIN_PC, "--save", f"{saved}@lengths")
                    self.assertEqual(result.code, 0, f"{machine} {mode}\n{result.text}")
                    self.assertEqual(list(struct.unpack("<512I", saved.read_bytes())), [walk(i + 1) for i in range(512)])

    def test_the_published_core_reports_the_branch_that_has_no_split(self):
        with folder() as work:
            result = spica("run", "virgo", self.compiled(work))
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("a divergent branch outside split and join", result.text)
            self.assertIn("kernel_body", result.text)


class Compared(unittest.TestCase):
    """spica experiment reconvergence, and docs/howto/reconvergence.md with its table."""
    KERNELS = ["collatz", "mandelbrot", "sort", "nested"]
    DESIGNS = {"macros": "simt_stack", "plugin": "simt_stack", "min_pc": "min_pc"}
    ELFS = {"macros": "irregular_macros", "plugin": "irregular_plugin", "min_pc": "irregular_stock"}

    def test_all_three_ways_compute_the_same_in_both_modes(self):
        for design, reconvergence in self.DESIGNS.items():
            for kernel in range(len(self.KERNELS)):
                for mode in ("cycle", "fast"):
                    result = spica("run", "virgo", elf(self.ELFS[design]), "--args", f"kernel={kernel},check=1", "--mode", mode,
                                   "--set", f"cluster.core.reconvergence={reconvergence}")
                    self.assertEqual(result.code, 0, f"{design} {kernel} {mode}\n{result.text}")

    def test_the_experiment_has_the_numbers_of_the_page(self):
        with folder() as out:
            result = spica("experiment", "reconvergence", "--out", out)
            self.assertEqual(result.code, 0, result.text)
            rows = {(row["design"], row["kernel"]): row for row in json.loads(pathlib.Path(out, "results.json").read_text())}
        self.assertEqual(set(rows), {(design, kernel) for design in self.DESIGNS for kernel in self.KERNELS})
        page = (FOLDER.parents[2] / "docs/howto/reconvergence.md").read_text()
        for kernel in self.KERNELS:
            of = {design: rows[design, kernel] for design in self.DESIGNS}
            self.assertLess(of["min_pc"]["cycles"], of["plugin"]["cycles"])
            for column in ("cycles", "warp_instructions"):  # those of min_pc in one part are those of another loop
                self.assertLess(of["plugin"][column], of["macros"][column])
                self.assertLess(of["min_pc"][column], of["macros"][column])
            cells = " | ".join(f"{row['cycles']:,} / {row['warp_instructions']:,}" for row in of.values())
            self.assertIn(f"| `{kernel}` | {cells} |", page)


if __name__ == "__main__":
    unittest.main()
