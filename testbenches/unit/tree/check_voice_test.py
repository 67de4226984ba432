#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""platform/tools/check_voice.py: phrases and lengths are found where they are text, and listed ones can only shrink."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3] / "platform/tools"


class Voice(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = Path(self.temporary.name)
        self.write("platform/tools/voice_phrases.txt", "# c\n\\bmistakes?\\b => error\n,\\s+too\\s*[,.;:)] => also\n")
        self.list("")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def list(self, text):
        self.write("platform/tools/voice_exceptions.txt", "# head\n" + text)

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

    def test_a_list_allows_what_is_there_and_only_shrinks(self):
        self.write("docs/a.md", "a mistake\n")
        self.list("phrases 2 docs/a.md\nphrases 1 docs/gone.md\n")
        code, text = self.check()
        self.assertEqual(code, 0)
        self.assertIn("2 counts of voice_exceptions.txt can be lowered", text)
        self.assertIn("docs/a.md:1", self.check("--all")[1])
        self.check("--update")
        self.assertEqual((self.root / "platform/tools/voice_exceptions.txt").read_text(), "# head\nphrases 1 docs/a.md\n")
        self.write("docs/a.md", "a mistake\nand a mistake\n")
        self.assert_found("docs/a.md: 2 phrases, 1 are listed")
        self.check("--update")
        self.assertIn("phrases 1 docs/a.md", (self.root / "platform/tools/voice_exceptions.txt").read_text())

    def test_pages_have_limits(self):
        code = "```\n" + "word " * 1000 + "\n```\n"
        self.write("docs/howto/a.md", "word " * 900 + "\n" + code)
        self.write("docs/a.md", "word " * 1000)
        self.assert_found()
        self.write("docs/howto/a.md", "word " * 901 + "\n" + code)
        self.assert_found("docs/howto/a.md: 901 words, at most 900")
        self.list("words 1000 docs/howto/a.md\n")
        self.assert_found()
        self.write("docs/howto/a.md", "word " * 1001)
        self.assert_found("docs/howto/a.md: 1001 words, at most 1000")

    def test_the_readme_has_limits(self):
        sentence = "Word " + "word " * 19 + "end. "
        table = "| " + "word " * 1000 + "|\n"
        self.write("README.md", (sentence * 2 + "\n\n") * 16 + table + "```\n" + sentence * 50 + "\n```\n")
        self.assert_found()
        self.write("README.md", (sentence * 2 + "\n\n") * 17)
        self.assert_found("README.md: 714 words, at most 700")
        self.write("README.md", "# One\n\n" + sentence * 3)
        self.assert_found("README.md:3: a paragraph of 63 words, at most 60")
        self.write("README.md", "Word " + "word " * 25 + "end.\n")
        self.assert_found("README.md:1: a sentence of 27 words")
        self.write("README.md", "[a](a.md), [b](b.md) and [c](c.md).\n")
        self.assert_found("README.md:1: a sentence of 4 words and 3 links")
        self.write("README.md", "* [a](a.md), [b](b.md).\n* [c](c.md) ![d](d.png)\n")
        self.assert_found()


if __name__ == "__main__":
    unittest.main()
