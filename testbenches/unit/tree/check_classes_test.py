#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A class that is one too large over all its files is reported, one that is just not is not, and exceptions only shrink."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "platform/tools/check_classes.py"


def block(body):
    return "namespace spica::a {\nclass Block {\n" + body + "};\n}\n"


def functions(number):
    return "".join(f"  void f{i}();\n" for i in range(number))


class CheckClasses(unittest.TestCase):
    def check(self, files, exceptions=""):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**files, "platform/tools/class_exceptions.txt": exceptions}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, "-B", TOOL, folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0 if ", 0 violations" in done.stdout else 1, done.stderr)
            return done.stdout

    def test_functions_and_members(self):
        self.assertIn(", 0 violations", self.check({"models/a/a.h": block(functions(30))}))
        self.assertIn("a::Block has 31 functions", self.check({"models/a/a.h": block(functions(31))}))
        members = "".join(f"  int m{i} = 0;\n" for i in range(26))
        self.assertIn("a::Block has 26 members", self.check({"platform/a/a.h": block(members)}))
        self.assertIn(", 0 violations", self.check({"models/a/a_params.h": block(members)}))

    def test_all_files_count(self):
        def define(name, lines):
            return "namespace spica::a {\nvoid Block::" + name + "() {\n" + "  step();\n" * (lines - 2) + "}\n}\n"
        header = block(functions(3))  # 5 lines
        files = {"models/a/a.h": header, "models/a/a.cpp": define("f0", 195), "models/a/b.cpp": define("f1", 200)}
        self.assertIn(", 0 violations", self.check(files))
        files["models/a/b.cpp"] = define("f1", 201)
        self.assertIn("a::Block has 401 lines", self.check(files))
        files["models/a/c.cpp"] = define("f2", 3)
        self.assertIn("a::Block has 3 cpp", self.check(files))

    def test_exceptions_shrink(self):
        files = {"models/a/a.h": block(functions(31))}
        self.assertIn("31 functions, at most 30", self.check(files))
        same = self.check(files, "a::Block functions=31: a list\n")
        self.assertIn(", 0 violations", same)
        self.assertNotIn("lowered", same)
        self.assertIn("1 numbers of class_exceptions.txt can be lowered", self.check(files, "a::Block functions=32: a list\n"))
        self.assertIn("can be lowered", self.check({"models/a/a.h": block("")}, "a::Block functions=31: a list\n"))

    def test_update_lowers(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "models").mkdir()
            Path(folder, "models/a.h").write_text(block(functions(31)))
            path = Path(folder, "platform/tools/class_exceptions.txt")
            path.parent.mkdir(parents=True)
            path.write_text("# head\na::Block functions=40 lines=500: a list\na::Gone cpp=3: old\n")
            subprocess.run([sys.executable, "-B", TOOL, "--update", folder], check=True, capture_output=True)
            self.assertEqual(path.read_text(), "# head\na::Block functions=31: a list\n")


if __name__ == "__main__":
    unittest.main()
