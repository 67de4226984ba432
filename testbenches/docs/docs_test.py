#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a page of the documentation: every code block, and every command inside the text.

    docs_test.py [--update] ROOT BUILD PAGE.md...

With --update, lines that differ from what is printed in their numbers only are put right in the page. Read the difference:
numbers in the text around them are not touched.

A page is worked through from top to bottom in a folder of its own, in which `./spica`, `sw`, `configs`, `build` and
the like are those of the repository. What a block is says a comment on the line above it, which readers do not see:

    <!-- file: NAME -->       the block is the file NAME; later commands use it
    <!-- part of: FILE -->    the block's lines stand in FILE of the repository, one behind the other; FILE is compiled
    <!-- output -->           what the commands before it print
    <!-- exit: N -->          the commands of the block end with exit code N
    <!-- tested by: FILE -->  a test of its own reads the page and does what the block shows
    <!-- picture -->          a drawing or a scheme: nothing to run
    <!-- not run: REASON -->  commands that a test cannot run; their options are still checked
    <!-- setup: COMMAND -->   anywhere in the text: what a reader would have, e.g. a program of his own

Without a comment a block holds commands. Lines that begin with `$ ` are commands, too; the lines below them are what
they print. In what is printed, `...` stands for any text, alone on a line for any lines; spaces are not counted.

In the text, `spica SUBCOMMAND --option` must be a subcommand and an option that exist.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMMENT = re.compile(r"<!--\s*(file|part of|output|exit|picture|tested by|not run|setup)\s*(?::\s*(.*?))?\s*-->")
INLINE = re.compile(r"`(?:\./)?spica ([^`]+)`")
LINKS = ("configs", "docs", "examples", "models", "platform", "sw", "testbenches")


class Failure(Exception):
    pass


class Block:
    def __init__(self, line, kind, argument, text):
        self.line, self.kind, self.argument, self.text = line, kind, argument, text


def blocks_of(page):
    """The blocks and setups of a page in order, and the text between them."""
    blocks, prose, comment, fence = [], [], None, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence is None and line.lstrip().startswith("```"):
            fence, indent, body = number, len(line) - len(line.lstrip()), []
        elif fence is not None and line.strip() == "```":
            kind, argument = comment or ("run", None)
            blocks.append(Block(fence, kind, argument, "\n".join(body) + "\n"))
            fence = comment = None
        elif fence is not None:
            body.append(line[indent:])
        else:
            match = COMMENT.search(line)
            if match and match[1] == "setup":
                blocks.append(Block(number, "setup", match[2], ""))
            elif match:
                comment = (match[1], match[2])
            elif line.strip():
                comment = None
            prose.append((number, line))
    if fence is not None:
        raise Failure(f"line {fence}: the block has no end")
    return blocks, prose


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


NUMBER = r"[0-9][0-9,.]*(?:e[+-]?[0-9]+)?"


def with_numbers_of(line, printed):
    """The line with the numbers of `printed`, which has the same words; None when it has others."""
    parts = re.split(rf"({NUMBER})", squeezed(line))
    pattern = "".join(f"({NUMBER})" if i % 2 else ".*".join(re.escape(one).replace("\\ ", r"\s+") for one in part.split("..."))
                      for i, part in enumerate(parts))
    bars = "[" + "".join(chr(one) for one in range(0x2588, 0x2590)) + "]"
    pattern = re.sub(rf"(\\s\+)?{bars}+", f"(?:\\\\s+{bars}+)?", pattern)
    match = re.fullmatch(r"\s*" + pattern + r"\s*", printed)
    if not match:
        return None
    if "..." not in line:
        return printed.rstrip()
    numbers = iter(match.groups())
    return re.sub(NUMBER, lambda old: next(numbers).rjust(len(old[0])), line)


def put_right(expected, printed):
    """Pairs of a line of `expected` and what is printed in its place."""
    lines, position, pairs = printed.splitlines(), 0, []
    for line in expected.splitlines():
        if squeezed(line) in ("", "..."):
            continue
        for found in range(position, len(lines)):
            new = line if missing_line(line, lines[found]) is None else with_numbers_of(line, lines[found])
            if new is not None:
                pairs += [(line, new)] if new != line else []
                position = found + 1
                break
    return pairs


def missing_line(expected, printed):
    """The first line of `expected` that `printed` lacks, in order; None when all are there."""
    lines = [squeezed(line) for line in printed.splitlines()]
    position = 0
    for line in expected.splitlines():
        wanted = squeezed(line)
        if wanted in ("", "..."):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split("...")) + r"\Z")
        while position < len(lines) and not pattern.match(lines[position]):
            position += 1
        if position == len(lines):
            return line
        position += 1
    return None


class Page:
    def __init__(self, root, build, page, folder):
        self.root, self.page, self.folder = root, page, folder
        self.binary = build / "platform/cli/spica"
        for name in LINKS:
            (folder / name).symlink_to(root / name)
        (folder / "build").symlink_to(build)
        start = folder / "spica"
        start.write_text(f'#!/bin/sh\nexec "{self.binary}" "$@"\n')
        start.chmod(0o755)
        self.environment = dict(os.environ, SPICA_ROOT=str(root), PATH=f"{folder}:{os.environ['PATH']}",
                                SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1", COLUMNS="200")
        self.printed = ""
        self.is_update, self.pairs = False, []  # of a block's line, an old line and a new one
        self.helps = {}

    def shell(self, text, code, line):
        done = subprocess.run(["bash", "-e", "-c", text], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace")
        if done.returncode != code:
            raise Failure(f"line {line}: exit code {done.returncode}, not {code}, of\n{text}\n{done.stdout}")
        return done.stdout

    def commands(self, block, code):
        if not re.search(r"^\$ ", block.text, re.M):
            self.printed = self.shell(block.text, code, block.line)
            return
        for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            while command.endswith("\\"):
                following, _, expected = expected.partition("\n")
                command = command[:-1] + following
            self.printed = self.shell(command, code, block.line)
            self.compare(expected, block.line)

    def compare(self, expected, line):
        missing = missing_line(expected, self.printed)
        if missing is not None and self.is_update:
            pairs = put_right(expected, self.printed)
            self.pairs += [(line, *pair) for pair in pairs]
            for old, new in pairs:
                expected = expected.replace(old, new, 1)
            missing = missing_line(expected, self.printed)
        if missing is not None:
            raise Failure(f"line {line}: not printed (or not here): {missing}\nprinted:\n{self.printed}")

    def part_of(self, block):
        lines = [squeezed(line) for line in (self.root / block.argument).read_text().splitlines()]
        lines = "\n".join(line for line in lines if line)
        wanted = "\n".join(squeezed(line) for line in block.text.splitlines() if line.strip())
        if wanted not in lines:
            raise Failure(f"line {block.line}: these lines are not in {block.argument}")

    def check(self, block):
        if block.kind == "file":
            path = self.folder / block.argument
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.kind == "part of":
            self.part_of(block)
        elif block.kind == "tested by":
            if self.page.name not in (self.root / block.argument).read_text(encoding="utf-8"):
                raise Failure(f"line {block.line}: {block.argument} does not read this page")
        elif block.kind == "output":
            self.compare(block.text, block.line)
        elif block.kind == "setup":
            self.shell(block.argument, 0, block.line)
        elif block.kind == "not run":
            for number, line in enumerate(block.text.splitlines(), block.line + 1):
                match = re.match(r"(?:\$ )?(?:\./)?spica (.*)", line)
                if match:
                    self.check_options(match[1], number)
        elif block.kind in ("run", "exit"):
            self.commands(block, int(block.argument or 0))

    def help_of(self, command):
        if command not in self.helps:
            done = subprocess.run([self.binary, *command.split(), "--help"], env=self.environment, capture_output=True, text=True)
            self.helps[command] = done.stdout if f"Usage: spica {command} " in done.stdout else None
        return self.helps[command]

    def check_options(self, text, line):
        words = text.split("#")[0].split()
        if words[0].startswith("-"):
            words.insert(0, "")
        if words[0] in ("build", "test", "docs", "packages", "doctor", ""):  # the start script's own
            return
        known = self.help_of(words[0])
        if known is None:
            raise Failure(f"line {line}: there is no command '{words[0]}'")
        if len(words) > 1 and re.search(rf"^  {re.escape(words[1])}  ", known.partition("Subcommands:")[2], re.MULTILINE):
            words[0:2] = [" ".join(words[0:2])]
            known = self.help_of(words[0])
        for word in words[1:]:
            option = re.match(r"--[a-z][a-z-]*", word)
            if option and not re.search(re.escape(option[0]) + r"(?![a-z-])", known):
                raise Failure(f"line {line}: 'spica {words[0]}' has no option {option[0]}")

    def update(self):
        lines = self.page.read_text(encoding="utf-8").split("\n")
        for block, old, new in self.pairs:
            at = next(i for i in range(block, len(lines)) if lines[i].endswith(old))
            lines[at] = lines[at][:len(lines[at]) - len(old)] + new
        self.page.write_text("\n".join(lines), encoding="utf-8")
        return len(self.pairs)

    def run(self):
        blocks, prose = blocks_of(self.page)
        for number, line in prose:
            for match in INLINE.finditer(line):
                self.check_options(match[1], number)
        for block in blocks:
            self.check(block)
        return len(blocks)


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    root, build = (pathlib.Path(argument).resolve() for argument in words[:2])
    failed = 0
    for name in words[2:]:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="spica-docs-"))
        try:
            page = Page(root, build, root / name, folder)
            page.is_update = "--update" in sys.argv
            count = page.run()
            print(f"{name}: {count} blocks work as printed")
        except Failure as failure:
            print(f"{name}: {failure}")
            failed = 1
        finally:
            if page.pairs:
                print(f"{name}: {page.update()} lines have new numbers")
            shutil.rmtree(folder)
    return failed


if __name__ == "__main__":
    sys.exit(main())
