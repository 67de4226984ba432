# SPDX-License-Identifier: Apache-2.0
"""Products and their neighbours with keywords, which are the options of the program."""
import ast
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import spica
from spica import _machine

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kernels"))
import onnx_writer  # noqa: E402


class Runs(unittest.TestCase):
    def test_a_product_is_that_of_the_command_line(self):
        outcome = spica.gemm(size="64x64x64", design="virgo", batch=2, energy=True, set={"l2.ways": 4}, seed=np.uint32(3))
        self.assertTrue(outcome.verified)
        self.assertEqual((outcome["size"], outcome.seed), ("64x64x64", 3))
        self.assertIn("energy", outcome.energy["schema"])
        self.assertIn("cycles", outcome.text)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([_machine.program(), "gemm", "--size", "64x64x64", "--design", "virgo", "--batch", "2", "--energy", "--set", "l2.ways=4",
                            "--seed", "3", "--out", folder], check=True, stdout=subprocess.DEVNULL)
            with open(f"{folder}/stats.json") as file:
                self.assertEqual(json.load(file)["stats"], outcome.stats)

    def test_every_option_is_a_keyword(self):
        listed = json.loads(subprocess.run([_machine.program(), "config", "--kind", "job", "--list", "--as", "json"], check=True, capture_output=True).stdout)
        kinds = {option["key"].split(".")[0] for option in listed} - {"*", "run"}
        for kind in kinds:
            with self.assertRaises(spica.ConfigError) as caught:
                getattr(spica, kind)(none_such=1)
            groups = (kind,) if kind == "opencl" else (kind, "*")  # it has some of the options of every run
            for option in listed:
                if option["key"].split(".")[0] in groups and option["key"] not in ("*.load", "*.save", "*.checkpoint", "*.checkpoint_dir", "*.from"):
                    self.assertIn(option["key"].split(".")[1], "\n".join(caught.exception.problems))

    def test_a_deprecated_keyword_is_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "element is now called format"):
            outcome = spica.attention(design="fp16-tc", element="fp16", sequence=128, mode="fast")
        self.assertTrue(outcome.verified)

    def test_operands_are_arrays_and_results_files(self):
        a, b = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) % 7, np.ones((32, 64), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            outcome = spica.gemm(a=a, b=b, design="fp16-virgo", c=os.path.join(folder, "c.npy"), out=os.path.join(folder, "out"))
            self.assertEqual(outcome.size, "64x64x32")
            np.testing.assert_array_equal(np.load(os.path.join(folder, "c.npy")), a @ b)
            self.assertTrue(os.path.isfile(os.path.join(folder, "out", "stats.json")))

    def test_attention_and_products_at_once(self):
        self.assertTrue(spica.attention(design="virgo", mode="fast").verified)
        self.assertTrue(spica.concurrent(gemm="64_64_64_00", mode="fast").verified)

    def test_the_types_of_keywords_are_python(self):
        stub = pathlib.Path(os.environ["SPICA_ROOT"]) / "platform/bindings/python/spica/_runs.pyi"
        functions = {one.name for one in ast.parse(stub.read_text()).body if isinstance(one, ast.FunctionDef)}
        self.assertEqual(functions, {"gemm", "attention", "stream", "concurrent", "network", "opencl"})

    def test_a_network_takes_and_gives_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "net.onnx")
            with open(file, "wb") as out:
                out.write(onnx_writer.model(
                    [onnx_writer.node("Add", ["x", "one"], ["sum"]), onnx_writer.node("Sigmoid", ["sum"], ["y"])],
                    [onnx_writer.tensor("one", [4], [1.0, 2.0, 3.0, 4.0])],
                    [onnx_writer.value("x", ["rows", 4])], [onnx_writer.value("y", ["rows", 4])]))
            x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
            wanted = 1 / (1 + np.exp(-x - np.arange(1, 5)))
            outcome = spica.network(file, {"x": x}, expected={"y": wanted}, symbol={"rows": 3}, mode="fast")
            self.assertTrue(outcome.verified)
            np.testing.assert_allclose(outcome.outputs["y"], wanted, rtol=1e-5)
            self.assertEqual([one["type"] for one in outcome.operators], ["add", "sigmoid"])
            self.assertRegex(outcome.table(), r"operator +type +kernel +estimated cycles +share .*\nsum +add +add_fp32 +[\d,]+ +[\d.]+ %.*\ny +sigmoid")
            mapped = spica.network(file, {"x": x}, map=[{"operator": "sigmoid", "format": "fp16"}], symbol={"rows": 3}, mode="fast")
            self.assertEqual([one["format"] for one in mapped.operators if one["type"] == "sigmoid"], ["fp16"])
            with self.assertRaisesRegex(spica.ConfigError, "the network has no 'softmax'; allowed: "):
                spica.network(file, map=[{"operator": "softmax", "format": "fp16"}], symbol={"rows": 3}, mode="fast")
            with self.assertRaisesRegex(spica.RunError, "output 'y' against"):
                spica.network(file, {"x": x}, expected={"y": wanted + 0.1}, shape={"x": (3, 4)}, mode="fast")
            with self.assertRaisesRegex(spica.ConfigError, "extents are not set: rows"):
                spica.network(file)

    def test_all_that_is_wrong_is_one_error(self):
        with self.assertRaises(spica.ConfigError) as caught:
            spica.gemm(siz="64x64x64", batch="two", top=3)
        self.assertEqual([problem.split("; allowed")[0] for problem in caught.exception.problems],
                         ['batch: "two" is not a whole number', 'siz: unknown key, did you mean "size"?',
                          "top: does nothing without annotate; top = 3"])
        with self.assertRaisesRegex(spica.ConfigError, "batch: a text, a number, a list, a file or an array, not complex"):
            spica.gemm(batch=2j)
        with self.assertRaisesRegex(spica.ConfigError, "no such design"):
            spica.gemm(design="virgoo")

    def test_a_run_that_ends_early_has_what_there_is(self):
        with self.assertRaises(spica.RunError) as caught:
            spica.gemm(size="64x64x64", set={"run.max_cycles": 100})
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((copy.outcome.end, str(copy)), ("cycle_limit", str(caught.exception)))


if __name__ == "__main__":
    unittest.main()
