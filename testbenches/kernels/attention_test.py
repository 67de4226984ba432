# SPDX-License-Identifier: Apache-2.0
"""Flash attention in both designs and with both exponentials, checked against a double-precision reference."""
import unittest

from spica_runner import folder, spica, stats


class Attention(unittest.TestCase):
    def run_attention(self, *options):
        with folder() as out:
            result = spica("attention", "--out", out, *options)
            self.assertEqual(result.code, 0, result.text)
            data = stats(out)
        self.assertTrue(data["verified"])
        self.assertIn("verified", result.out)
        self.assertLess(data["largest_error"], data["allowed_error"])
        return data, result

    def both_lengths(self, *options):
        for sequence in (128, 256):
            data, _ = self.run_attention("--sequence", sequence, *options)
            # Both products on a unit, or on four tensor cores, of 64 multiply-adds per cycle.
            self.assertAlmostEqual(data["utilisation"], 2 * sequence**2 * 64 / 64 / data["cycles"], places=9)

    def test_matrix_unit_with_the_exact_exponential_verifies(self):
        self.both_lengths("--design", "virgo")

    def test_matrix_unit_with_the_polynomial_verifies(self):
        self.both_lengths("--design", "virgo", "--exponential", "polynomial")

    def test_tensor_cores_with_the_exact_exponential_verify(self):
        self.both_lengths("--design", "tc")

    def test_tensor_cores_with_the_polynomial_verify(self):
        self.both_lengths("--design", "tc", "--exponential", "polynomial")

    def test_very_unequal_weights_verify(self):
        for design in ("virgo", "tc"):
            self.run_attention("--design", design, "--sequence", 256, "--spread", 50)

    def test_polynomial_names_its_distance_to_the_softmax(self):
        data, result = self.run_attention("--sequence", 128, "--exponential", "polynomial")
        self.assertGreater(data["distance_to_softmax"], 100 * data["allowed_error"])
        self.assertIn("from the true softmax", result.out)

    def test_published_size_keeps_the_matrix_unit_busy(self):
        data, _ = self.run_attention()
        self.assertEqual((data["sequence"], data["head_dim"]), (1024, 64))
        self.assertGreater(data["utilisation"], 0.9)

    def test_seed_changes_the_operands_not_the_cycles(self):
        first, _ = self.run_attention("--sequence", 128, "--seed", 1)
        second, _ = self.run_attention("--sequence", 128, "--seed", 2)
        self.assertEqual(first["cycles"], second["cycles"])
        self.assertNotEqual(first["largest_output"], second["largest_output"])

    def test_sequence_that_does_not_fit_is_refused(self):
        for sequence in (0, 64, 100, 1000):
            result = spica("attention", "--sequence", sequence)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("multiple of 128", result.err)
        self.assertEqual(spica("attention", "--sequence", "many").code, 2)

    def test_other_head_dimension_is_refused(self):
        result = spica("attention", "--head-dim", 128)
        self.assertEqual(result.code, 2)
        self.assertIn("64", result.err)

    def test_machine_that_the_kernel_does_not_fit_is_named(self):
        result = spica("attention", "--config", "virgo")
        self.assertEqual(result.code, 2)
        self.assertIn("hexadecile", result.err)
        self.assertIn("256 KiB", result.err)
        result = spica("attention", "--set", "cluster.cores=2")
        self.assertEqual(result.code, 2)
        self.assertIn("256 hardware threads", result.err)
        result = spica("attention", "--design", "tc", "--set", "cluster.tensor_core.present=false")
        self.assertEqual(result.code, 2)
        self.assertIn("tensor cores", result.err)


if __name__ == "__main__":
    unittest.main()
