#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ctest found the cases of each test program that was built. Argument: the build folder."""
import sys
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop())


class TestPrograms(unittest.TestCase):
    def test_each_has_cases(self):
        lists = sorted((BUILD / "testbenches").rglob("*_tests*.cmake"))
        self.assertGreater(len(lists), 50)
        self.assertEqual([str(file.relative_to(BUILD)) for file in lists if "add_test(" not in file.read_text()], [])


if __name__ == "__main__":
    unittest.main()
