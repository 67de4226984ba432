# SPDX-License-Identifier: Apache-2.0
"""Every configuration is legal, prints, and computes a matrix product that verifies."""
import os
import pathlib
import unittest
import unittest.mock

from spica_runner import elf, folder, spica, stats

CONFIGS = pathlib.Path(os.environ["SPICA_ROOT"]) / "configs"

# Configuration: cores, the `hello` for its shared memory, a design that computes on it, a size of several
# tiles in each direction.
MACHINES = {
    "virgo": (4, "hello", "virgo-dma", "128x64x192"),
    "virgo-dual": (4, "hello", "virgo-dma", "64x128x128"),
    "virgo-16k": (4, "hello_16k", "virgo-16k", "64x96x160"),
    "attention": (4, "hello_256k", "virgo-v2", "128x64x192"),
    "fp16-quartile": (8, "hello_128k", "fp16-quartile", "256x128x384"),
    "fp16-volta": (8, "hello_128k", "fp16-virgo", "128x64x256"),
    "fp16-ampere": (8, "hello_128k", "fp16-virgo", "128x128x128"),
    "fp16-hopper": (4, "hello_128k", "fp16-virgo", "128x64x256"),
    "fp16-volta-quartile": (8, "hello_128k", "fp16-volta", "128x64x256"),
    "fp16-ampere-quartile": (8, "hello_128k", "fp16-ampere-quartile", "128x128x256"),
    "fp16-hopper-quartile": (4, "hello_128k", "fp16-hopper-quartile", "128x64x256"),
    "fp16-virgo": (4, "hello_128k", "fp16-virgo", "256x128x384"),
    "volta-sm": (4, "hello", "volta-wmma", "128x256x64"),
    "ampere-sm": (4, "hello", "volta-wmma", "128x128x32"),
    "turing-sm": (4, "hello", "volta-wmma", "128x128x32"),
    "titanv-sm": (4, "hello_96k", "cutlass13-nn", "256x128x64"),
    "rtx2060-sm": (4, "hello", "cutlass13-tt", "128x256x64"),
    "mgpu-8": (32, "hello", "gemm-tile", "128x64x64"),
    "mgpu-4": (16, "hello", "gemm-tile", "128x64x64"),
    "mgpu-2": (8, "hello", "gemm-tile", "128x64x64"),
    "virgo-4": (16, "hello", "gemm-unit", "128x64x192"),
    "tcv1-sm": (4, "hello_96k", "mlds-128x64x32", "128x128x64"),
    "tcnext-sm": (4, "hello_96k", "mlds-64x64x32", "128x128x64"),
    "titanv": (320, "hello_96k", "cutlass13-nn", "256x128x64"),
    "rtx2060": (120, "hello", "cutlass13-tt", "128x256x64"),
    "v100": (320, "hello", "cutlass13-nt", "128x256x64"),
    "a100": (432, "hello", "cutlass13-nt", "128x256x64"),
    "tcv1": (320, "hello_96k", "mlds-128x64x32", "128x128x64"),
    "tcnext": (320, "hello_96k", "mlds-64x64x32", "128x128x64"),
}
# Of a core, where they are not 8.
WARPS = {"volta-sm": 16, "turing-sm": 16, "ampere-sm": 16, "titanv-sm": 16, "tcv1-sm": 16,
         "tcnext-sm": 16, "titanv": 16, "v100": 16, "a100": 16, "tcv1": 16, "tcnext": 16}


class Configurations(unittest.TestCase):
    def test_an_empty_variable_names_no_folder(self):
        with unittest.mock.patch.dict(os.environ, {"SPICA_ROOT": "", "SPICA_CLANG": ""}):
            self.assertEqual(spica("config", "virgo").code, 0)

    def test_this_list_is_complete(self):
        self.assertEqual(sorted(path.stem for path in CONFIGS.glob("*.yaml")), sorted(MACHINES))

    def test_all_are_legal(self):
        for config in MACHINES:
            result = spica("config", config)
            self.assertEqual(result.code, 0, result.text)

    def test_hello_prints_on_all_of_them(self):
        for config, (cores, hello, _, _) in MACHINES.items():
            with self.subTest(config):
                mode = "fast" if cores > 8 else "cycle"  # the clusters are those of smaller machines
                result = spica("run", config, elf(hello) if elf(hello).exists() else "hello", "--mode", mode)  # compiled if need be
                if cores > 64:  # the library's table of cores, unless it is compiled for more
                    self.assertEqual(result.code, 2, result.text)
                    self.assertIn(f"-DPLATFORM_MAX_CORES={cores}", result.err)
                    continue
                self.assertEqual(result.code, 0, result.text)
                lines = [line for line in result.out.splitlines() if line.startswith("hello from core")]
                self.assertEqual(len(set(lines)), 2 * WARPS.get(config, 8) * cores)

    def test_a_product_verifies_on_all_of_them(self):
        for config, (cores, _, design, size) in MACHINES.items():
            with self.subTest(config), folder() as out:
                mode = "fast" if cores > 64 else "cycle"  # the timing fuzz has products on whole GPUs in the cycle mode
                result = spica("gemm", "--config", config, "--design", design, "--size", size, "--out", out, "--mode", mode)
                self.assertEqual(result.code, 0, result.text)
                self.assertTrue(stats(out)["verified"])
                self.assertIn("bit-exact", result.out)

    def test_without_a_design_the_one_meant_for_the_configuration_is_taken_and_named(self):
        for config in ("virgo", "virgo-dual", "virgo-16k", "attention", "fp16-quartile", "fp16-virgo",
                       "fp16-volta-quartile", "fp16-ampere-quartile", "fp16-hopper-quartile"):
            with self.subTest(config):
                result = spica("gemm", "--config", config, "--size", "128x64x128")
                self.assertEqual(result.code, 0, result.text)
                self.assertIn(f"on {MACHINES[config][2]} ({config})", result.out)

    def test_a_configuration_of_the_users_own_gets_a_design_that_fits(self):
        with folder() as out:
            mine = pathlib.Path(out) / "mine.yaml"
            mine.write_text(f"extends: {CONFIGS}/fp16-virgo.yaml\ncluster: {{cores: 2}}\n")
            result = spica("gemm", "--config", mine, "--size", "128x64x128")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("on fp16-virgo", result.out)

    def test_a_kernel_for_another_machine_is_refused_with_what_differs(self):
        result = spica("gemm", "--config", "attention", "--design", "virgo-dma", "--size", "64")
        self.assertEqual(result.code, 2)
        self.assertIn("hexadecile", result.err)
        result = spica("gemm", "--config", "fp16-virgo", "--design", "fp16-quartile", "--size", "128x64x128")
        self.assertEqual(result.code, 2)
        self.assertIn("quartile", result.err)
        result = spica("gemm", "--config", "virgo", "--set", "cluster.shared_memory.size=32 KiB", "--size", "64")
        self.assertEqual(result.code, 2)
        self.assertIn("32768", result.err)

    def test_putchar_has_a_window_in_v2_and_is_the_print_buffer_before(self):
        for config, program in (("fp16-virgo", "putchar_v2"), ("attention", "putchar_v2"),
                                ("fp16-quartile", "putchar_quartile"), ("virgo", "putchar_v1")):
            with self.subTest(config):
                result = spica("run", config, elf(program))
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("through the window\n", result.out)


class Fp16(unittest.TestCase):
    """The matrix-unit kernels in FP16: 128 x 64 x 128 tiles, 256 multiply-adds per cycle."""

    def run_design(self, design, size, *more):
        with folder() as out:
            result = spica("gemm", "--design", design, "--size", size, "--out", out, *more)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("bit-exact", result.out)
            return stats(out)

    def test_utilisation_refers_to_256_multiply_adds(self):
        data = self.run_design("fp16-virgo", "256x256x256")
        self.assertAlmostEqual(data["utilisation"], 256**3 / 256 / data["cycles"], places=9)
        self.assertLess(data["utilisation"], 1)

    def test_operands_are_read_once_per_tile(self):
        # Per multiply-accumulate 1/16 element of A and 1/128 of B, two bytes each.
        data = self.run_design("fp16-virgo", "256x128x256")
        shared = data["stats"]["cluster_0"]["shared_memory"]
        words = sum(shared[name]["value"] if isinstance(shared[name], dict) else shared[name]
                    for name in ("matrix_a_words_read", "matrix_b_words_read"))
        macs = 256 * 128 * 256
        self.assertEqual(4 * words, 2 * (macs // 16 + macs // 128))

    def test_only_one_thread_works_in_the_hexadecile_kernel(self):
        data = self.run_design("fp16-virgo", "128x64x1024")
        more = self.run_design("fp16-virgo", "128x64x2048")
        # Each instruction more is one of a single lane.
        self.assertEqual(more["instructions"] - data["instructions"],
                         more["thread_instructions"] - data["thread_instructions"])

    def test_rows_longer_than_a_12_bit_stride_verify(self):
        self.run_design("fp16-virgo", "128x64x4224")
        self.run_design("fp16-quartile", "128x64x4224")

    def test_simt_copies_verify(self):
        self.run_design("fp16-virgo-simt", "256x128x384")
        self.run_design("fp16-virgo-simt-serial", "256x128x384")

    def test_simt_copies_work_with_two_cores(self):
        self.run_design("fp16-virgo-simt", "128x64x256", "--set", "cluster.cores=2")


if __name__ == "__main__":
    unittest.main()
