#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""platform/site/build.py: links become those of pages, and what is wrong with a site is found. Needs no mkdocs."""
import importlib.util
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("build", ROOT / "platform/site/build.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


class Site(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def write(self, **files):
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def test_every_page_of_the_tree_has_a_place(self):
        pages = [str(page.relative_to(ROOT)) for page in build.pages_of(ROOT)]
        self.assertGreater(len(pages), 80)
        navigation = (ROOT / "platform/site/mkdocs.yml").read_text()
        self.assertEqual(build.without_place(navigation, pages), [])
        self.assertEqual(build.without_place(navigation, pages + ["docs/new.md"]), ["docs/new.md"])

    def test_links_to_sources_and_folders_become_links_to_their_pages(self):
        self.write(docs__a_md="", models__b_h="int x;", configs__c_yaml="c: 1", examples__one__README_md="# One")
        staging = build.Staging(self.folder, self.folder / "staged")
        text = ("[a](a.md#top) [b](../models/b.h#L3) [c](../configs/) [e](../examples/one) [w](https://x.org/y.h)\n"
                "```\n[b](../models/b.h)\n```")
        self.assertEqual(staging.linked(self.folder / "docs/a.md", text),
                         "[a](a.md#top) [b](../models/b.h.md) [c](../configs/index.md) [e](../examples/one/README.md)"
                         " [w](https://x.org/y.h)\n```\n[b](../models/b.h)\n```")
        self.assertEqual(staging.sources, {self.folder / "models/b.h", self.folder / "configs"})

    def test_lists_and_tables_behind_text_begin_a_paragraph(self):
        self.assertEqual(build.as_python_markdown("a:\n* b\n* c\nd\n| e |\n```\nf\n* g\n```"),
                         "a:\n\n* b\n* c\nd\n\n| e |\n```\nf\n* g\n```")

    def test_dead_links_and_files_from_elsewhere_are_found(self):
        page = '<h1 id="one">1</h1><a href="%s">x</a>'
        self.write(index_html=page % "b/c.html#two", b__c_html='<h1 id="two">2</h1><img src="../p.png"><a href="https://x.org">x</a>',
                   p_png="")
        self.assertEqual(list(build.findings_of(self.folder)), [])
        for target, finding in (("b/d.html", "does not exist"), ("b/c.html#one", "no such heading"), ("#two", "no such heading")):
            self.write(index_html=page % target)
            self.assertRegex("".join(build.findings_of(self.folder)), f"index.html: {target}.*{finding}")
        for text in ('<script src="https://x.org/a.js"></script>', '<link rel="stylesheet" href="//x.org/a.css">',
                     '<img src="http://x.org/a.png">'):
            self.write(index_html=text)
            self.assertRegex("".join(build.findings_of(self.folder)), "index.html: loads .* from elsewhere")


if __name__ == "__main__":
    unittest.main()
