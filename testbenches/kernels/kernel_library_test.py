# SPDX-License-Identifier: Apache-2.0
"""<spica/simt.h> and <spica/matrix.h> on machines of several shapes, in both modes, by both compilers; and what they
refuse to compile."""
import functools
import math
import os
import pathlib
import shutil
import struct
import subprocess
import unittest

from spica_runner import BINARY, COMPILERS, folder, spica

LIBRARY = pathlib.Path(os.environ["SPICA_ROOT"]) / "testbenches/kernels/library"
MODES = ("cycle", "fast")
FP16 = ("-DPLATFORM_SHARED_SIZE=0x20000", "-DMATRIX_UNIT_DIM=16", "-DMATRIX_UNIT_ELEMENT_BYTES=2")


def compile_kernel(source, elf, *options):
    done = subprocess.run([BINARY, "cc", source, *options, "-Wall", "-Werror", "-o", elf], capture_output=True, text=True)
    return done.returncode, done.stderr


@functools.cache
def warps_of(*options):
    """warps.cpp, compiled once for all tests."""
    place = folder()
    unittest.addModuleCleanup(place.cleanup)
    done = compile_kernel(LIBRARY / "warps.cpp", f"{place.name}/warps.elf", *options)
    assert done == (0, ""), done
    return f"{place.name}/warps.elf"


class Tutorial(unittest.TestCase):
    def test_its_six_products_verify_in_both_modes(self):
        steps = sorted((LIBRARY.parents[2] / "docs/tutorials/gemm").glob("[1-6]_*.cpp"))
        self.assertEqual(len(steps), 6)
        with folder() as work:
            for step in steps:
                shutil.copy(step.with_suffix(".yaml"), work)
                self.assertEqual(compile_kernel(step, f"{work}/{step.stem}.elf"), (0, ""))
                for mode in MODES:
                    result = spica("gemm", "--design", f"{work}/{step.stem}.yaml", "--size", "64x64x128", "--mode", mode)
                    self.assertEqual(result.code, 0, result.text)


class Warps(unittest.TestCase):
    def test_lanes_tell_each_other_what_a_loop_over_them_would_find(self):
        for compiler in COMPILERS:
            elf = warps_of("--compiler", compiler)
            for lanes in (4, 8, 16, 32):
                for mode in MODES:
                    with self.subTest(f"{compiler}, {lanes} lanes, {mode} mode"):
                        result = spica("run", "virgo", elf, "--mode", mode, "--set", f"cluster.core.lanes={lanes}",
                                       "--set", "cluster.tensor_core.present=false", "--set", "cluster.core.warps=2")
                        self.assertEqual(result.code, 0, result.text)
                        self.assertIn(f"right on {8 * lanes} threads", result.out)

    def test_no_level_of_optimisation_changes_what_lanes_tell_each_other(self):
        for level in ("-Og", "-O1", "-O3", "-Os", "-Oz"):
            with folder() as work:
                elf = f"{work}/warps.elf"
                code, text = compile_kernel(LIBRARY / "warps.cpp", elf, level)
                self.assertEqual(code, 0, text)
                result = spica("run", "virgo", elf, "--mode", "fast")
                self.assertEqual(result.code, 0, f"{level}: {result.text}")

    def test_lanes_exchange_values_without_a_race_or_a_wrong_access(self):
        with folder() as work:
            elf = warps_of("--compiler", "clang")
            known = pathlib.Path(work) / "known"  # behind a branch all lanes are asked, and values of absent ones are not used
            known.write_text("absent_lane function=*ask*\n")
            for mode in MODES:
                for check in ("hazards", "memory"):
                    result = spica("run", "virgo", elf, "--mode", mode, "--check", check, "--suppress", known)
                    self.assertEqual(result.code, 0, result.text)


class Tiles(unittest.TestCase):
    def run_tiles(self, configuration, *options, source="tiles.cpp", machine=()):
        for compiler in COMPILERS:
            with folder() as work:
                elf = f"{work}/tiles.elf"
                code, text = compile_kernel(LIBRARY / source, elf, "--compiler", compiler, *options)
                self.assertEqual(code, 0, text)
                for mode in MODES:
                    with self.subTest(f"{compiler}, {mode} mode"):
                        result = spica("run", configuration, elf, "--mode", mode, "--check", "hazards", *machine)
                        self.assertEqual(result.code, 0, result.text)
                        self.assertIn("right\n", result.out)

    def test_products_copies_and_stores_of_fp32_tiles(self):
        self.run_tiles("virgo")

    def test_products_copies_and_stores_of_fp16_tiles(self):  # long
        self.run_tiles("fp16-virgo", *FP16)
        self.run_tiles("fp16-quartile", *FP16)

    def test_loads_that_convert_and_transpose_between_others(self):  # long
        machine = ("--set", "cluster.dma.scale_units=4", "--set", "cluster.dma.transposer=true")
        self.run_tiles("virgo", source="reshaped_tiles.cpp", machine=machine)
        self.run_tiles("fp16-virgo", *FP16, source="reshaped_tiles.cpp", machine=machine)
        self.run_tiles("attention", "-DPLATFORM_SHARED_SIZE=0x40000", source="reshaped_tiles.cpp", machine=machine)

    def test_a_machine_that_cannot_convert_or_transpose_names_the_parameter(self):
        with folder() as work:
            elf = f"{work}/tiles.elf"
            self.assertEqual(compile_kernel(LIBRARY / "reshaped_tiles.cpp", elf), (0, ""))
            for machine, text in ((), "no scale units (cluster.dma.scale_units)"), (
                    ("--set", "cluster.dma.scale_units=1"), "no transposer (cluster.dma.transposer)"):
                result = spica("run", "virgo", elf, "--mode", "fast", *machine)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn(text, result.text)

    def test_products_with_another_command_set(self):
        self.run_tiles("attention", "-DPLATFORM_SHARED_SIZE=0x40000")


class Maths(unittest.TestCase):
    def test_math_functions_in_lanes_with_different_arguments_give_what_the_host_computes(self):
        values = [(3 * i + 1) * 10.0 ** (i % 40 - 20) * (-1) ** (i % 7) for i in range(240)]
        data = struct.pack("240f", *values)
        values = struct.unpack("240f", data)
        functions = [math.sin, math.cos, math.tan, math.atan, math.exp, math.tanh, math.log2, lambda x: math.pow(x, 0.75),
                     lambda x: math.atan2(x, -2.5), math.floor, math.ceil, math.trunc,
                     lambda x: math.copysign(math.floor(abs(x) + 0.5), x), round]

        def exact(function, x):
            try:
                return float(function(x))
            except ValueError:
                return math.nan
            except OverflowError:
                return math.inf

        for compiler in COMPILERS:
            with folder() as work:
                pathlib.Path(work, "x.bin").write_bytes(data)
                code, text = compile_kernel(LIBRARY / "maths.cpp", f"{work}/maths.elf", "--compiler", compiler, "-lm")
                self.assertEqual(code, 0, text)
                for mode in MODES:
                    result = spica("run", "virgo", f"{work}/maths.elf", "--mode", mode, "--load", f"{work}/x.bin@x",
                                   "--save", f"{work}/out.bin@results")
                    self.assertEqual(result.code, 0, result.text)
                    found = struct.unpack("4800f", pathlib.Path(work, "out.bin").read_bytes())
                    for row, function in enumerate(functions):
                        for i, x in enumerate(values):
                            wanted = exact(function, x)
                            wanted = math.inf if wanted > 3.4028235e38 else wanted
                            bound = max(abs(wanted) * 3e-7, 1e-44)
                            is_right = (math.isnan(wanted) and math.isnan(found[row * 240 + i])) or \
                                found[row * 240 + i] == wanted or abs(found[row * 240 + i] - wanted) <= bound
                            self.assertTrue(is_right, f"{compiler} {mode} row {row}, {x}: {found[row * 240 + i]}, must be {wanted}")


class Mistakes(unittest.TestCase):
    def refuse(self, text, lines, *options):
        with folder() as work:
            source = pathlib.Path(work, "wrong.cpp")
            source.write_text("#include <spica/matrix.h>\n#include <spica/simt.h>\n" + lines)
            code, errors = compile_kernel(source, f"{work}/wrong.o", "-c", *options)
            self.assertEqual(code, 2, errors)
            self.assertIn(text, errors)

    def test_what_the_matrix_unit_cannot_do_does_not_compile(self):
        tiles = "spica::MatrixUnit unit; spica::Tile<float, 64, 32> a; spica::Tile<float, 32, 64> b; "
        sums = "spica::Accumulator<float, 64, 64> c; "
        self.refuse("a tile is made of blocks", "spica::Tile<float, 60, 64> tile;")
        self.refuse("has other elements", "spica::Tile<double, 64, 64> tile;")
        self.refuse("do not fit into the unit", "spica::Accumulator<float, 128, 64> sums;")
        self.refuse("no matching member function", f"void f() {{ {tiles}{sums} (void)unit.mma(c, b, a); }}")
        self.refuse("no matching member function", f"void f() {{ {tiles}{sums} (void)unit.mma(c, a, a); }}")
        self.refuse("the DMA converts float, half, bf16",
                    f"void f() {{ {tiles} (void)unit.load(a, spica::Matrix<short>{{nullptr, 64}}); }}")
        self.refuse("wait() says when it is done", f"void f() {{ {tiles} unit.load(a, spica::Matrix<float>{{nullptr, 64}}); }}")
        self.refuse("more than the shared memory", "char (&all)[0x10001] = spica::shared<char[0x10001]>();")

    def test_what_a_word_cannot_hold_does_not_compile(self):
        self.refuse("values of up to 32 bits", "double f(double x) { return spica::sum(x); }")
        self.refuse("atomic operations take numbers of 32 and 64 bits", "short f(short* x) { return spica::atomic_add(x, short{1}); }")

    def test_an_unsuitable_copy_of_the_dma_stops_the_program_with_a_sentence(self):
        with folder() as work:
            for lines, text in (("shared.x + 1, memory, 8", "the DMA copies a multiple of DIM elements"),
                                ("shared.x, memory, 9", "the DMA copies a multiple of DIM elements"),
                                ("memory, shared.x, 8", "the DMA copies to shared memory")):
                source = pathlib.Path(work, "wrong.cpp")
                source.write_text("#include <spica/matrix.h>\nstruct Shared { float x[64]; };\nstatic float memory[64];\n"
                                  "int main() {\n  if (simt_core() != 0) return 0;\n  auto& shared = spica::shared<Shared>();\n"
                                  f"  spica::MatrixUnit unit;\n  unit.copy_async({lines}).wait();\n  return 0;\n}}\n")
                code, errors = compile_kernel(source, f"{work}/wrong.elf")
                self.assertEqual(code, 0, errors)
                for mode in MODES:
                    result = spica("run", "virgo", f"{work}/wrong.elf", "--mode", mode)
                    self.assertEqual(result.code, 1, result.text)
                    self.assertIn(text, result.out)


if __name__ == "__main__":
    unittest.main()
