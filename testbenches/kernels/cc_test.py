# SPDX-License-Identifier: Apache-2.0
"""`spica cc`: kernels in plain C++ from any folder, what its command line takes, and what it refuses."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from spica_runner import BINARY, Result, folder, needs_gcc, spica, stats

ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
PARTING = """\
#include <spawn.h>
#include <stdio.h>
unsigned steps_of(unsigned n);
static void task(unsigned id, void*) {
  const unsigned steps = steps_of(id + 1);
  if (steps > 115) printf("%u takes %u steps\\n", id + 1, steps);
}
int main() {
  spawn_tasks(100, task, nullptr);
  return 0;
}
"""
STEPS = """\
unsigned steps_of(unsigned n) {
  unsigned steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}
"""


class Cc(unittest.TestCase):
    def setUp(self):
        self.temporary = folder()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.write("main.cpp", PARTING)
        self.write("steps.c", STEPS)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def cc(self, *words, code=0, **environment):
        done = Result(subprocess.run([BINARY, "cc", *words], cwd=self.folder, capture_output=True, text=True,
                                     env=dict(os.environ, **environment), timeout=120))
        self.assertEqual(done.code, code, done.text)
        return done

    def shell(self, *words):
        subprocess.run(words, cwd=self.folder, check=True, capture_output=True)

    def assert_runs(self, name, text="97 takes 118 steps"):
        result = spica("run", "virgo", self.folder / name)
        self.assertEqual(result.code, 0, result.text)
        self.assertIn(text, result.out)

    def test_a_variable_that_the_linker_left_out_is_called_that(self):
        self.write("main.cpp", "#include <simt.h>\nunsigned used[4], forgotten[4];\nnamespace mine { float gone; }\n"
                               "[[gnu::used, gnu::retain]] unsigned kept[4];\nint main() { used[simt_core()] = 1; return 0; }\n")
        self.write("four.bin", "0123456789abcdef")
        self.cc("main.cpp", "-g", "-o", "main.elf")
        for name, code in (("used", 0), ("kept", 0), ("forgotten", 2), ("gone", 2), ("mine::gone", 2), ("never", 2)):
            with self.subTest(name):
                result = spica("run", "virgo", self.folder / "main.elf", "--load", f"{self.folder}/four.bin@{name}")
                self.assertEqual(result.code, code, result.text)
                said = f"'{name}' is in the source, but the linker left it out, because nothing in the program uses it"
                self.assertEqual(said in result.err, code == 2 and name != "never", result.err)

    def test_several_sources_of_both_languages_make_one_program(self):
        self.cc("main.cpp", "-x", "c++", "steps.c", "-o", "one.elf")
        self.assert_runs("one.elf")

    def test_objects_archives_and_assembly_are_linked(self):
        self.write("main.cpp", PARTING.replace("unsigned steps_of", 'extern "C" unsigned steps_of').replace(
            "id + 1);", "id + one());").replace("static void task", 'extern "C" unsigned one();\nstatic void task'))
        self.write("one.S", ".globl one\none:\n  li a0, 1\n  ret\n")
        self.cc("-c", "steps.c", "-o", "steps.o")
        self.shell("ar", "rcs", "libsteps.a", "steps.o")
        self.cc("main.cpp", "one.S", "libsteps.a", "-o", "archive.elf")
        self.assert_runs("archive.elf")
        self.cc("main.cpp", "one.S", "steps.o")
        self.assert_runs("main.elf")

    def test_the_printed_command_does_the_same(self):
        self.write("main.cpp", PARTING.replace("unsigned steps_of(unsigned n);", STEPS))
        text = self.cc("main.cpp", "-DNAME=two words", "-o", "a.elf", "--print-command").out
        self.assertFalse((self.folder / "a.elf").exists())
        self.assertIn("'-DNAME=two words'", text)
        self.shell("sh", "-c", text)
        self.cc("main.cpp", "-DNAME=two words", "-o", "b.elf")
        self.assertEqual((self.folder / "a.elf").read_bytes(), (self.folder / "b.elf").read_bytes())
        self.assert_runs("a.elf")

    def test_options_of_the_compiler_are_passed_on(self):
        self.cc("main.cpp", "-c", "-MD", "-MF", "main.dep", "-o", "main.o")
        self.assertIn("spawn.h", (self.folder / "main.dep").read_text())
        self.cc("main.cpp", "-Wall", "-Werror", "-S", "-O3", "-o", "main.s")
        self.assertIn("# pred", (self.folder / "main.s").read_text())
        self.assertIn("define", self.cc("main.cpp", "-E", "-dD").out)

    def test_own_headers_come_before_those_of_the_library(self):
        (self.folder / "own").mkdir()
        self.write("own/stdio.h", "#error mine\n")
        self.assertIn("mine", self.cc("main.cpp", "-Iown", "-c", code=2).err)

    def test_what_does_not_compile_has_exit_code_2(self):
        self.write("main.cpp", "int main() { return x; }\n")
        self.assertIn("main.cpp:1:21: error: use of undeclared identifier 'x'", self.cc("main.cpp", code=2).err)

    def test_code_for_a_debugger_is_not_optimised_by_clang(self):
        for level in ("-Og", "-O0"):
            self.assertRegex(self.cc("-O2", "main.cpp", level, "--print-command").out, f"{level} .*-O0 -mllvm -optimize-regalloc")
        self.assertNotIn("-O0", self.cc("-Og", "main.cpp", "-O1", "--print-command").out)

    def test_link_time_optimisation_is_refused(self):
        self.assertIn("-flto=thin is not supported", self.cc("main.cpp", "-flto=thin", code=2).err)

    def test_no_files_is_an_error(self):
        self.assertIn("no files to compile", self.cc("-O3", code=2).err)

    def test_another_version_of_clang_is_refused(self):
        self.write("clang", "#!/bin/sh\necho 18.1.0\n")
        (self.folder / "clang").chmod(0o755)
        self.assertIn("is another version", self.cc("main.cpp", code=2, SPICA_CLANG=str(self.folder / "clang")).err)

    @needs_gcc
    def test_gcc_takes_kernels_with_macros(self):
        self.cc("--compiler", "gcc", str(ROOT / "sw/kernels/collatz/main.cpp"), "-o", "collatz.elf")
        self.assert_runs("collatz.elf")
        self.assertIn("-O2", self.cc("--compiler", "gcc", "main.cpp", "--print-command").out)
        self.assertNotIn("-O0", self.cc("--compiler", "gcc", "main.cpp", "-Og", "--print-command").out)
        with folder() as out:  # the compiler of the kernel comes first, that of the library behind it
            spica("run", "virgo", self.folder / "collatz.elf", "--out", out)
            self.assertRegex(stats(out)["provenance"]["program_compilers"][0], r"^GCC: ")
        self.cc("--compiler", "gcc", "-O0", "-Werror", "-c", "steps.c")

    def test_kernels_with_macros_compile_too(self):
        for kernel, text in (("collatz", "97 takes 118 steps"), ("reduce", "PASS")):
            self.cc(str(ROOT / f"sw/kernels/{kernel}/main.cpp"), "-o", "kernel.elf")
            self.assert_runs("kernel.elf", text)

    def test_programs_for_another_size_of_shared_memory_get_its_library(self):
        hello = str(ROOT / "sw/kernels/hello/main.cpp")
        self.cc(hello, "-DPLATFORM_SHARED_SIZE=131072", "-o", "hello.elf")
        result = spica("run", "fp16-virgo", self.folder / "hello.elf")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("only for 0x4000, 0x10000, 0x18000, 0x20000, 0x40000", self.cc(hello, "-DPLATFORM_SHARED_SIZE=0x12345", code=2).err)

    def test_the_two_lists_of_functions_that_lanes_call_one_by_one_agree(self):
        flags = (ROOT / "sw/plain.flags").read_text()
        code = (ROOT / "sw/lib/plain/one_by_one.S").read_text()
        wrapped = set(re.findall(r"^  one_by_one (\w+)$", code, re.M)) | {"snprintf"}
        self.assertGreater(len(wrapped), 3)
        self.assertEqual(set(re.findall(r"--wrap=(\w+)", flags)), wrapped)

    def test_library_routines_that_part_are_done_lane_by_lane(self):
        self.write("main.cpp", """\
#include <spawn.h>
#include <stdio.h>
#include <string.h>
static const char* const names[] = {"a", "bcd", "", "ghijkl"};
static void task(unsigned id, void*) {
  double x = id * 0.5 + 1;
  if (x > 3) x = x / 3;
  char text[60];
  snprintf(text, sizeof text, "%u%.*s|%d %d %d %d", id, int(id % 4), "xyz", 1, 2, 3, 4);
  const unsigned long long y = 1000000000000ull / (id + 1) % 77;
  printf("%s %d %u %u %d\\n", text, int(x * 100), unsigned(y), unsigned(strlen(names[id % 4])), strcmp(names[id % 4], "b") > 0);
}
int main() {
  spawn_tasks(10, task, nullptr);
  return 0;
}
""")
        self.cc("main.cpp")
        result = spica("run", "virgo", self.folder / "main.elf", "--set", "cluster.cores=1")
        self.assertEqual(result.code, 0, result.text)
        names = ["a", "bcd", "", "ghijkl"]
        for n in range(10):
            x = n * 0.5 + 1
            x = x / 3 if x > 3 else x
            line = f"{n}{'xyz'[:n % 4]}|1 2 3 4 {int(x * 100)} {10 ** 12 // (n + 1) % 77} {len(names[n % 4])} {int(names[n % 4] > 'b')}"
            self.assertIn(line + "\n", result.out)
