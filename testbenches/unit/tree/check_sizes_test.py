#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file, a class and a function that are one too large are reported, and what is just not is not."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "platform/tools/check_sizes.py"


def record(kind, members):
    return f"{kind} Block {{\n" + "".join(f"  int m{i} = 0;\n" for i in range(members)) + "};\n"


def function(lines):
    return "void work() {\n" + "  step();\n" * (lines - 2) + "}\n"


class CheckSizes(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "models", name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            done = subprocess.run([sys.executable, "-B", TOOL, folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
            return done.stdout

    def test_files(self):
        self.assertEqual(self.check("a/a.cpp", "\n" * 250), "")
        self.assertIn("models/a/a.cpp: 251 lines", self.check("a/a.cpp", "\n" * 251))
        self.assertEqual(self.check("a/a_params.h", "\n" * 300), "")

    def test_classes(self):
        for kind in ("class", "struct"):
            self.assertEqual(self.check("a/a.h", record(kind, 25)), "")
            self.assertIn("models/a/a.h: Block has 26 members", self.check("a/a.h", record(kind, 26)))
        self.assertEqual(self.check("a/a_stats.h", record("struct", 40)), "")

    def test_functions(self):
        self.assertEqual(self.check("a/a.cpp", function(50)), "")
        self.assertIn("models/a/a.cpp:1: work has 51 lines", self.check("a/a.cpp", function(51)))


if __name__ == "__main__":
    unittest.main()
