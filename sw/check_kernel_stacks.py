#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses a kernel whose inner loops load from or store to the stack.

    check_kernel_stacks.py OBJDUMP ELF OBJECT...

The stacks of the lanes of a warp are 8,208 bytes apart: one spilled register costs a request to the L1 for each lane
and access, which can cost a kernel a multiple of its time. OBJECT: the kernel's own, only their functions are looked
at, not the library's. An inner loop is the code from the target of a backward branch to the branch, when no other one
lies in it."""
import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*?)\s*$")
BRANCH = re.compile(r"^(?:b[a-z]+|j)$")
TARGET = re.compile(r"(?:^|,)([0-9a-f]+) <")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def own_functions(objdump, objects):
    """Names of the functions in these files."""
    names = set()
    for file in objects:
        names |= {line.split()[-1] for line in output(objdump, "-t", file).splitlines() if re.search(r"\sF\s", line)}
    return names


def functions(disassembly):
    """(name, [(address, mnemonic, operands)]) of each function."""
    name, code = None, []
    for line in disassembly.splitlines():
        if head := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
            if name:
                yield name, code
            name, code = head[1], []
        elif found := INSTRUCTION.match(line):
            code.append((int(found[1], 16), found[2], found[3]))
    if name:
        yield name, code


def successors(code):
    """Where each instruction can go next: {address: [addresses]}. Calls come back."""
    known = {address for address, _, _ in code}
    after = {a[0]: b[0] for a, b in zip(code, code[1:])}
    result = {}
    for address, mnemonic, operands in code:
        target = TARGET.search(operands) if BRANCH.match(mnemonic) else None
        ends = mnemonic in ("j", "jr", "ret", "tail")
        to = [int(target[1], 16)] if target else []
        if not ends and address in after:
            to.append(after[address])
        result[address] = [one for one in to if one in known]
    return result


def inner_loops(code):
    """The loops that contain no other: sets of addresses. A loop is what comes back to the target of a backward branch
    by way of that branch, wherever the compiler has put it."""
    following = successors(code)
    before = {}
    for address, targets in following.items():
        for target in targets:
            before.setdefault(target, []).append(address)
    loops = []
    for address, targets in following.items():
        for head in (target for target in targets if target <= address):
            body, left = {head, address}, [address] if address != head else []
            while left:
                for one in before.get(left.pop(), []):
                    if one not in body:
                        body.add(one)
                        left.append(one)
            if head == code[0][0] or code[0][0] not in body:  # else just a jump back: the head can be passed by
                loops.append(body)
    return [loop for loop in loops if not any(other < loop for other in loops)]


def stack_accesses(code):
    """(address, text) of each in an inner loop."""
    inner = set().union(*inner_loops(code))
    return [(address, f"{mnemonic} {operands}") for address, mnemonic, operands in code
            if address in inner and operands.endswith("(sp)")]


def main():
    objdump, elf, *objects = sys.argv[1:]
    own, bad = own_functions(objdump, objects), 0
    for name, code in functions(output(objdump, "-d", "--no-show-raw-insn", "-w", elf)):
        if name not in own:
            continue
        for address, text in stack_accesses(code):
            print(f"{elf}: {name}: {text} at {address:#x} is an access to the stack in an inner loop", file=sys.stderr)
            bad += 1
    if bad:
        sys.exit(f"{elf}: {bad} stack accesses in inner loops: a spilled register costs a request for each lane; "
                 "keep fewer values alive there")


if __name__ == "__main__":
    main()
