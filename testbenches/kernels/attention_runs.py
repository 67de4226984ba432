# SPDX-License-Identifier: Apache-2.0
"""Runs of attention that are checked, each once for all tests of a process."""
import functools
import unittest

from spica_runner import folder, spica, stats


@functools.cache
def attention(*options):
    """Result and statistics of a run. Tests that ask for the same run share it."""
    with folder() as out:
        result = spica("attention", "--out", out, *options)
        return result, stats(out) if result.code == 0 else None


class AttentionRuns(unittest.TestCase):
    def run_attention(self, *options):
        result, data = attention(*map(str, options))
        self.assertEqual(result.code, 0, result.text)
        self.assertTrue(data["verified"])
        self.assertIn("verified", result.out)
        self.assertIn("; bit-exact", result.out)
        self.assertLess(data["largest_error"], data["allowed_error"])
        return data, result

    def values(self, *options):
        """Verifies a result of which no time is asked."""
        return self.run_attention(*options, "--mode", "fast")

    def counted(self, *options):
        data, _ = self.run_attention(*options)
        return data, data["stats"]["cluster_0"]
