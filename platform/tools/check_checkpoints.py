#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every data member of a block of models/ comes back from a checkpoint, or says that it need not.

    check_checkpoints.py ROOT

Looks at each class of the cycle mode that saves itself: with serialize(), or with timing(), objects(), architecture() or
add_to() of a checkpoint. Each of its members must be named in one of these functions. It need not when it is constant, a
reference, a port or pointer to a neighbour, a counter of a StatGroup, or named behind "Not saved:" in a comment of the class,
with the reason. Plain structs without serialize() are saved field by field, and classes without it do not compile
(models/base/checkpoint.h).
"""
import pathlib
import re
import sys

FUNCTIONS = ("serialize", "timing", "objects", "architecture", "add_to", "serialize_free", "serialize_owners",
             "serialize_request", "serialize_command", "checkpoint_time", "checkpoint_plans")
SAVES = re.compile(r"\b(?:serialize\s*\(\s*Archive\s*&|(?:timing|objects|add_to)\s*\(\s*(?:base::)?Checkpoint\s*&)")
FIXED = re.compile(
    r"^const\b|^static\b|\bconst\s+\w+$|\*\s*const\b|&\s*\w+\s*(?:[,={(]|$)"
    r"|^sc_core::sc_(?:port|export|event|time)\b|^sc_core::sc_vector<sc_core::sc_port|^base::(?:Counter|CycleAccount)\b"
    r"|^protocol::Memory(?:Port|Export)\b|(?:If|Handler|Port|Ports|Socket|Unit|Queue|FragmentLoads)\s*\*|\boperator\b")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)


def end_of(text, begin):
    """Behind the brace that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def classes(text):
    """Name and body of each class or struct, inner ones too."""
    for match in re.finditer(r"\b(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?(\w+)(?:\s+final)?\s*(?::[^;{}()]*)?\{", text):
        begin = match.end() - 1
        yield match.group(1), begin, end_of(text, begin)


def members(body):
    """Statement and names of each data member."""
    text, at = "", 1
    statements = []
    while at < len(body) - 1:
        character = body[at]
        if character == "{":
            end = end_of(body, at)
            head = re.sub(r"template\s*<[^<>]*>", "", text).strip()
            if re.search(r"\)\s*(?:const|override|final|noexcept|\s)*(?::.*)?$", head, re.S) or \
                    re.search(r"\b(?:class|struct|enum|union)\b[^=]*$", head):
                text = ""
            else:
                text += "{}"
            at = end
            continue
        if character == ";":
            statements.append(text)
            text = ""
        else:
            text += character
        at += 1
    for statement in statements:
        statement = re.sub(r"\b(?:public|private|protected)\s*:|template\s*<[^;]*>\s*(?=class|struct)|\[\[[^\]]*\]\]|alignas\([^)]*\)",
                           "", statement)
        statement = " ".join(statement.split())
        if not statement or statement.startswith((";", "using", "friend", "static", "typedef", "return", "template", "#", "enum",
                                                  "class", "struct", "virtual", "explicit", "mutable")):
            continue
        declared = re.sub(r"<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>", "<>", statement)
        if re.match(r"^[^={]*\(", declared):
            continue  # a function
        declarators = re.sub(r"=[^,]*|\{\}|\[[^\]]*\]", "", declared)
        names = re.findall(r"[\s&*]+(\w+)\s*(?:,|$)", declarators) if "," in declarators else re.findall(r"(\w+)\s*$", declarators)
        if names and len(declarators.split()) > 1:
            yield statement, declared, names


DEFINITION = re.compile(rf"\b(\w+)(?:<\w+>)?::({'|'.join(FUNCTIONS)})\s*\([^)]*\)[^;{{]*\{{")
INLINE = re.compile(rf"\b(?:{'|'.join(FUNCTIONS)})\s*\([^)]*\)[^;{{]*\{{")


def definitions(texts):
    """By class: what its functions of FUNCTIONS say in the sources, and what is "Not saved:" in front of them."""
    found = {}
    for commented in texts:
        text = without_comments(commented)
        for match in DEFINITION.finditer(text):
            front = commented[:match.start()].rsplit("\n\n", 1)[-1]
            parts = found.setdefault(match.group(1), [])
            parts += re.findall(r"Not saved:.*", front, re.S)
            parts.append(text[match.start():end_of(text, match.end() - 1)])
    return found


def saved_text(name, header, defined):
    """All that the class's functions of FUNCTIONS say, and what is "Not saved:"."""
    text, whole = header
    parts = [text[match.start():end_of(text, match.end() - 1)] for match in INLINE.finditer(text)]
    parts += defined.get(name, [])
    parts += re.findall(r"Not saved:[^\n]*(?:\n\s*//[^\n]*)*", whole)
    return "\n".join(parts)


def main():
    root = pathlib.Path(sys.argv[1])
    headers = sorted((root / "models").rglob("*.h"))
    defined = definitions(path.read_text() for path in sorted((root / "models").rglob("*.cpp")))
    missing = []
    for path in headers:
        whole = path.read_text()
        text = without_comments(whole)
        for name, begin, end in classes(text):
            body = text[begin:end]
            own = re.sub(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", "{}", body[1:-1])  # without inner classes and functions
            if not SAVES.search(own) or re.search(r"\bclass Checkpoint\b", whole[begin:end]):
                continue
            if name.startswith("Fast") or "virtual bool timing" in own:
                continue
            saved = saved_text(name, (body, whole[begin:end]), defined)
            for statement, declared, names in members(body):
                if FIXED.search(statement):
                    continue
                for member in names:
                    if not re.search(rf"\b{member}\b", saved):
                        missing.append(f"{path.relative_to(root)}: {name}::{member} is not in a checkpoint ({statement})")
    for line in missing:
        print(line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
