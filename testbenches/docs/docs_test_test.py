#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs_test.py on small pages: what is right passes, each kind of mistake is found."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).with_name("docs_test.py")
BINARY = pathlib.Path(sys.argv.pop(1)).resolve()


class DocsTest(unittest.TestCase):
    def check(self, text):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for name in ("configs", "docs", "models", "platform", "sw", "testbenches"):
            (folder / name).mkdir()
        (folder / "docs/source.h").write_text("int a;\n\n  int b;\n")
        (folder / "page.md").write_text(text)
        done = subprocess.run([sys.executable, "-B", TOOL, folder, BINARY.parents[2], "page.md"], capture_output=True,
                              text=True)
        return done.returncode, done.stdout

    def finds(self, text, words):
        code, out = self.check(text)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def test_a_page_that_works(self):
        self.assertEqual(self.check("""
`spica gemm --design tc` and `./spica test -L unit`
<!-- file: words.txt -->
```text
one
two
```
```sh
cat words.txt; echo   three   four
```
<!-- output -->
```
one
...
three...r
```
<!-- exit: 3 -->
```
exit 3
```
```
$ echo a \\
    b
a b
```
<!-- part of: docs/source.h -->
```cpp
int a;
int b;
```
<!-- picture -->
```
+--+
```
<!-- not run: needs a network -->
```
spica gemm --design tc
```
"""), (0, "page.md: 8 blocks work as printed\n"))

    def test_mistakes(self):
        self.finds("```\nfalse\n```\n", "line 1: exit code 1, not 0")
        self.finds("<!-- exit: 2 -->\n```\ntrue\n```\n", "exit code 0, not 2")
        self.finds("```\n$ echo a\nb\n```\n", "not printed (or not here): b")
        self.finds("```\necho b; echo a\n```\n<!-- output -->\n```\na\nb\n```\n", "not printed (or not here): b")
        self.finds("<!-- part of: docs/source.h -->\n```\nint b;\nint a;\n```\n", "are not in docs/source.h")
        self.finds("`spica gemm --no-such-option`\n", "line 1: 'spica gemm' has no option --no-such-option")
        self.finds("`spica jemm`\n", "there is no command 'jemm'")
        self.finds("<!-- not run: slow -->\n```\nspica gemm --desig tc\n```\n", "has no option --desig")
        self.finds("```\ntrue\n", "the block has no end")


if __name__ == "__main__":
    unittest.main()
