#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documents as a site in BUILD/site, and checks it.

    build.py BUILD

The pages keep their places in the tree, so that their links stay as they are. A source file that a page links to gets a page
with its text, a folder one with its files. Needs mkdocs with the theme Material; everything is read from this machine.

Checked: every page has a place in the navigation (mkdocs.yml), every link leads to a page, picture and heading that exist,
and no page loads anything from elsewhere. Exit codes: 0 built, 1 something is wrong: each finding is printed.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Folders with pages, and the pages outside them.
FOLDERS = ("docs", "models", "examples")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".cu": "cpp", ".inc": "cpp", ".py": "python", ".yaml": "yaml", ".sh": "sh"}


def pages_of(root):
    found = [root / page for page in PAGES if (root / page).exists()]
    return found + sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.md"))


def outside_code(text):
    """The lines of a page, and whether each is text, not in a block of code."""
    fence = False
    for line in text.split("\n"):
        mark = line.lstrip().startswith("```")
        yield line, not fence and not mark
        fence ^= mark


def as_python_markdown(text):
    """GitHub starts a list or table in the middle of a paragraph; Python-Markdown wants an empty line before it."""
    lines = []
    for line, is_text in outside_code(text):
        before = lines[-1] if lines else ""
        starts = [kind for kind in (r"\s*([*-]|\d+\.) ", r"\|") if re.match(kind, line)]
        if is_text and starts and before.strip() and not re.match(r"(\s*([*-]|\d+\.) |\||\s|```|<!--|#)", before):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


class Staging:
    """A folder with everything mkdocs reads."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.sources = set()  # files and folders of the tree that pages link to

    def put(self, path, text):
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def linked(self, page, text):
        """The text with its links to sources and folders as links to their pages."""
        def new(match):
            target = match[2]
            if re.match(r"[a-z]+:", target):
                return match[0]
            path = Path(os.path.normpath(page.parent / target))
            if path.is_dir() and self.root in path.parents:
                if (path / "README.md").exists():
                    return f"{match[1]}{target.rstrip('/')}/README.md{match[4]}"
                self.sources.add(path)
                return f"{match[1]}{target.rstrip('/')}/index.md{match[4]}"
            if path.is_file() and path.suffix not in (".md", ".png", ".svg"):
                self.sources.add(path)
                return f"{match[1]}{target}.md{match[4]}"
            return match[0]

        return "\n".join(LINK.sub(new, line) if is_text else line for line, is_text in outside_code(text))

    def files_of(self, folder):
        """A list of links to what is in a folder."""
        lines = []
        for inner in sorted(folder.iterdir()):
            if inner.is_file() and inner.name != "README.md":
                title = inner.name
                if inner.suffix == ".md":
                    title = inner.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")
                lines.append(f"* [{title}]({inner.name})\n")
            elif inner.is_dir() and any(inner.iterdir()):
                lines.append(f"* [{inner.name}/]({inner.name})\n")
        return "".join(lines)

    def add_page(self, page):
        text = page.read_text(encoding="utf-8")
        if page.parent.parent == self.root / "examples":
            text += f"\n## Files\n\n{self.files_of(page.parent)}"
        self.put(page.relative_to(self.root), as_python_markdown(self.linked(page, text)))

    def add_source(self, path):
        name = path.relative_to(self.root)
        if path.is_dir():
            self.put(name / "index.md", self.linked(path / "x", f"# {name}/\n\n{self.files_of(path)}"))
        else:
            fence = "`" * 4
            text = path.read_text(encoding="utf-8", errors="replace")
            self.put(f"{name}.md", f"# {name}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}\n{fence}\n")

    def fill(self):
        for page in pages_of(self.root):
            self.add_page(page)
        done = set()
        while self.sources - done:
            path = min(self.sources - done)
            done.add(path)
            self.add_source(path)
        shutil.copytree(self.root / "docs/images", self.folder / "docs/images")
        shutil.copytree(HERE / "assets", self.folder / "site-assets")
        return {str(path.relative_to(self.root)) for path in done}


class Reader(html.parser.HTMLParser):
    """The links, anchors and loaded files of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag in ("img", "script", "link", "iframe", "source") and values.get("rel") not in ("canonical", "next", "prev"):
            self.loaded += [values[name] for name in ("src", "href") if values.get(name)]


def findings_of(site):
    """What is wrong with a built site: dead links, and files that come from elsewhere."""
    readers = {}
    for path in sorted(site.rglob("*.html")):
        readers[path] = Reader()
        readers[path].feed(path.read_text(encoding="utf-8"))
    for path, reader in readers.items():
        if path.name == "404.html":  # has addresses from the top of a server
            continue
        name = path.relative_to(site)
        for target in reader.loaded + reader.links:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                if target in reader.loaded and url.scheme != "data":
                    yield f"{name}: loads {target} from elsewhere"
                continue
            place = Path(os.path.normpath(path.parent / urllib.parse.unquote(url.path))) if url.path else path
            if place.is_dir():
                place = place / "index.html"
            anchor = urllib.parse.unquote(url.fragment)
            if not place.exists():
                yield f"{name}: {target} does not exist"
            elif anchor and place in readers and anchor not in readers[place].anchors:
                yield f"{name}: {target}: the page has no such heading"


def without_place(navigation, pages):
    """The pages that the navigation lacks."""
    named = set(re.findall(r"^\s*- (?:[^:]+: )?(\S+\.md|\S+/)$", navigation, re.M))
    return [page for page in pages if page not in named and str(Path(page).parent) + "/" not in named]


def build(root, build_folder):
    source, site = build_folder / "site-source", build_folder / "site"
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    staging = Staging(root, source / "pages")
    sources = staging.fill()
    navigation = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    lost = without_place(navigation, [str(page.relative_to(root)) for page in pages_of(root)])
    if lost:
        return [f"{page} has no place in platform/site/mkdocs.yml" for page in lost]
    navigation = re.sub(r"(\S+)/$", r"\1/index.md", navigation, flags=re.M)
    (source / "mkdocs.yml").write_text(f"{navigation}\ndocs_dir: pages\nsite_dir: {json.dumps(str(site))}\n", encoding="utf-8")
    done = subprocess.run(["mkdocs", "build", "--config-file", source / "mkdocs.yml"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return [line for line in done.stdout.splitlines() if "INFO" not in line]
    # Sources are found from the pages that link to them, not by the search.
    index = site / "search/search_index.json"
    content = json.loads(index.read_text(encoding="utf-8"))
    hidden = {f"{name}.html" for name in sources} | {f"{name}/index.html" for name in sources}
    content["docs"] = [entry for entry in content["docs"] if entry["location"].split("#")[0] not in hidden]
    index.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return list(findings_of(site))


def main():
    findings = build(ROOT, Path(sys.argv[1]).resolve())
    print(*findings, sep="\n", end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
