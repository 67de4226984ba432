# SPDX-License-Identifier: Apache-2.0
"""sw/lib on the machine: ends of a program, heap, headers, objects with static storage; and what a program was built
for, in the file and against the machine. Programs that CMake does not build are compiled here, as a user would."""
import functools
import pathlib
import shutil
import subprocess
import unittest

from spica_runner import elf, folder, spica

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODES = ("cycle", "fast")
EXIT, EXIT_NOW, ASSERT, ABORT, FREE_STACK, FREE_TWICE, NEGATIVE, ALL_WARPS, THREAD_LOCAL, RETURN = range(1, 11)


def compilers():
    found = [("clang", "clang-19")]
    return found + ([("gcc", "riscv64-unknown-elf-gcc")] if shutil.which("riscv64-unknown-elf-gcc") else [])


def call(compiler, *words, **more):
    name, command = compiler
    return subprocess.run([command, f"@{ROOT}/sw/{name}.flags", f"-I{ROOT}/sw/lib/include", f"-I{ROOT}", *words],
                          capture_output=True, text=True, **more)


@functools.cache
def library(compiler, *defines):
    """Its objects, for all tests of this file."""
    objects = folder()
    unittest.addModuleCleanup(objects.cleanup)
    for ending in "cpp", "S":  # exit.cpp and exit.S
        at = pathlib.Path(objects.name, ending)
        at.mkdir()
        call(compiler, "-c", *sorted((ROOT / "sw/lib").glob(f"*.{ending}")), *defines, cwd=at).check_returncode()
    return sorted(pathlib.Path(objects.name).glob("*/*.o"))


def build(compiler, source, out, *defines, of_library=()):
    """Compiles a program as docs/howto/write-a-kernel.md says."""
    return call(compiler, "-T", f"{ROOT}/sw/lib/kernel.ld", source, *library(compiler, *of_library), *of_library, *defines,
                "-o", out)


def link_alone(compiler, *words):
    """Links as build() does, but without the rest of the library: enough for what the linker script refuses."""
    return call(compiler, "-T", f"{ROOT}/sw/lib/kernel.ld", "-Wl,--unresolved-symbols=ignore-all,--entry=main", *words)


class Ends(unittest.TestCase):
    def run_mode(self, mode, program):
        return spica("run", "virgo", elf(f"library_end_{program}"), "--mode", mode)

    def test_exit_with_a_code_from_one_lane_ends_the_program_after_its_handlers(self):
        for mode in MODES:
            result = self.run_mode(mode, EXIT)
            self.assertEqual(result.code, 5, result.text)
            self.assertEqual(result.out.count("handler on core"), 1)
            self.assertIn("program returned 5", result.out)
            self.assertEqual(self.run_mode(mode, NEGATIVE).code, 255)

    def test_exit_now_ends_warps_that_never_end(self):
        for mode in MODES:
            result = self.run_mode(mode, EXIT_NOW)
            self.assertEqual(result.code, 0, result.text)
            self.assertNotIn("handler", result.out)

    def test_handlers_run_once_when_all_warps_have_ended(self):
        for mode in MODES:
            result = self.run_mode(mode, ALL_WARPS)
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(result.out.count("handler on core 0"), 1)
            self.assertEqual(self.run_mode(mode, RETURN).code, 42)

    def test_a_failed_assertion_names_its_line_and_lane_and_stops_the_program(self):
        for mode in MODES:
            result = self.run_mode(mode, ASSERT)
            self.assertEqual(result.code, 1, result.text)
            self.assertRegex(result.out, r"ends\.cpp:\d+: task: assertion failed: id != 21 \(core 2, warp 0, lane 5\)")
            self.assertRegex(result.err, r"in +task, \S*ends\.cpp:\d+\n")
            self.assertRegex(result.err, r"lanes +5\n")

    def test_abort_and_wrong_frees_stop_the_program_with_a_report(self):
        for mode in MODES:
            for program, text in ((ABORT, ""), (FREE_STACK, "not a block of malloc()"),
                                  (FREE_TWICE, "not a block of malloc()")):
                result = self.run_mode(mode, program)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn(text, result.out)
                self.assertIn("ebreak", result.err)


class Objects(unittest.TestCase):
    def test_heap_headers_constructors_and_destructors_with_each_compiler(self):  # long
        with folder() as out:
            for compiler in compilers():
                program = pathlib.Path(out) / f"objects-{compiler[0]}.elf"
                built = build(compiler, ROOT / "testbenches/kernels/library/objects.cpp", program)
                self.assertEqual(built.returncode, 0, built.stderr)
                for mode in MODES:
                    result = spica("run", "virgo", program, "--mode", mode, "-q")
                    self.assertEqual(result.code, 0, result.text)
                    self.assertEqual(result.out.splitlines(),
                                     ["bad 0 all 1 none 1", "sum 15 aligned 1", "nothrow 1", "destroyed 3 on core 0",
                                      "destroyed 2 on core 0", "destroyed 1 on core 0"])

    def test_thread_local_is_refused_with_the_reason(self):
        with folder() as out:
            for compiler in compilers():
                built = link_alone(compiler, ROOT / "testbenches/kernels/library/ends.cpp", f"-DMODE={THREAD_LOCAL}", "-o", f"{out}/t.elf")
                self.assertNotEqual(built.returncode, 0)
                self.assertIn("thread_local is not supported: all lanes", built.stderr)


class Numbers(unittest.TestCase):
    def test_lanes_with_different_doubles_and_integers_of_64_bits_compute_together_what_the_host_does(self):  # long
        source = ROOT / "testbenches/kernels/plain_cpp/numbers.cpp"
        with folder() as out:
            host = f"{out}/host"
            subprocess.run(["c++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-DWITHOUT_PLUGIN", source, "-o", host], check=True)
            expected = subprocess.run([host], check=True, capture_output=True).stdout
            for compiler in compilers():
                for level in ("-O1", "-O2", "-O3", "-Os"):
                    with self.subTest(f"{compiler[0]} {level}"):
                        program = f"{out}/numbers.elf"
                        built = build(compiler, source, program, "-w", "-DWITHOUT_PLUGIN", of_library=(level,))
                        self.assertEqual(built.returncode, 0, built.stderr)
                        result = spica("run", "virgo", program, "--mode", "fast", "--save", f"{out}/found@results")
                        self.assertEqual(result.code, 0, result.text)
                        self.assertEqual(pathlib.Path(f"{out}/found").read_bytes(), expected)

    def test_long_double_is_refused_with_the_reason(self):
        with folder() as out:
            source = pathlib.Path(out, "long.cpp")
            source.write_text("volatile long double x = 1.5L;\nint main() {\n  x = x * 3;\n  return 0;\n}\n")
            for compiler in compilers():
                built = link_alone(compiler, source, ROOT / "sw/lib/long_double.S", "-o", f"{out}/t.elf")
                self.assertNotEqual(built.returncode, 0)
                self.assertIn("long double is not supported: the machine has float, and the library double", built.stderr)


class BuiltFor(unittest.TestCase):
    def refuse(self, *arguments):
        result = spica("run", *arguments)
        self.assertEqual(result.code, 2, result.text)
        self.assertNotIn("PASS", result.out)
        return result.err

    def test_a_program_that_prints_is_refused_on_another_size_of_shared_memory(self):
        text = self.refuse("attention", elf("hello"))
        self.assertIn("0xff010000 (64 KB of shared memory)", text)
        self.assertIn("0xff040000 (256 KB)", text)
        self.assertIn("-DPLATFORM_SHARED_SIZE=0x40000", text)
        self.assertRegex(text, "Configurations it fits: .*virgo")
        self.assertIn("0xff010000", self.refuse("virgo", elf("hello_128k")))

    def test_dimension_element_and_command_set_are_compared(self):
        text = self.refuse("fp16-virgo", elf("gemm_virgo_dma"))
        for words in ("8x8", "16x16", "fp32", "fp16", "quartile_v1", "hexadecile"):
            self.assertIn(words, text)
        text = self.refuse("virgo", elf("gemm_virgo_dma"), "--set", "cluster.matrix_units.0.command_set=hexadecile")
        self.assertIn("It would fit with: --set cluster.matrix_units.0.command_set=quartile_v1", text)

    def test_programs_for_other_tensor_cores_and_for_asynchronous_copies_are_refused(self):
        text = self.refuse("virgo", elf("wmma32_fragments"))
        self.assertIn("it uses fragments of warp matrices (wmma.h); this machine has tensor cores of another style", text)
        self.assertRegex(text, "Configurations it fits: ampere-sm, .*turing-sm, volta-sm")
        self.assertIn("this machine has no tensor cores", self.refuse("virgo", elf("wmma32_fragments"), "--set", "cluster.tensor_core.present=false"))
        self.assertIn("synchronous tensor cores; this machine has tensor cores of another style", self.refuse("volta-sm", elf("gemm_tc")))
        text = self.refuse("volta-sm", elf("async_copy"))
        self.assertIn("copies asynchronously from global to shared memory", text)
        self.assertIn("Configurations it fits: ampere-sm", text)

    def test_kernels_for_one_cluster_are_refused_on_two(self):
        for program in ("gemm_virgo_dma", "gemm_tc", "gemm_simt"):
            self.assertIn("--set clusters=1", self.refuse("virgo", elf(program), "--set", "clusters=2"))
        result = spica("gemm", "--size", "64", "--set", "clusters=2")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("one cluster", result.err)

    def test_other_kernels_use_all_clusters(self):
        for mode in MODES:
            for program in ("vecadd", "saxpy", "reduce", "library_check"):
                for clusters in (2, 4):
                    result = spica("run", "virgo", elf(program), "--mode", mode, "--set", f"clusters={clusters}")
                    self.assertEqual(result.code, 0, result.text)
                    self.assertIn("PASS", result.out)

    def test_more_cores_than_spawning_has_room_for_are_refused(self):
        with folder() as out:
            built = build(compilers()[0], ROOT / "sw/kernels/vecadd/main.cpp", f"{out}/two.elf", of_library=("-DPLATFORM_MAX_CORES=2", "-O1"))
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assertIn("room for 2 cores", self.refuse("virgo", f"{out}/two.elf"))
            self.assertEqual(spica("run", "virgo", f"{out}/two.elf", "--set", "cluster.cores=2").code, 0)


if __name__ == "__main__":
    unittest.main()
