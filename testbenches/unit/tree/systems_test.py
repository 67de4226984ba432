#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/systems.md and the containers have the table of packages; tests compile with the versions of Catch2 in it."""
import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
USES = {"build": "build", "cc": "`spica cc`", "python": "Python", "test": "tests", "check": "checks", "docs": "documents", "extra": "extras"}


def expected():
    lines = [line for line in (ROOT / "platform/systems/packages.txt").read_text().splitlines() if line and line[0] != "#"]
    systems = lines[0].split()[2:-1]
    rows = []
    for line in lines[1:]:
        use, looked_for, *rest = line.split(maxsplit=2 + len(systems))
        packages, purpose = rest[:-1], rest[-1]
        packages = [packages[0] if package == "=" else "none" if package == "-" else package for package in packages]
        things = " or ".join(f"`{thing}`" for thing in re.sub("^[a-z]+:", "", looked_for).split("|"))
        rows.append(f"| {USES[use]} | {purpose} | {things} | {' | '.join(packages)} |")
    return rows


class Systems(unittest.TestCase):
    def test_the_page_has_the_table(self):
        page = (ROOT / "docs/systems.md").read_text().splitlines()
        rows = [line for line in page if any(line.startswith(f"| {use} |") for use in USES.values())]
        self.maxDiff = None
        self.assertEqual("\n".join(rows), "\n".join(expected()))

    def test_containers_take_their_packages_from_the_table(self):
        containers = (ROOT / "Containerfile").read_text()
        development = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
        self.assertIn(f" AS {development['build']['target']}\n", containers)
        for text in (containers, development["postCreateCommand"]):
            self.assertLessEqual(set(re.search("spica packages ([a-z ]+) &&", text)[1].split()), set(USES))
        for package in re.findall("apt-get install", containers):
            self.fail(f"a package beside the table: {package}")

    def test_who_includes_catch2_includes_either_version(self):
        files = [path for folder in ("testbenches", "examples") for path in sorted((ROOT / folder).rglob("*"))
                 if path.suffix in (".cpp", ".h")]
        users = {path: path.read_text() for path in files}
        users = {str(path.relative_to(ROOT)): text for path, text in users.items() if "<catch2/" in text}
        self.assertIn("testbenches/support/catch.h", users)
        for path, text in users.items():
            for header in ("catch2/catch_all.hpp", "catch2/catch.hpp"):
                self.assertIn(f"#include <{header}>", text, path)


if __name__ == "__main__":
    unittest.main()
