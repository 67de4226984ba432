# SPDX-License-Identifier: Apache-2.0
"""Axes of a sweep beyond keys of the machine."""
import unittest

from spica_runner import folder
from sweep_desk import Desk


class Axes(unittest.TestCase):
    def test_an_argument_that_a_program_names_is_an_axis(self):
        with folder() as at:
            desk = Desk(at, "name: small\njob: run\nconfig: virgo\nelf: saxpy\naxes:\n  n: {key: args.n, log2: 16..64}\n"
                            "  args.flags: [1]\nfixed: {args.alpha: -3, mode: fast}\nkeep: [cycles]\n")
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 0, result.text)
            rows = desk.rows()
            self.assertEqual([(row["n"], row["args.flags"], row["state"]) for row in rows],
                             [("16", "1", "ok"), ("32", "1", "ok"), ("64", "1", "ok")])
            self.assertLess(int(rows[0]["cycles"]), int(rows[2]["cycles"]))
            self.assertIn("--args alpha=-3,n=32,flags=1", desk.run("show", "s.yaml", "1").out)
            again = desk.run("run", "s.yaml")
            self.assertIn("3 of 3 runs had a record", again.out)
            desk.write("name: small\njob: run\nconfig: virgo\nelf: saxpy\naxes: {args.m: [1]}\nfixed: {mode: fast}\nkeep: [cycles]\n")
            self.assertIn("1 refused", desk.run("run", "s.yaml").out)
            self.assertIn("there is no such argument; there are n, flags, alpha", desk.csv().decode())

    def test_convolutions_are_an_axis(self):
        with folder() as at:
            desk = Desk(at, "name: small\naxes:\n  image:\n    zip: {convolution: ['8x8x16,16x3x3,padding=1', '8x8x16,32x1x1']}\n"
                            "    labels: [3x3, 1x1]\n  design: [virgo-dma, simt]\nfixed: {mode: fast}\n"
                            "keep: [instructions, size, verified]\n")
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 0, result.text)
            rows = desk.rows()
            self.assertEqual([(row["image"], row["design"], row["size"], row["verified"]) for row in rows],
                             [("3x3", "virgo-dma", "78x16x192", "true"), ("3x3", "simt", "78x16x144", "true"),
                              ("1x1", "virgo-dma", "64x32x64", "true"), ("1x1", "simt", "64x32x16", "true")])

    def test_a_clock_and_a_group_of_parameters_are_axes(self):
        with folder() as at:
            desk = Desk(at, "name: small\naxes:\n  clock_mhz: [200, 800]\n  main_memory: [ddr4_3200, hbm2]\n"
                            "fixed: {design: simt, size: 64x64x64}\nkeep: [cycles]\n")
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 0, result.text)
            rows = desk.rows()
            self.assertEqual([(row["clock_mhz"], row["main_memory"], row["state"]) for row in rows],
                             [("200", "ddr4_3200", "ok"), ("200", "hbm2", "ok"), ("800", "ddr4_3200", "ok"),
                              ("800", "hbm2", "ok")])
            # Memory has a clock of its own: a faster core waits for more cycles.
            self.assertLess(int(rows[0]["cycles"]), int(rows[2]["cycles"]))
            self.assertNotEqual(rows[2]["cycles"], rows[3]["cycles"])

    def test_mistyped_names_of_results_end_the_plan(self):
        for wanted in ("constraints: utilization >= 0.3", "objectives: {cyclse: min}"):
            with self.subTest(wanted), folder() as at:
                desk = Desk(at, "name: small\naxes: {design: [simt]}\nfixed: {size: 64x64x64}\n" + wanted + "\n")
                result = desk.run("plan", "s.yaml")
                self.assertEqual(result.code, 2, result.text)
                self.assertIn("is not a result, did you mean", result.err)

    def test_values_of_options_are_checked_by_their_declaration(self):
        for fixed, said in (("scaled: yes", '"yes" is not a boolean; allowed: true, false'),
                            ("batch: 0", "0 is out of range; allowed: 1..4096 products"),
                            ("activation: rely", '"rely" is not one of the choices, did you mean "relu"?')):
            with self.subTest(fixed), folder() as at:
                desk = Desk(at, "name: small\naxes: {design: [simt]}\nfixed: {size: 64x64x64, " + fixed + "}\n")
                result = desk.run("plan", "s.yaml", "--no-probe")
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(said, result.err)


if __name__ == "__main__":
    unittest.main()
