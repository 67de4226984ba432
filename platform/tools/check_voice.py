#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the wording of pages, comments and messages; prints each violation as file:line: phrase, and what to write.

* No phrase of voice_phrases.txt, also over the end of a line, in Markdown outside code, in comments and strings of C++, in comments and docstrings of Python.
* A page: at most 25 words in a sentence.
* README.md: at most 700 words outside tables and code, 60 in a paragraph, two links in a sentence; four pictures.
* A page of docs/howto: at most 900 words outside code.

Usage: check_voice.py [ROOT]   Exit code: 0 clean, 1 violations.
"""
import ast
import re
import sys
import tokenize
from pathlib import Path

HERE = "platform/tools"
SENTENCE_WORDS, HOWTO_WORDS = 25, 900
README_WORDS, PARAGRAPH_WORDS, SENTENCE_LINKS, README_PICTURES = 700, 60, 2, 4
CXX = {".h", ".cpp", ".inc", ".cu"}
FOLDERS = ("docs", "models", "platform", "sw", "examples")
GENERATED = ("docs/reference/",)
OURS = (f"{HERE}/check_voice.py", "docs/glossary.md")  # they name the phrases
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKED = re.compile(r"[|#*-] |[|#>]|\d+\. |```|$")  # begins a row, a heading, an item
LEADING = re.compile(r'^\s*(///?<?|#|\*|")?\s*')
CXX_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def read_phrases(root):
    phrases = []
    for line in (root / HERE / "voice_phrases.txt").read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            phrase, _, better = line.partition(" => ")
            phrases.append((re.compile(phrase, re.I), better))
    return phrases


def prose_of(page):
    """Numbered lines of a page outside code and comments; code in a line becomes a word, so that lengths stay."""
    fence = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif not fence:
            yield number, re.sub(r"`[^`]*`", "X", re.sub(r"<!--.*?-->", "", line))


def texts_of(path):
    """Numbered lines of text in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [(number, LINK.sub(r"\1", line)) for number, line in prose_of(text)]
    found = []
    if path.suffix in CXX:
        for match in CXX_TEXT.finditer(text):
            first = text.count("\n", 0, match.start()) + 1
            if not text[:match.start()].endswith("#include "):
                found += enumerate(match[0].splitlines(), first)
    elif path.suffix == ".py":
        with tokenize.open(path) as file:
            found = [(token.start[0], token.string) for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT]
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
                found += enumerate(node.body[0].value.value.splitlines(), node.body[0].lineno)
    return found


def joined(lines):
    """Pairs of consecutive lines as one text, and where the second begins: for phrases that a line end divides."""
    for (number, line), (next_number, following) in zip(lines, lines[1:]):
        if next_number == number + 1 and line.strip() and not MARKED.match(following.strip()):
            head = line.rstrip().removesuffix('"').rstrip() + " "
            yield number, head + LEADING.sub("", following), len(head)


def files_of(root):
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md") if (root / name).exists()]
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in CXX | {".md", ".py"} and path.is_file()]
    names = sorted((str(path.relative_to(root)), path) for path in pages + found)
    return [(name, path) for name, path in names if not name.startswith(GENERATED) and name not in OURS]


def paragraphs_of(page):
    """Paragraphs and items of lists, with the line of their beginning; without tables and headings."""
    lines, start = [], 0
    for number, line in list(prose_of(page)) + [(0, "")]:
        if not line.strip() or re.match(r"\s*([*-]|\d+\.) |\||#", line):
            if lines:
                yield start, " ".join(lines)
            lines = []
        if line.strip() and not re.match(r"\||#", line):
            start = start if lines else number
            lines.append(line.strip())
    if lines:
        yield start, " ".join(lines)


def words_of(text):
    """Words without pictures and marks of Markdown; a link has those of its text."""
    return len(re.findall(r"\S*\w\S*", LINK.sub(lambda match: "" if match[0][0] == "!" else match[1], text)))


def sentences_of(page):
    """Sentences of paragraphs and items, with the line where the paragraph begins."""
    for line, paragraph in paragraphs_of(page):
        for sentence in re.split(r"(?<=[.?!])\**\s+(?=[A-Z*`\[])", paragraph):
            yield line, sentence


def page_findings(name, page):
    for line, sentence in sentences_of(page):
        if words_of(sentence) > SENTENCE_WORDS:
            yield f"{name}:{line}: a sentence of {words_of(sentence)} words, at most {SENTENCE_WORDS}: {sentence[:60]}"


def readme_findings(page):
    paragraphs = [(line, words_of(paragraph)) for line, paragraph in paragraphs_of(page)]
    for line, count in paragraphs:
        if count > PARAGRAPH_WORDS:
            yield f"README.md:{line}: a paragraph of {count} words, at most {PARAGRAPH_WORDS}"
    for line, sentence in sentences_of(page):
        links = len(re.findall(r"(?<!!)\[[^\]]*\]\(", sentence))
        if links > SENTENCE_LINKS:
            yield f"README.md:{line}: a sentence with {links} links, at most {SENTENCE_LINKS}: {sentence[:60]}"
    total = sum(count for _, count in paragraphs)
    if total > README_WORDS:
        yield f"README.md: {total} words, at most {README_WORDS}"
    pictures = page.count("](docs/images/")
    if pictures < README_PICTURES:
        yield f"README.md: {pictures} pictures of docs/images, at least {README_PICTURES}"


def howto_words(page):
    return sum(words_of(line) for _, line in prose_of(page))


def check(root, phrases):
    """Violations, and the number of files."""
    problems = []
    files = files_of(root)
    for name, path in files:
        lines = texts_of(path)
        problems += [f"{name}:{number}: \"{match[0]}\": {better}" for number, line in lines for phrase, better in phrases
                     for match in phrase.finditer(line)]
        problems += [f"{name}:{number}: \"{match[0]}\": {better}" for number, text, start in joined(lines) for phrase, better in phrases
                     for match in phrase.finditer(text) if match.start() < start - 1 and match.end() > start]
        if path.suffix != ".md":
            continue
        page = path.read_text(encoding="utf-8")
        problems += page_findings(name, page)
        if name == "README.md":
            problems += readme_findings(page)
        if name.startswith("docs/howto/") and howto_words(page) > HOWTO_WORDS:
            problems.append(f"{name}: {howto_words(page)} words, at most {HOWTO_WORDS}")
    return problems, len(files)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    problems, files = check(root, read_phrases(root))
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{files} files, {len(problems)} violations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
