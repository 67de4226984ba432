#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""platform/tools/check_voice.py: phrases and lengths are found where they are text."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3] / "platform/tools"


class Voice(unittest.TestCase):
    PICTURES = "\n\n" + "![a](docs/images/a.png)\n" * 4

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = Path(self.temporary.name)
        self.write("platform/tools/voice_phrases.txt", "# c\n\\bmistakes?\\b => error\n,\\s+too\\s*[,.;:)] => also\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, *options):
        done = subprocess.run([sys.executable, "-B", TOOLS / "check_voice.py", *options, self.root], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, done.stdout

    def assert_found(self, *findings):
        code, text = self.check()
        self.assertEqual(code, 1 if findings else 0, text)
        for finding in findings:
            self.assertIn(finding, text)

    def test_phrases_are_found_in_text_only(self):
        self.write("docs/a.md", "no `mistake`\n```\nmistake\n```\n<!-- mistake --> [x](mistake.md)\n")
        self.write("models/a.h", '#include "mistake.h"\nint mistake = 1;\n')
        self.write("platform/a.py", "mistake = 'mistake'\n")
        self.write("docs/reference/b.md", "a mistake\n")
        self.assert_found()
        self.write("docs/a.md", "one\n\nA Mistake, too.\n")
        self.write("models/a.h", "// it is\n// a mistake\nint a;  /* or\nmistakes */\nf(\"a mistake\");\n")
        self.write("platform/a.py", '"""A mistake."""\n# mistakes\n')
        self.assert_found('docs/a.md:3: "Mistake": error', 'docs/a.md:3: ", too.": also', "models/a.h:2:", "models/a.h:4:", "models/a.h:5:",
                          "platform/a.py:1:", "platform/a.py:2:")

    def test_phrases_are_found_over_the_end_of_a_line(self):
        self.write("platform/tools/voice_phrases.txt", "\\bso many\\b => N\n")
        self.write("docs/a.md", "there are so\nmany of them\n\nso\n\nmany\n\n| so |\n| many |\n")
        self.write("models/a.h", "  // there are so\n  // many of them\nint so;\nint many;\n")
        self.write("models/b.cpp", 'print("so "\n      "many");\n')
        self.assert_found('docs/a.md:1: "so many"', 'models/a.h:1: "so many"', 'models/b.cpp:1: "so many"', "3 violations")

    def test_pages_have_limits(self):
        code = "```\n" + "word " * 1000 + "\n```\n"
        self.write("docs/howto/a.md", "Word word word. " * 300 + "\n" + code)
        self.write("docs/a.md", "Word word word. " * 400)
        self.assert_found()
        self.write("docs/howto/a.md", "Word word word. " * 301 + "\n" + code)
        self.assert_found("docs/howto/a.md: 903 words, at most 900")

    def test_sentences_have_limits(self):
        long = "Word " + "word " * 25 + "end.\n"
        self.write("docs/a.md", "| " + long.strip() + " |\n\n" + "Word " + "word " * 23 + "end. Word " + "word " * 23 + "`a b c`.\n")
        self.write("docs/reference/a.md", long)
        self.assert_found()
        for page in ("README.md", "docs/a.md", "models/a/README.md"):
            with self.subTest(page):
                self.write("README.md", self.PICTURES)
                self.write(page, "Short.\n\n* " + long + self.PICTURES)
                self.assert_found(f"{page}:3: a sentence of 27 words, at most 25")
                (self.root / page).unlink()

    def test_the_readme_has_limits(self):
        sentence = "Word " + "word " * 19 + "end. "
        table = "| " + "word " * 1000 + "|\n"
        write = lambda text: self.write("README.md", text + self.PICTURES)
        write((sentence * 2 + "\n\n") * 16 + table + "```\n" + sentence * 50 + "\n```\n")
        self.assert_found()
        write((sentence * 2 + "\n\n") * 17)
        self.assert_found("README.md: 714 words, at most 700")
        write("# One\n\n" + sentence * 3)
        self.assert_found("README.md:3: a paragraph of 63 words, at most 60")
        write("[a](a.md), [b](b.md) and [c](c.md).\n")
        self.assert_found("README.md:1: a sentence with 3 links")
        write("* [a](a.md), [b](b.md).\n* [c](c.md) ![d](d.png)\n")
        self.assert_found()
        self.write("README.md", "Short. ![a](docs/images/a.png)\n")
        self.assert_found("README.md: 1 pictures of docs/images, at least 4")


if __name__ == "__main__":
    unittest.main()
