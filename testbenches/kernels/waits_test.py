# SPDX-License-Identifier: Apache-2.0
"""Programs that wait for ever, or stop themselves: the report names lanes, lines and values. Each has a twin that is right."""
import pathlib
import re
import unittest

from spica_runner import COMPILERS, folder, needs_gcc, spica

MODES = ("cycle", "fast")
SOON = ("--set", "run.hang_cycles=50000")  # hangs_test.py has the default
HEAD = "#include <simt.h>\n#include <spawn.h>\n#include <spica/atomic.h>\n#include <stdio.h>\n"

LOCK = HEAD + """
extern "C" { unsigned lock, total; }
static void add(unsigned id) { total = total + id; simt_fence(); }
#ifdef BUG
static void task(unsigned id, void*) {
  unsigned has = 0;
  SIMT_WHILE(!has) /* want */
  has = spica::atomic_exchange(&lock, 1u) == 0;
  SIMT_END_WHILE
  add(id);
  spica::atomic_exchange(&lock, 0u);
}
#else
static void one(void* id) {
  while (spica::atomic_exchange(&lock, 1u) != 0) {}
  add(*(unsigned*)id);
  spica::atomic_exchange(&lock, 0u);
}
static void task(unsigned id, void*) { simt_each_lane(one, &id); }
#endif
int main() {
  spawn_tasks(64, task, nullptr);
  simt_barrier(0, 1);
  if (simt_core() == 0) printf("%u\\n", total);
  return total != 2016;
}
"""
TWO_LOCKS = HEAD + """
extern "C" { unsigned first, second, total; }
static void take(unsigned* lock) { while (spica::atomic_exchange(lock, 1u) != 0) {} }
static void give(unsigned* lock) { simt_fence(); spica::atomic_exchange(lock, 0u); }
static void task(unsigned id, void*) {
#ifdef BUG
  const bool turned = id & 1;
#else
  const bool turned = false;
#endif
  take(turned ? &second : &first);
  simt_fence();
  for (unsigned i = 0; i < 3000; ++i) __asm__ volatile("");  // longer than a turn
  take(turned ? &first : &second);
  total = total + id;
  give(&first);
  give(&second);
}
int main() { spawn_tasks(8, task, nullptr); return total != 28; }
"""
BARRIER = HEAD + """
static void work() {
  if (simt_warp() == TURN) simt_barrier(1, 8); /* extra */
  simt_barrier(1, 8); /* all */
}
static void task(unsigned, void*) { work(); }
int main() { spawn_tasks(spawn_threads(), task, nullptr); return 0; }
"""
ASSERTS = HEAD + """
#include <cassert>
#include <cstdlib>
__attribute__((noinline)) static void check(unsigned id) { assert(id != BAD && "not this one"); } /* assertion */
static void task(unsigned id, void*) { check(id); }
int main() { spawn_tasks(8, task, nullptr); void* p = malloc(8);
  if (simt_core() == 0) {
    free(p);
    if (BAD == 99) free(p); /* twice */
    if (BAD == 98) abort(); /* gives up */
  }
  return 0; }
"""
COUNTER = HEAD + """
extern "C" { unsigned out[64], right = 100, missed = END; }
static void task(unsigned id, void*) {
  unsigned i = 0;
  const unsigned end = *(id == 3 ? &missed : &right);
  while (i != end) { /* loop */
    out[id] += i;
    i += 2;
    __asm__ volatile("" : "+r"(i)); /* else the compiler computes the sum */
  }
}
int main() { spawn_tasks(64, task, nullptr); return 0; }
"""

FLOAT = HEAD + """
extern "C" { float out[64], end; }
static void task(unsigned id, void*) {
  float x = 0;
  while (x != end) x += 0.5f;
  out[id] = x;
}
int main() { end = 2.75f; spawn_tasks(64, task, nullptr); return 0; }
"""


def line_in(text, mark):
    for number, line in enumerate(text.splitlines(), 1):
        if f"/* {mark} */" in line:
            return f"program.cpp:{number}"
    raise ValueError(mark)


class Waits(unittest.TestCase):
    def setUp(self):
        self.work = folder()
        self.addCleanup(self.work.cleanup)

    def compiled(self, text, *options):
        source, elf = pathlib.Path(self.work.name, "program.cpp"), pathlib.Path(self.work.name, "program.elf")
        source.write_text(text)
        result = spica("cc", source, *options, "-o", elf)
        self.assertEqual(result.code, 0, result.text)
        return elf

    def runs(self, program, code, *options):
        for mode in MODES:
            result = spica("run", "virgo", program, "--mode", mode, *options)
            self.assertEqual(result.code, code, result.text)
            yield result

    @needs_gcc
    def test_the_lane_that_holds_a_lock_and_those_that_want_it_are_named(self):
        for result in self.runs(self.compiled(LOCK, "--compiler", "gcc", "-DBUG"), 1, *SOON):
            first = result.err.splitlines()[0]
            self.assertRegex(first, r"lock \(0x[0-9a-f]+\), for which lanes? [0-9,-]+ spins?, is held by lane \d of ")
            self.assertIn(line_in(LOCK, "want"), first)
            self.assertIn("release the lock inside the loop", result.err.splitlines()[1])
        for result in self.runs(self.compiled(LOCK, "--compiler", "gcc"), 0):
            self.assertIn("2016", result.out)

    @needs_gcc
    def test_lanes_with_two_locks_in_both_orders_are_named_where_lanes_are_independent(self):
        options = "--set", "cluster.core.reconvergence=min_pc"
        for result in self.runs(self.compiled(TWO_LOCKS, "--compiler", "gcc", "-DBUG"), 1, *SOON, *options):
            first = result.err.splitlines()[0]
            for name in "first", "second":
                self.assertRegex(first, name + r" \(0x[0-9a-f]+\), for which lanes? [0-9,-]+ spins?, is held by lane \d of the same warp")
        for _ in self.runs(self.compiled(TWO_LOCKS, "--compiler", "gcc"), 0, *options):
            pass

    def test_a_lane_whose_counter_misses_its_end_is_named_with_the_loop_and_the_values(self):
        for level in "-O1", "-O2":
            program = self.compiled(COUNTER, "-DEND=99", "-g", level)
            for result, mode in zip(self.runs(program, 1, "--set", "run.max_cycles=400000"), MODES):
                with self.subTest(level=level, mode=mode):
                    found = re.search(r"core 0, warp 0: lane 3 alone is in the loop at task, (\S+): [\d,]+ iterations while it was "
                                      r"watched; exit condition: (.*)", result.err)
                    self.assertIsNotNone(found, result.text)
                    line = int(line_in(COUNTER, "loop").split(":")[1])
                    self.assertIn(int(found[1].split(":")[1]), range(line, line + 4))
                    self.assertIn("(+2 each time)", found[2])
                    self.assertRegex(found[2], "; they never become equal; lanes 0-2,4-7 of the warp wait for it after task, ")
            for result in self.runs(self.compiled(COUNTER, "-DEND=98", "-g", level), 0):
                self.assertNotIn("is in the loop", result.err)

    def test_a_loop_that_lanes_wait_for_is_a_warning_while_the_program_runs(self):
        program = self.compiled(COUNTER, "-DEND=99", "-g")
        for result in self.runs(program, 1, "--set", "run.hang_cycles=20000", "--set", "run.max_cycles=4000000"):
            self.assertRegex(result.err, r"warning: a loop that may never end, since cycle [\d,]+ or earlier, now cycle [\d,]+\n"
                                         r"  core 0, warp 0: lane 3 alone is in the loop at task, ")
            self.assertEqual(result.err.count("may never end"), 1)

    def test_floats_that_decide_are_printed_as_such(self):
        program = self.compiled(FLOAT, "-g")
        for result in self.runs(program, 1, "--set", "run.max_cycles=400000"):
            self.assertRegex(result.err, r"fa\d = [\d.]+ \(another one each time\)")
            self.assertRegex(result.err, r"fa\d = 2\.75 \(always\)")

    def test_a_warp_that_arrives_twice_at_a_barrier_is_named_with_both_lines(self):
        for turn in 0, 3:
            for result in self.runs(self.compiled(BARRIER, f"-DTURN={turn}"), 1, *SOON):
                first = result.err.splitlines()[0]
                self.assertTrue(first.startswith(f"Deadlock: core 0, warp {turn} arrives at barrier 1 once more"), first)
                self.assertIn(line_in(BARRIER, "extra"), first)
                self.assertIn(line_in(BARRIER, "all"), first)
        for _ in self.runs(self.compiled(BARRIER, "-DTURN=99"), 0):
            pass

    def test_an_assertion_says_its_condition_and_the_line(self):
        for options in [("-O1",), ("-O2", "--compiler", "gcc")][:len(COMPILERS)]:
            for result in self.runs(self.compiled(ASSERTS, "-DBAD=5", "-g", *options), 1):
                self.assertIn("fault: an assertion failed", result.err)
                self.assertIn('id != BAD && "not this one"' if "gcc" not in options else "id != ", result.err)
                self.assertIn(line_in(ASSERTS, "assertion"), result.err)
                self.assertNotIn("ebreak without", result.err)
            for _ in self.runs(self.compiled(ASSERTS, "-DBAD=50", *options), 0):
                pass

    def test_a_stop_in_the_library_names_the_line_that_called_it(self):
        for bad, mark in (99, "twice"), (98, "gives up"):
            for result in self.runs(self.compiled(ASSERTS, f"-DBAD={bad}", "-g"), 1):
                self.assertIn("fault: the program called abort()", result.err)
                self.assertIn(line_in(ASSERTS, mark), result.err)


if __name__ == "__main__":
    unittest.main()
