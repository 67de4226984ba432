# SPDX-License-Identifier: Apache-2.0
"""The main job: matrix products on the matrix unit, checked against a reference."""
import unittest

from spica_runner import folder, spica, stats


class Gemm(unittest.TestCase):
    def run_size(self, size, *more):
        with folder() as out:
            result = spica("gemm", "--size", size, "--out", out, *more)
            self.assertEqual(result.code, 0, result.text)
            return stats(out), result

    def test_one_tile_verifies(self):
        data, _ = self.run_size("64x64x64")
        self.assertTrue(data["verified"])

    def test_256_cubed_verifies_within_the_target(self):
        data, result = self.run_size("256x256x256")
        self.assertTrue(data["verified"])
        self.assertIn("verified", result.out)
        # Published: 310 k cycles, 84.5 %; this range is the goal of the first release.
        self.assertGreater(data["cycles"], 310_000 * 0.85)
        self.assertLess(data["cycles"], 310_000 * 1.15)
        self.assertAlmostEqual(data["utilisation"], 256**3 / 64 / data["cycles"], places=9)

    def test_rectangular_size_verifies(self):
        data, _ = self.run_size("384x320x192")
        self.assertTrue(data["verified"])

    def test_odd_number_of_k_tiles_verifies(self):
        data, _ = self.run_size("128x64x192")
        self.assertTrue(data["verified"])

    def test_seed_changes_the_operands_not_the_cycles(self):
        first, _ = self.run_size("64x64x128", "--seed", "1")
        second, _ = self.run_size("64x64x128", "--seed", "2")
        self.assertEqual(first["cycles"], second["cycles"])

    def test_size_that_is_no_multiple_of_the_tile_is_refused(self):
        result = spica("gemm", "--size", "100x64x64")
        self.assertEqual(result.code, 2)
        self.assertIn("multiple", result.err)
        self.assertIn("64", result.err)

    def test_issue_reasons_of_each_core_sum_to_the_cycles(self):
        data, _ = self.run_size("64x64x64")
        accounts = []
        def walk(node):
            if "reasons" in node:
                accounts.append(node)
            else:
                for inner in node.values():
                    if isinstance(inner, dict):
                        walk(inner)
        walk(data["stats"])
        self.assertGreater(len(accounts), 8)
        for account in accounts:
            self.assertEqual(sum(account["reasons"].values()), account["total"])
            self.assertEqual(account["total"], data["simulated_cycles"])

    def test_two_runs_give_the_same_statistics(self):
        def strip(data):
            for key in ("host_seconds", "simulated_cycles_per_second", "host"):
                data.pop(key)
            data["provenance"].pop("command_line")
            return data
        first, _ = self.run_size("128x128x128")
        second, _ = self.run_size("128x128x128")
        self.assertEqual(strip(first), strip(second))

    def test_two_cores_work_too(self):
        data, _ = self.run_size("64x64x64", "--set", "cluster.cores=2")
        self.assertTrue(data["verified"])


if __name__ == "__main__":
    unittest.main()
