# SPDX-License-Identifier: Apache-2.0
"""Neural networks as users have them: ONNX files, run operator by operator and checked."""
import csv
import json
import pathlib
import unittest

from network_models import SHAPES, encoder, layers, pictures
from onnx_writer import INT64, model, node, tensor, value
from spica_runner import folder, spica, stats
from sweep_desk import Desk


class Networks(unittest.TestCase):
    def run_network(self, make, *options):
        """Output of the command, and stats.json."""
        with folder() as at:
            file = pathlib.Path(at) / "net.onnx"
            make(file)
            result = spica("network", file, "--out", at, *options)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn(": verified\n", result.out)
            return result, stats(at)

    def test_they_are_right_on_different_machines_in_all_formats_and_both_modes(self):
        for make, shapes in SHAPES.items():
            for options in ("--config", "volta-sm", "--mode", "fast"), ("--format", "fp16"), \
                    ("--format", "bf16", "--mode", "fast"), ("--config", "mgpu-4", "--mode", "fast"):
                with self.subTest(make=make.__name__, options=options):
                    _, data = self.run_network(make, *shapes, *options)
                    self.assertTrue(data["verified"])
                    if "fast" not in options:  # whose times are estimates
                        self.assertLess(sum(one["cycles"] for one in data["operators"]), data["cycles"])

    def test_checkers_find_nothing_and_what_is_added_to_a_machine_is_told(self):
        for make, shapes in SHAPES.items():
            result, data = self.run_network(make, *shapes, "--check", "hazards", "--check", "memory")
            self.assertTrue(data["verified"])
            self.assertLess(sum(one["cycles"] for one in data["operators"]), data["cycles"])
            self.assertIn("hazards: none found", result.err)
            self.assertIn("memory errors: none found", result.err)
            self.assertIn("added to virgo: dispatcher.present=true, command_processor.present=true", result.err)

    def test_of_equal_blocks_two_are_enough(self):
        _, all_of_them = self.run_network(lambda path: layers(path, 5))
        result, once = self.run_network(lambda path: layers(path, 5), "--blocks", "once")
        self.assertAlmostEqual(once["projected_cycles"] / all_of_them["cycles"], 1, delta=0.01)
        self.assertLess(once["cycles"], 0.45 * all_of_them["cycles"])
        self.assertEqual(once["blocks"]["count"], 5)
        self.assertEqual([one["state"] for one in once["operators"]].count("reused"), 3 * once["blocks"]["length"])
        self.assertIn("5 equal blocks of 3 operators, from a0 on", result.out)
        self.assertIn("no three equal blocks", self.run_network(lambda path: layers(path, 2), "--blocks", "once")[0].out)

    def test_each_node_is_an_operator_fused_folded_or_a_view(self):
        with folder() as at:
            file = pathlib.Path(at) / "net.onnx"
            encoder(file)
            listed = spica("network", file, "--list", *SHAPES[encoder])
        self.assertEqual(listed.code, 0, listed.text)
        self.assertRegex(listed.out, r"masked +Add +fused into weights\n")
        self.assertRegex(listed.out, r"y +Tanh +fused into out.product\n")
        self.assertRegex(listed.out, r"\n\d+ nodes: \d+ operators, \d+ fused, 0 folded, \d+ views\n")

    def test_what_no_kernel_computes_is_told_at_once_before_the_run(self):
        with folder() as at:
            file = pathlib.Path(at) / "net.onnx"
            file.write_bytes(model([node("Add", ["q", "q"], ["sum"]), node("NonZero", ["x"], ["places"]), node("Cast", ["places"], ["y"], to=1)],
                                   [], [value("q", [4, 8], 2), value("x", [4, 8])], [value("sum", [4, 8], 2), value("y", [2, "n"])],
                                   opset=13))
            refused = spica("network", file)
        self.assertEqual(refused.code, 2)
        for one in "node 'sum' (add): no kernel has elements of uint8; there are ", "node 'places' (NonZero): its extents depend on values that are computed":
            self.assertIn(one, refused.err)

    def test_outputs_are_compared_with_those_that_are_expected(self):
        with folder() as at:
            file, own = pathlib.Path(at) / "net.onnx", pathlib.Path(at) / "own.npz"
            pictures(file)
            words = ("network", file, "--mode", "fast", "--shape", "x=1x3x11x9")
            self.assertEqual(spica(*words, "--outputs", own).code, 0)
            again = spica(*words, "--expected", own)
            self.assertEqual(again.code, 0, again.text)
            self.assertRegex(again.out, r"output y against \S+own.npz: largest error 0 of")
            other = spica(*words, "--expected", own, "--seed", "2")
            self.assertEqual(other.code, 1)
            self.assertRegex(other.err, r"WRONG RESULT: output 'y' against \S+own.npz: 5 elements; element \d is ")
            strange = spica(*words, "--inputs", own)
            self.assertEqual(strange.code, 0, strange.text)  # it has only an output
            damaged = pathlib.Path(at) / "damaged.npz"
            damaged.write_bytes(own.read_bytes()[:60])
            self.assertIn("damaged.npz: is not a readable file of numpy.savez", spica(*words, "--inputs", damaged).err)

    def test_one_element_an_empty_axis_and_casts(self):
        def make(path):
            path.write_bytes(model([node("ReduceMean", ["x"], ["m"], axes=[0, 1], keepdims=0), node("Mul", ["m", "two"], ["y"]),
                                    node("Cast", ["x"], ["i"], to=6), node("Sub", ["x", "x"], ["z"]), node("Div", ["z", "z"], ["nan"])],
                                   [tensor("two", [], [2.0])], [value("x", [3, 5])],
                                   [value("y", []), value("i", [3, 5], 6), value("nan", [3, 5])], opset=13))
        self.run_network(make, "--mode", "fast")

    def test_inputs_and_expected_outputs_are_looked_at_before_the_run(self):
        def table(path):
            path.write_bytes(model([node("Gather", ["table", "ids"], ["y"])], [tensor("table", [4, 8], [0.5] * 32)],
                                   [value("ids", [3], INT64)], [value("y", [3, 8])]))
        with folder() as at:
            file, own = pathlib.Path(at) / "net.onnx", pathlib.Path(at) / "own.npz"
            table(file)
            self.assertEqual(spica("network", file, "--outputs", own, "--mode", "fast").code, 0)
            pictures(file)
            refused = spica("network", file, "--expected", own, "--shape", "x=1x3x11x9")
            self.assertEqual((refused.code, "array 'y' is 3x8; the output is 1x5" in refused.err), (2, True), refused.text)
            table(file)
            refused = spica("network", file, "--expected", at + "/none.npz")
            self.assertEqual((refused.code, "not a readable file" in refused.err), (2, True), refused.text)

    def test_a_map_chooses_kernels_and_formats_by_operator_and_node(self):
        with folder() as at:
            rules = pathlib.Path(at) / "map.yaml"
            rules.write_text("rules:\n  - {operator: product, design: products}\n  - {operator: product, node: 'v.*', kernel: product_lanes, format: bf16}\n"
                             "  - {operator: softmax, kernel: softmax_masked}\n  - {node: 'out*', format: fp16}\n")
            for options in ("--check", "hazards"), ("--config", "mgpu-4", "--mode", "fast"), ("--format", "fp16", "--mode", "fast"):
                _, data = self.run_network(encoder, *SHAPES[encoder], "--map", rules, *options)
                found = {one["name"]: one for one in data["operators"]}
                default = "fp16" if "fp16" in options else "fp32"
                self.assertEqual({name: (found[name]["kernel"], found[name]["format"], found[name]["design"]) for name in ("v.product", "q.product", "weights", "out.product")},
                                 {"v.product": ("product_lanes_bf16", "bf16", "products"), "q.product": (f"product_lanes_{default}", default, "products"),
                                  "weights": (f"softmax_masked_{default}", default, "rows"), "out.product": ("product_lanes_fp16 + tanh_fp16", "fp16", "products")})
                self.assertIn(f"v ({default})", [one["name"] for one in data["operators"] if one["type"] == "cast"])
                self.assertEqual(sum(one["cycles"] for one in data["operators"]) <= data["totals"]["cycles"], True)
            rules.write_text("rules:\n  - {operator: produkt, format: fp8}\n  - {node: nothing, design: unit, kernel: product}\n  - {format: fp16}\n"
                             "  - {operator: gelu_erf, format: fp16}\n  - {operator: tanh}\n  - {operator: layer_norm, format: fp16}\n  - {node: normal, format: bf16}\n")
            encoder(pathlib.Path(at) / "net.onnx")
            refused = spica("network", pathlib.Path(at) / "net.onnx", *SHAPES[encoder], "--map", rules)
            self.assertEqual(refused.code, 2, refused.text)
            for line, text in (2, "'produkt' is unknown"), (2, "format: .fp8. is not one of the choices"), (3, "no operator has the name 'nothing'"), (3, "'unit' is unknown"), \
                    (3, "'product' is unknown"), (4, "neither operator nor node"), (5, "the network has no 'gelu_erf'"), (6, "the rule has no effect"), (7, "later rules decide"):
                self.assertRegex(refused.err, rf"map.yaml:{line}: .*{text}")
            rules.write_text("rules: [{operator: product, design: rows}, {operator: softmax, design: unit-products}]\n")
            refused = spica("network", pathlib.Path(at) / "net.onnx", *SHAPES[encoder], "--map", rules)
            self.assertEqual(refused.code, 2, refused.text)
            self.assertIn("8 of 10 operators have no kernel", refused.err)
            self.assertIn("node 'weights' (softmax): design 'unit-products' has no kernel for it", refused.err)

    def test_results_have_rows_that_add_up_and_a_file_of_operators(self):
        with folder() as at:
            pictures(pathlib.Path(at) / "net.onnx")
            result = spica("network", pathlib.Path(at) / "net.onnx", "--shape", "x=1x3x11x9", "--energy", "--out", at, "--report", f"{at}/page.html")
            self.assertEqual(result.code, 0, result.text)
            data, own = stats(at), json.loads((pathlib.Path(at) / "network.json").read_text())
            account = data["launch_account"]
            operators, none = own["operators"], account["by_name"]["(none)"]
            self.assertEqual(sum(one["cycles"] for one in operators) + none["cycles"], own["totals"]["cycles"])
            self.assertEqual(sum(one["bytes"]["dram"] for one in operators) + none["bytes"]["dram"], own["totals"]["dram_bytes"])
            self.assertAlmostEqual((sum(one["energy_uj"]["total"] for one in operators) + none["energy_uj"]["total"]) / own["totals"]["energy_uj"], 1, delta=1e-9)
            self.assertEqual(own["totals"]["multiply_adds"], 216 * 30 + 72 * 30 + 64 * 30 + 40)
            lines = list(csv.DictReader((pathlib.Path(at) / "operators.csv").read_text().splitlines()))
            self.assertEqual([(line["operator"], int(line["cycles"]), float(line["energy_uj"]), line["limiter"]) for line in lines],
                             [(one["name"], one["cycles"], one["energy_uj"]["total"], one["limiter"]) for one in operators])
            self.assertRegex(result.out, r"\n  \(between operators\) .*\n  total +%s +100.0 %%" % f"{data['cycles']:,}")
            self.assertIn("Operators of the network", (pathlib.Path(at) / "page.html").read_text())

    def test_a_run_that_is_resumed_has_the_same_results(self):
        with folder() as at:
            at = pathlib.Path(at)
            layers(at / "net.onnx", 3)
            words = ("network", at / "net.onnx", "--energy")
            whole = spica(*words, "--out", at / "whole", "--checkpoint", "every=40k", "--checkpoint-dir", at / "saved")
            self.assertEqual(whole.code, 0, whole.text)
            saved = sorted((at / "saved").iterdir(), key=lambda path: int(path.stem.split("-")[1]))
            self.assertGreater(len(saved), 1)
            for file in saved[0], saved[-1]:
                again = spica(*words, "--out", at / "again", "--from", file)
                self.assertEqual(again.code, 0, again.text)
                first, second = (json.loads((at / name / "network.json").read_text()) for name in ("whole", "again"))
                self.assertEqual(first, second)
            other = spica(*words, "--from", saved[0], "--seed", "5")
            self.assertEqual((other.code, "of other input files or other options" in other.err), (2, True), other.text)

    def test_a_sweep_has_networks_machines_and_formats_as_axes(self):
        with folder() as at:
            desk = Desk(at, "name: small\njob: network\naxes: {config: [virgo, mgpu-4], format: [fp32, fp16]}\n"
                            "fixed: {model: net.onnx, shape: x=1x3x11x9, mode: fast}\nkeep: [cycles, verified, bytes]\n")
            pictures(desk.at / "net.onnx")
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual([(row["config"], row["format"], row["state"]) for row in desk.rows()],
                             [("virgo", "fp32", "ok"), ("virgo", "fp16", "ok"), ("mgpu-4", "fp32", "ok"), ("mgpu-4", "fp16", "ok")])
            self.assertGreater(int(desk.rows()[0]["bytes"]), 1.5 * int(desk.rows()[1]["bytes"]))
            self.assertIn("4 of 4 runs had a record", desk.run("run", "s.yaml").out)
            encoder(desk.at / "net.onnx")  # another network under the same name
            self.assertIn("4 refused", desk.run("run", "s.yaml").out)


if __name__ == "__main__":
    unittest.main()
