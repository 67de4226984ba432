#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses a kernel whose inner loops load from or store to the stack.

    check_kernel_stacks.py ELF OBJECT...

The stacks of the lanes of a warp are 8,208 bytes apart: one spilled register costs a request to the L1 for each lane
and access, which can cost a kernel a multiple of its time. OBJECT: the kernel's own, only their functions are looked
at, not the library's. An inner loop is the code from the target of a backward branch to the branch, when no other one
lies in it."""
import sys

from kernel_code import functions

BRANCH, JUMP, JUMP_REGISTER = 0x63, 0x6F, 0x67
ACCESSES = {0x03: "load", 0x07: "load of a float", 0x23: "store", 0x27: "store of a float"}
STACK_POINTER = 2


def target(address, word):
    """The target of a branch or a jump other than a call; None for other instructions."""
    sign = -(word >> 31)
    if word & 0x7F == BRANCH:
        return address + (sign << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 15) << 1)
    if word & 0x7F == JUMP and word >> 7 & 31 == 0:
        return address + (sign << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1)
    return None


def successors(code):
    """Where each instruction can go next: {address: [addresses]}. Calls come back."""
    known = {address for address, _ in code}
    result = {}
    for address, word in code:
        to = [target(address, word)]
        if word & 0x7F not in (JUMP, JUMP_REGISTER) or word >> 7 & 31 != 0:
            to.append(address + 4)
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
    """(address, what) of each in an inner loop."""
    inner = set().union(*inner_loops(code))
    return [(address, ACCESSES[word & 0x7F]) for address, word in code
            if address in inner and word & 0x7F in ACCESSES and word >> 15 & 31 == STACK_POINTER]


def main():
    elf, *objects = sys.argv[1:]
    own, bad = {name for file in objects for name in functions(file)}, 0
    for name, code in functions(elf).items():
        if name not in own:
            continue
        for address, what in stack_accesses(code):
            print(f"{elf}: {name}: the {what} at {address:#x} is an access to the stack in an inner loop", file=sys.stderr)
            bad += 1
    if bad:
        sys.exit(f"{elf}: {bad} stack accesses in inner loops: a spilled register costs a request for each lane; "
                 "keep fewer values alive there")


if __name__ == "__main__":
    main()
