# SPDX-License-Identifier: Apache-2.0
"""`spica bench` runs, and scales each figure by the speed of the machine."""
import re
import unittest

from spica_runner import spica

ROW = re.compile(r"^(\S.*?)\s{2,}(\S+)\s+(\S+) (\S+)\s+(\S+)\s+(\S+)\s{2,}(reaches the bar|(?:above|below) the floor)$")
RATES = ("Mcycles/s", "Minstr/s")


class Bench(unittest.TestCase):
    def test_every_figure_is_scaled_and_judged(self):
        result = spica("bench", "--runs", "1")
        self.assertEqual(result.code, 0, result.text)
        *lines, note = result.out.strip().splitlines()
        reference, here = map(float, re.search(r"takes (\d+) ns; here it took (\d+) at best", note).groups())
        rows = [ROW.match(line).groups() for line in lines[1:]]
        self.assertEqual(len(rows), 8)
        for name, measured, scaled, unit, floor, bar, verdict in rows:
            measured, scaled, floor, bar = map(float, (measured, scaled, floor, bar))
            self.assertGreater(measured, 0, name)
            slowness = here / reference
            expected = measured if unit == "MB" else measured * slowness if unit in RATES else measured / slowness
            self.assertAlmostEqual(scaled / expected, 1, delta=0.03, msg=name)  # both are rounded in the table
            if min(abs(scaled / bar - 1), abs(scaled / floor - 1)) < 0.01:
                continue  # rounded, it may lie on the other side
            good, poor = (scaled >= bar, scaled < floor) if unit in RATES else (scaled <= bar, scaled > floor)
            wanted = "reaches the bar" if good else "below the floor" if poor else "above the floor"
            self.assertEqual(verdict, wanted, name)


if __name__ == "__main__":
    unittest.main()
