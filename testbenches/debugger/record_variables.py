# SPDX-License-Identifier: Apache-2.0
"""For gdb: stops at all lines of a file, and writes the local variables of every active lane there to another, one line of
JSON each. $source and $records name the files, "connect" is behind it."""
import json
import re

import gdb

LANES = 32


def text_of(value):
    """Without addresses, which differ between programs."""
    kind = value.type.strip_typedefs()
    if value.is_optimized_out:
        return "<optimized out>"
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return text_of(value.referenced_value())
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs().code
        return "pointer" if target == gdb.TYPE_CODE_VOID else "to " + text_of(value.dereference())
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return "{" + ", ".join(text_of(value[field]) for field in kind.fields()) + "}"
    return value.format_string(symbols=False)


def variables_of(frame, line):
    """Those that are declared before the line."""
    found, block = {}, frame.block()
    while block is not None:
        for symbol in block:
            name = "this" if symbol.name == "__closure" else symbol.name  # of gcc
            if (symbol.is_variable or symbol.is_argument) and symbol.line < line and name not in found:
                try:
                    found[name] = text_of(symbol.value(frame))
                except gdb.MemoryError:
                    found[name] = "points nowhere"
        if block.function is not None:
            break
        block = block.superblock
    return found


def name_of(frame):
    """Without types and parameters, which compilers write in different ways."""
    name = frame.name()
    return "lambda" if "operator()" in name or "lambda" in name else re.split("[<(]", name)[0]


def look(records):
    active = int(gdb.parse_and_eval("$tmask"))
    for lane in range(LANES):
        if active >> lane & 1 == 0:
            continue
        gdb.execute(f"monitor peek {lane}", to_string=True)
        gdb.execute("maintenance flush register-cache", to_string=True)
        frame = gdb.newest_frame()
        line = frame.find_sal().line
        variables = variables_of(frame, line)
        if "id" in variables:
            records.write(json.dumps([name_of(frame), line, variables]) + "\n")
    gdb.execute("monitor peek", to_string=True)


def record():
    source = gdb.convenience_variable("source").string()
    gdb.execute("set breakpoint always-inserted on")
    gdb.execute(f"maintenance expand-symtabs {source}")  # gdb reads them when they are first needed
    table = gdb.execute(f"maintenance info line-table {source}", to_string=True)
    lines = set(re.findall(r"^\d+ +(\d+) +0x[0-9a-f]+ +(?:0x[0-9a-f]+ +)?Y", table, re.M))
    for line in sorted(lines):
        gdb.execute(f"break {source}:{line}", to_string=True)
    with open(gdb.convenience_variable("records").string(), "w") as records:
        while True:
            gdb.execute("continue", to_string=True)
            if not gdb.selected_inferior().threads():
                return
            look(records)


record()
