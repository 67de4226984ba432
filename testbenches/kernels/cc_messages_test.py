# SPDX-License-Identifier: Apache-2.0
"""What `spica cc` says of a kernel: errors where lanes may not part, remarks where they may, and no instruction where they
cannot."""
import os
import pathlib
import re
import subprocess
import unittest

from spica_runner import BINARY, Result, folder

HEADERS = ["-include", "matrix_unit.h", "-include", "simt.h", "-include", "spawn.h"]


class CcMessages(unittest.TestCase):
    def cc(self, source, *words, code=0, link=False):
        with folder() as home:
            file = pathlib.Path(home, "k.cpp")
            file.write_text(source)
            done = Result(subprocess.run([BINARY, "cc", "k.cpp", *HEADERS, *words, *([] if link else ["-c"]), "-o", "k.o"], cwd=home,
                                         capture_output=True, text=True, env=os.environ, timeout=60))
        self.assertEqual(done.code, code, done.text)
        return done.err

    def refused(self, source, place, *texts, link=False):
        error = self.cc(source, code=2, link=link)
        self.assertRegex(error, rf"k\.cpp:{place}(:\d+)?: error: ")
        for text in texts:
            self.assertIn(text, error)
        return error

    def counts(self, source, *words, link=True):
        """Of split, pred, one by one and replaced, of all functions together."""
        found = re.findall(r"remark: (\d+) split, \1 join, (\d+) pred, (\d+) one by one, (\d+) replaced",
                           self.cc(source, "-Rpass-analysis=spica", *words, link=link))
        return tuple(sum(int(one) for one in column) for column in zip(*found)) or (0, 0, 0, 0)

    # ---- files ----------------------------------------------------------------------------------
    def test_a_hip_source_or_one_in_cpp_for_opencl_is_refused_with_the_accepted_kinds_of_files(self):
        for name in ("k.clcpp", "k.hip"):
            with self.subTest(name), folder() as home:
                pathlib.Path(home, name).write_text("void f() {}\n")
                for words in ((), ("-x", "c++")):
                    done = subprocess.run([BINARY, "cc", *words, name, "-c", "-o", "k.o"], cwd=home, capture_output=True, text=True,
                                          env=os.environ, timeout=60)
                    if words:
                        self.assertEqual(done.returncode, 0, done.stderr)
                    else:
                        self.assertEqual(done.returncode, 2, done.stderr)
                        self.assertIn(f"{name}: HIP and C++ for OpenCL are unsupported; accepted are C (.c), C++ (.cpp", done.stderr)

    # ---- errors ---------------------------------------------------------------------------------
    def test_a_barrier_where_lanes_may_have_parted_is_an_error(self):
        self.refused("void f(unsigned id) {\n  if (id > 3)\n    simt_barrier(0, 4);\n}\n", "3:5", "a barrier needs all lanes",
                     "the branch at k.cpp:2, because of argument 'id'", "simt_uniform()")

    def test_a_barrier_behind_an_early_return_is_an_error(self):
        self.refused("void f(unsigned* p) {\n  if (p[simt_lane()] == 0) return;\n  simt_barrier(0, 4);\n}\n", "3:3",
                     "the branch at k.cpp:2", "because of argument 'p'")

    def test_a_barrier_in_a_loop_that_lanes_leave_at_different_times_is_an_error(self):
        self.refused("void f() {\n  for (unsigned i = 0; i < simt_lane(); ++i)\n    simt_barrier(0, 4);\n}\n", "3:5",
                     "the number of the lane")

    def test_a_barrier_in_a_function_that_is_called_there_is_an_error(self):
        self.refused("__attribute__((noinline)) void g() { simt_barrier(0, 4); }\nvoid f(unsigned id) {\n  if (id > 3) g();\n}\n",
                     "3:15", "a barrier needs all lanes")

    def test_a_barrier_behind_an_atomic_operation_is_an_error(self):
        """Of the library, or a user's own assembly that accesses memory: lanes have it one after the other."""
        for result in ("spica::atomic_exchange(&x, 1u)", "spica::atomic_min(&x, 1u)", "spica::atomic_max(&y, 1)", "own(&x)", "there(&x)"):
            with self.subTest(result):
                self.refused('#include <spica/atomic.h>\nunsigned x;\nint y;\ninline unsigned own(unsigned* at) {\n  unsigned old;\n'
                             '  __asm__("amoor.w %0, %2, %1" : "=r"(old), "+A"(*at) : "r"(1));\n  return old;\n}\n'
                             'inline unsigned there(unsigned* at) {\n  unsigned old;\n'
                             '  __asm__("lw %0, %1" : "=r"(old) : "m"(*at));\n  return old;\n}\n'
                             f"void f() {{\n  if ({result} == 0) simt_barrier(0, 4);\n}}\n", 15, "a barrier needs all lanes")

    def test_a_barrier_behind_the_state_of_a_lane_is_an_error(self):
        for assembly in ('__asm__("frflags %0" : "=r"(x))', '__asm__("" : "=r"(x))', '__asm__("mv %0, %1" : "=r"(x) : "r"(0) : "memory")',
                         'register unsigned own __asm__("sp"); __asm__("" : "=r"(own)); x = own'):
            with self.subTest(assembly):
                self.refused(f"void f() {{\n  unsigned x;\n  {assembly};\n  if (x == 0) simt_barrier(0, 4);\n}}\n", 4, "a barrier needs all lanes")

    def test_a_barrier_behind_what_was_set_in_a_long_branch_is_an_error(self):
        side = "    if (p[1]) p[2] = 3;\n    if (p[3]) p[4] = 5;\n    if (p[5]) p[6] = 7;\n"
        self.refused("static void task(unsigned id, void* argument) {\n  auto* p = static_cast<unsigned*>(argument);\n  unsigned x = 0;\n"
                     f"  if (id % 3) {{\n{side}    x = 1;\n  }} else {{\n{side}    x = 2;\n  }}\n"
                     "  if (x == 1) simt_barrier(0, 4);\n}\nint main() {\n  static unsigned numbers[9];\n"
                     "  spawn_tasks(64, task, numbers);\n}\n", 15, "a barrier needs all lanes", link=True)

    def test_a_barrier_in_any_spelling_is_an_error_there(self):
        for words in ('".insn r CUSTOM_0, 4, 0, x0, %0, %1" :: "r"(0), "r"(4)', '".insn r 0x0b, 4, 0, x0, %0, %1" :: "r"(0), "r"(4)',
                      '".insn r 11, 0x4, 0, x0, %0, %1" :: "r"(0), "r"(4)', '".insn r %0, 4, 0, x0, %1, %2" :: "i"(0x0B), "r"(0), "r"(4)',
                      '".insn r %1, %2, 0, %0, %3, %4" : "=r"(x) : "i"(0x0B), "i"(4), "r"(0), "r"(4)',
                      '".insn r CUSTOM_0, 6, 0, x0, x0, x0\\n.insn r CUSTOM_0, 4, 0, x0, %0, %1" :: "r"(0), "r"(4)'):
            with self.subTest(words):
                self.refused(f"unsigned x;\nvoid f(unsigned id) {{\n  if (id & 1)\n    __asm__ volatile({words});\n}}\n", 4,
                             "a barrier needs all lanes")

    def test_a_barrier_behind_a_pointer_that_differs_by_lane_is_an_error(self):
        """Lanes call such a function one by one."""
        table = "static void plain() {}\nstatic void waits() { simt_barrier(0, 4); }\nstatic void (*const table[])() = {plain, waits};\n"
        self.refused(f"{table}void f(unsigned id) {{\n  table[id & 1]();\n}}\n", 5, "one by one", "one with a barrier")
        self.refused("struct A { virtual void go() {} };\nstruct B : A { void go() override { simt_barrier(0, 4); } };\n"
                     "A a;\nB b;\nA* list[] = {&a, &b};\nvoid f(unsigned id) {\n  list[id & 1]->go();\n}\n", 7, "one with a barrier")
        self.cc(f"{table}void f(unsigned id) {{\n  table[simt_warp() & 1]();\n}}\n")  # all lanes of a warp call one
        self.cc("static void one(unsigned) {}\nstatic void two(unsigned) {}\nvoid (*const table[])(unsigned) = {one, two};\n"
                "static void task(unsigned id, void*) {\n  table[id & 1](id);\n  simt_barrier(0, 4);\n}\n"
                "int main() {\n  spawn_tasks(64, task, nullptr);\n}\n", link=True)

    def test_other_instructions_of_a_whole_warp_are_errors_there(self):
        for call, what in (("simt_tmc(1)", "a change of the thread mask"), ("simt_wspawn(2, go)", "a start of warps"),
                           ("spawn_tasks(4, task, nullptr)", "spawn_tasks()"), ("spawn_barrier()", "spawn_barrier()"),
                           ('__asm__ volatile(".insn r CUSTOM_3, 0, 0, x0, x0, x0")', "an instruction of a tensor core")):
            with self.subTest(call):
                self.refused("extern void go();\nextern void task(unsigned, void*);\n"
                             f"void f(unsigned id) {{\n  if (id > 3)\n    {call};\n}}\n", 5, what)

    def test_a_command_to_the_matrix_unit_needs_lane_0(self):
        self.refused("void f(unsigned id) {\n  if (id % 3 == 1)\n    matrix_unit_cisc(0, 1);\n}\n", 3, "outside of `if (simt_lane() == 0)`")
        self.refused("void f() {\n  if (simt_lane() == 1)\n    matrix_unit_cisc(0, 1);\n}\n", 3)
        self.cc("void f(unsigned id) {\n  if (simt_lane() == 0 && id < 9) matrix_unit_cisc(0, 1);\n}\n")
        self.cc("void f() {\n  SIMT_IF(simt_hart() == 0)\n    matrix_unit_cisc(0, 1);\n  SIMT_END_IF\n}\n")

    def test_simt_uniform_is_a_promise_that_lanes_agree(self):
        self.cc("void f(unsigned id) {\n  if (simt_uniform(id / 8) > 3) simt_barrier(0, 4);\n}\n")
        self.cc("void f(float x, int* p, int n) {\n  if (simt_uniform(x) > 3 && simt_uniform(p) != nullptr && simt_uniform(n) < 2) "
                "simt_barrier(0, 4);\n}\n")

    def test_what_has_no_form_without_branches_is_an_error(self):
        self.refused("unsigned f(unsigned long long a, unsigned long long* p) {\n  return __builtin_mul_overflow(a, a, p);\n}\n", 2,
                     "a 64-bit multiplication with a test of overflow", "simt_each_lane()")

    def test_a_computed_goto_on_which_lanes_differ_is_an_error(self):
        self.refused("unsigned f(unsigned id, unsigned x) {\n  static void* const to[] = {&&one, &&two, &&three};\n"
                     "  goto *to[id % 3];\none:\n  x += 5;\ntwo:\n  x *= x;\nthree:\n  return x;\n}\n", "[13]", "computed goto")

    def test_a_function_without_optimisation_is_an_error_where_lanes_part(self):
        error = self.cc("__attribute__((optnone, noinline)) int f(unsigned id) {\n  if (id > 3) return 5;\n  return simt_lane();\n}\n", code=2)
        self.assertIn("without optimisation", error)

    # ---- what needs nothing gets nothing --------------------------------------------------------
    LOOP = "static unsigned sums[64];\nstatic void task(unsigned id, void* argument) {{\n" \
           "  const unsigned* p = static_cast<const unsigned*>(argument);\n  unsigned sum = 0;\n" \
           "  for (unsigned i = 0; i < {limit}; ++i) sum += p[i + id] * i;\n  sums[id] = sum;\n}}\n" \
           "int main() {{\n  static unsigned numbers[99];\n  spawn_tasks(64, task, numbers);\n  return sums[3];\n}}\n"

    def test_what_all_lanes_agree_about_costs_no_instruction(self):
        for limit in ("p[0]", "simt_lanes()", "simt_warp()", "spawn_threads() / 4"):
            with self.subTest(limit):
                self.assertEqual(self.counts(self.LOOP.format(limit=limit)), (0, 0, 0, 0))
        self.assertEqual(self.counts(self.LOOP.format(limit="id"))[:2], (1, 1))
        self.assertEqual(self.counts(self.LOOP.format(limit="p[id]"))[:2], (1, 1))

    def test_assembly_on_registers_alone_costs_no_instruction(self):
        for limit in ("simt_opaque(p[0])", "simt_hide(p[0])", "unsigned(sqrtf(float(p[0])))", "unsigned(fminf(float(p[0]), 9))", "own(p[0])"):
            with self.subTest(limit):
                own = '#include <math.h>\ninline unsigned own(unsigned x) {\n  __asm__ volatile("addi %0, %1, %2" : "=r"(x) : "r"(x), "i"(3) : "t0");\n' \
                      "  return x;\n}\n"
                self.assertEqual(self.counts(own + self.LOOP.format(limit=limit)), (0, 0, 0, 0))

    def test_uniform_arguments_are_followed_through_calls(self):
        text = "__attribute__((noinline)) static unsigned sum(const unsigned* p, unsigned n, unsigned id) {\n  unsigned s = 0;\n" \
               "  for (unsigned i = 0; i < n; ++i) s += p[i + id];\n  return s;\n}\nstatic unsigned out[64];\n" \
               "static void task(unsigned id, void* argument) {\n  auto* p = static_cast<unsigned*>(argument);\n" \
               "  out[id] = sum(p, %s, id);\n}\nint main() {\n  static unsigned numbers[99];\n" \
               "  spawn_tasks(64, task, numbers);\n  return out[5];\n}\n"
        self.assertEqual(self.counts(text % "p[1] * 2"), (0, 0, 0, 0))
        self.assertEqual(self.counts(text % "id")[:2], (1, 1))

    def test_functions_that_others_may_call_are_taken_as_differing_unless_the_file_is_the_program(self):
        text = "unsigned count;\nvoid task(unsigned id, void* argument) {\n  for (unsigned i = 0; i < *static_cast<unsigned*>(argument); ++i)\n" \
               "    __atomic_fetch_add(&count, id, 0);\n}\nint main() {\n  static unsigned n = 3;\n  spawn_tasks(64, task, &n);\n  return 0;\n}\n"
        self.assertEqual(self.counts(text), (0, 0, 0, 0))
        self.assertEqual(self.counts(text, link=False)[:2], (1, 1))

    def test_what_one_lane_does_costs_no_instruction(self):
        text = "static unsigned out[64];\nstatic void task(unsigned id, void*) {\n  if (%s) {\n    while (matrix_unit_busy(0)) {\n    }\n" \
               "    out[id] = 5;\n  }\n}\nint main() {\n  if (simt_cycle() > 100) return 1;\n  spawn_tasks(64, task, nullptr);\n  return 0;\n}\n"
        for condition in ("simt_lane() == 0", "simt_lane() == 3 && out[id] < 9", "id == 0", "simt_hart() == 2"):
            with self.subTest(condition):
                splits, preds, _, _ = self.counts(text % condition)
                self.assertLessEqual(splits, 2)
                self.assertEqual(preds, 0)
        self.assertEqual(self.counts(text % "simt_lane() < 2")[1], 1)

    # ---- remarks --------------------------------------------------------------------------------
    def test_remarks_say_where_lanes_part_and_why(self):
        text = self.cc("unsigned f(unsigned n, volatile unsigned* p) {\n  unsigned s = 0;\n  for (unsigned i = 0; i < n; ++i) s += p[i];\n"
                       "  if (*p > s) p[1] = 0;\n  return s;\n}\n", "-Rpass=spica", "-O1")
        self.assertRegex(text, r"k\.cpp:3:\d+: remark: lanes may leave this loop at different times because of argument 'n'")
        self.assertRegex(text, r"k\.cpp:4:\d+: remark: lanes may diverge at this branch because of a volatile value in memory")

    def test_remarks_name_calls_and_atomic_operations_that_lanes_do_one_by_one(self):
        text = "unsigned f(unsigned (*g)(), unsigned* p) {\n  unsigned zero = 0;\n" \
               "  __atomic_compare_exchange_n(p, &zero, 1, false, 0, 0);\n  return g() + zero;\n}\n"
        remarks = self.cc(text, "-Rpass=spica")
        self.assertRegex(remarks, r"k\.cpp:3:\d+: remark: lanes do this atomic operation one by one")
        self.assertRegex(remarks, r"k\.cpp:4:\d+: remark: lanes call this function one by one: .* argument 'g'")
        self.assertEqual(self.counts(text, link=False)[2], 2)

    def test_remarks_name_loops_in_which_lanes_wait_for_each_other(self):
        text = "static unsigned lock, sum;\nstatic void task(unsigned id, void*) {\n  while (__atomic_exchange_n(&lock, 1u, 0) != 0) {\n  }\n" \
               "  sum += id;\n  __atomic_store_n(&lock, 0u, 0);\n}\nint main() {\n  spawn_tasks(64, task, nullptr);\n  return sum;\n}\n"
        self.assertRegex(self.cc(text, "-Rpass=spica", link=True), r"k\.cpp:3:\d+: remark: lanes may wait for each other here: they take turns")

    def test_loops_in_which_no_lane_waits_have_no_turns(self):
        for loop in ("while (p[id] != 1) p[id] /= 2;", "for (unsigned i = 0; i < id; ++i) __atomic_fetch_add(&p[i], 1, 0);",
                     "unsigned old = p[id];\n  while (!__atomic_compare_exchange_n(&p[1], &old, old * 3, false, 0, 0)) {\n  }"):
            with self.subTest(loop):
                text = f"void f(unsigned id, unsigned* p) {{\n  {loop}\n  p[3] = 5;\n}}\n"
                self.assertNotIn("take turns", self.cc(text, "-Rpass=spica"))

    def test_nothing_is_said_unless_asked(self):
        self.assertEqual(self.cc(self.LOOP.format(limit="id"), "-Wall", "-Wextra"), "")
