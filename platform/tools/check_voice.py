#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the wording of pages, comments and messages; prints each violation as file:line: phrase, and what to write.

* No phrase of voice_phrases.txt in Markdown outside code, in comments and strings of C++, in comments and docstrings of Python.
* README.md: at most 700 words outside tables and code, 60 in a paragraph, 25 and two links in a sentence.
* A page of docs/howto: at most 900 words outside code.

voice_exceptions.txt lists what older files may have, and can only shrink: a larger count is an error, a smaller one is a note, and
--update lowers the list to it (words to the next hundred).

Usage: check_voice.py [--update] [--all] [ROOT]   --all: prints listed places too.   Exit code: 0 clean, 1 violations.
"""
import ast
import re
import sys
import tokenize
from pathlib import Path

HERE = "platform/tools"
README_WORDS, PARAGRAPH_WORDS, SENTENCE_WORDS, SENTENCE_LINKS, HOWTO_WORDS = 700, 60, 25, 2, 900
CXX = {".h", ".cpp", ".inc", ".cu"}
FOLDERS = ("docs", "models", "platform", "sw", "examples")
GENERATED = ("docs/reference/",)
OURS = (f"{HERE}/check_voice.py", "docs/glossary.md")  # they name the phrases
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CXX_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def read_phrases(root):
    phrases = []
    for line in (root / HERE / "voice_phrases.txt").read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            phrase, _, better = line.partition(" => ")
            phrases.append((re.compile(phrase, re.I), better))
    return phrases


def read_exceptions(root):
    """Counts by (kind, file); kind is words or phrases."""
    path = root / HERE / "voice_exceptions.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(kind, file): int(count) for kind, count, file in (line.split() for line in lines if line and line[0] != "#")}


def write_exceptions(root, exceptions):
    path = root / HERE / "voice_exceptions.txt"
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    path.write_text("\n".join(head + [f"{kind} {count} {file}" for (kind, file), count in sorted(exceptions.items()) if count]) + "\n",
                    encoding="utf-8")


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


def readme_findings(page):
    total = 0
    for line, paragraph in paragraphs_of(page):
        count = words_of(paragraph)
        total += count
        if count > PARAGRAPH_WORDS:
            yield f"README.md:{line}: a paragraph of {count} words, at most {PARAGRAPH_WORDS}"
        for sentence in re.split(r"(?<=[.?!])\**\s+(?=[A-Z*`\[])", paragraph):
            links = len(re.findall(r"(?<!!)\[[^\]]*\]\(", sentence))
            if words_of(sentence) > SENTENCE_WORDS or links > SENTENCE_LINKS:
                yield (f"README.md:{line}: a sentence of {words_of(sentence)} words and {links} links, at most {SENTENCE_WORDS} and "
                       f"{SENTENCE_LINKS}: {sentence[:60]}")
    if total > README_WORDS:
        yield f"README.md: {total} words, at most {README_WORDS}"


def howto_words(page):
    return sum(words_of(line) for _, line in prose_of(page))


def check(root, phrases, exceptions):
    """Violations, places that the list allows, and the counts by kind and file."""
    problems, allowed, counts = [], [], {}
    readme = root / "README.md"
    if readme.exists():
        problems += readme_findings(readme.read_text(encoding="utf-8"))
    for name, path in files_of(root):
        found = [f"{name}:{number}: \"{match[0]}\": {better}" for number, line in texts_of(path) for phrase, better in phrases
                 for match in phrase.finditer(line)]
        counts["phrases", name] = len(found)
        most = exceptions.get(("phrases", name), 0)
        (problems if len(found) > most else allowed).extend(found)
        if len(found) > most > 0:
            problems.append(f"{name}: {len(found)} phrases, {most} are listed; one of those above is new")
        if name.startswith("docs/howto/"):
            words = howto_words(path.read_text(encoding="utf-8"))
            counts["words", name] = words if words > HOWTO_WORDS else 0
            if words > max(HOWTO_WORDS, exceptions.get(("words", name), 0)):
                problems.append(f"{name}: {words} words, at most {max(HOWTO_WORDS, exceptions.get(('words', name), 0))}")
    return problems, allowed, counts


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    rest = [word for word in sys.argv[1:] if not word.startswith("--")]
    root = Path(rest[0] if rest else Path(__file__).resolve().parents[2])
    exceptions = read_exceptions(root)
    problems, allowed, counts = check(root, read_phrases(root), exceptions)
    print(*problems, sep="\n", end="\n" if problems else "")
    if "--all" in options:
        print(*allowed, sep="\n", end="\n" if allowed else "")
    steps = {"words": 100, "phrases": 1}
    lower = {key: min(count, -(-counts.get(key, 0) // steps[key[0]]) * steps[key[0]]) for key, count in exceptions.items()}
    if "--update" in options and not problems:
        write_exceptions(root, lower)
    elif lower != exceptions:
        print(f"{sum(lower[key] < exceptions[key] for key in lower)} counts of voice_exceptions.txt can be lowered: check_voice.py --update")
    print(f"{len(counts)} counts, {len(problems)} violations, {len(allowed)} listed places")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
