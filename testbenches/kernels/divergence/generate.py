#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program whose lanes part: nested SIMT_IF and SIMT_WHILE around arithmetic, memory and calls.

    generate.py --seed N --out DIR        DIR/program_N.cpp

The same seed gives the same bytes. The file compiles for the machine (with sw/lib) and for the host; the
host's program prints the expected result words (see program.h). Lanes part only through the macros: the
results of comparisons go through truth(), factors and dividends through hide(), because a compiler that knows
such a value to be 0 or 1 may make a branch of the rest of the expression.
"""
import argparse
import pathlib
import random

MAX_NESTING = 7  # entries of the SIMT stack of a warp
SETTERS = ["+", "-", "*", "^", "|", "&"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.fresh = 0
        self.statements = 0
        self.functions = self.random.randint(0, 2)

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def emit(self, depth, text):
        self.lines.append("  " * depth + text)

    # ---- expressions over the variables in scope; unsigned, no undefined behaviour, no branch ----
    def atom(self, scope):
        if self.random.random() < 0.3:
            return f"{self.random.choice([0, 1, 2, 3, 5, 7, 31, 255, 0x9E3779B9, 0x80000000, 0xFFFFFFFF])}u"
        name = self.random.choice(scope)
        return f"truth({name})" if name.startswith("f") else name

    def expression(self, scope, depth=0):
        kind = self.random.randrange(9 if depth < 3 else 2)
        a = self.atom(scope) if kind < 2 else self.expression(scope, depth + 1)
        if kind < 2:
            return a
        b = self.expression(scope, depth + 1)
        if kind < 5:
            sign = self.random.choice(SETTERS)
            return f"(hide({a}) * hide({b}))" if sign == "*" else f"({a} {sign} {b})"
        if kind == 5:
            return f"({a} {self.random.choice(['<<', '>>'])} ({b} & 31u))"
        if kind == 6:
            return f"(hide({a}) {self.random.choice(['/', '%'])} (hide({b}) | 1u))"
        if kind == 7:
            return f"truth({self.condition(scope, depth + 1)})"
        # exact in FP32: at most 24 bits
        return (f"static_cast<unsigned>(static_cast<float>(hide({a}) & 0xFFFu) * "
                f"{self.random.choice(['1.5f', '0.25f', '3.0f'])} + static_cast<float>(hide({b}) & 0xFFu))")

    def condition(self, scope, depth=0):
        flags = [name for name in scope if name.startswith("f")]
        if flags and depth == 0 and self.random.random() < 0.5:
            return self.random.choice(["{}", "!{}"]).format(self.random.choice(flags))
        kind = self.random.randrange(6)
        if kind == 0 and depth < 2:
            sign = self.random.choice(["&", "|", "^"])
            return f"((({self.condition(scope, depth + 1)})) {sign} (({self.condition(scope, depth + 1)})))"
        if kind == 1:
            return f"(({self.expression(scope, 2)}) & {1 << self.random.randrange(5)}u) != 0"
        relation = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        if kind == 2:
            return (f"static_cast<int>({self.expression(scope, 2)}) {relation} "
                    f"static_cast<int>({self.expression(scope, 2)})")
        return f"({self.expression(scope, 2)}) {relation} ({self.expression(scope, 2)})"

    # ---- statements ----
    def assignment(self, depth, scope, targets):
        target = self.random.choice(targets)
        self.emit(depth, f"{target} {self.random.choice(['=', '+=', '^=', '-='])} {self.expression(scope)};")

    def block(self, depth, nesting, scope, targets, budget):
        """`budget` bounds the size, `nesting` the levels of parted lanes still allowed."""
        for _ in range(self.random.randint(1, 4)):
            self.statements += 1
            kind = self.random.choices(
                ["set", "if", "while", "for", "uniform", "array", "scratch", "call", "local", "flag", "choice"],
                [6, 5, 3, 1, 1, 2, 2, 1, 2, 2, 3])[0]
            compound = kind in ("if", "while", "for", "uniform", "choice")
            if (compound and budget <= 0) or (kind in ("if", "while", "call", "choice") and nesting <= 0) or \
                    self.statements > 150 or (kind == "call" and (self.functions == 0 or nesting < 2)):
                kind = "set"
            getattr(self, "emit_" + kind)(depth, nesting, scope, targets, budget)

    def emit_set(self, depth, nesting, scope, targets, budget):
        self.assignment(depth, scope, targets)

    def emit_local(self, depth, nesting, scope, targets, budget):
        local = self.name("t")
        self.emit(depth, f"unsigned {local} = {self.expression(scope)};")
        scope.append(local)
        targets.append(local)
        self.assignment(depth, scope, targets)

    def emit_array(self, depth, nesting, scope, targets, budget):
        self.emit(depth, f"array[({self.expression(scope, 2)}) & 3u] += {self.expression(scope, 1)};")
        self.emit(depth, f"{self.random.choice(targets)} ^= array[({self.expression(scope, 2)}) & 3u];")

    def emit_scratch(self, depth, nesting, scope, targets, budget):
        self.emit(depth, f"*scratch += {self.expression(scope, 1)};")
        self.emit(depth, f"{self.random.choice(targets)} += *scratch;")

    def emit_call(self, depth, nesting, scope, targets, budget):
        which = self.random.randrange(self.functions)
        self.emit(depth, f"{self.random.choice(targets)} = helper{which}({self.expression(scope, 1)}, "
                         f"{self.expression(scope, 1)});")

    # Two shapes that tempt a compiler to merge or duplicate the sides of a branch: a condition that is tested
    # again later or in a loop, and a variable that gets a constant on each side and is tested behind them.
    def emit_flag(self, depth, nesting, scope, targets, budget):
        flag = self.name("f")
        self.emit(depth, f"[[maybe_unused]] const bool {flag} = {self.condition(scope, 1)};")
        scope.append(flag)

    def emit_choice(self, depth, nesting, scope, targets, budget):
        target = self.random.choice(targets)
        values = self.random.sample(range(8), 2)
        self.emit(depth, f"SIMT_IF({self.condition(scope)})")
        self.block(depth + 1, nesting - 1, scope[:], targets[:], budget - 2)
        self.emit(depth + 1, f"{target} = {values[0]}u;")
        if self.random.random() < 0.7:
            self.emit(depth, "SIMT_ELSE")
            self.block(depth + 1, nesting - 1, scope[:], targets[:], budget - 2)
            self.emit(depth + 1, f"{target} = {values[1]}u;")
        self.emit(depth, "SIMT_END_IF")
        self.emit(depth, f"SIMT_IF({target} {self.random.choice(['==', '!='])} {self.random.choice(values)}u)")
        self.block(depth + 1, nesting - 1, scope[:], targets[:], budget - 2)
        self.emit(depth, "SIMT_END_IF")

    def emit_if(self, depth, nesting, scope, targets, budget):
        self.emit(depth, f"SIMT_IF({self.condition(scope)})")
        self.block(depth + 1, nesting - 1, scope[:], targets[:], budget - 1)
        if self.random.random() < 0.6:
            self.emit(depth, "SIMT_ELSE")
            self.block(depth + 1, nesting - 1, scope[:], targets[:], budget - 1)
        self.emit(depth, "SIMT_END_IF")

    def emit_while(self, depth, nesting, scope, targets, budget):
        count = self.name("n")  # not a target: it only goes down
        self.emit(depth, f"unsigned {count} = ({self.expression(scope, 1)}) % {self.random.randint(2, 6)}u;")
        early = self.random.random() < 0.3
        leave = f" & (({self.random.choice(targets)} & 15u) != 7u)" if early else ""
        self.emit(depth, f"SIMT_WHILE(({count} != 0u){leave})")
        self.emit(depth + 1, f"{count} -= 1u;")
        self.block(depth + 1, nesting - 1, scope + [count], targets[:], budget - 2)
        self.emit(depth, "SIMT_END_WHILE")

    def emit_for(self, depth, nesting, scope, targets, budget):
        index = self.name("i")
        self.emit(depth, f"for (unsigned {index} = 0; {index} < {self.random.randint(2, 4)}u; ++{index}) {{")
        self.block(depth + 1, nesting, scope + [index], targets[:], budget - 2)
        if self.random.random() < 0.5:  # a plain if is right here: all lanes have the same index
            self.emit(depth + 1, f"if ({index} == 1u) {{")
            self.block(depth + 2, nesting, scope + [index], targets[:], budget - 3)
            self.emit(depth + 1, "}")
        self.emit(depth, "}")

    def emit_uniform(self, depth, nesting, scope, targets, budget):
        self.emit(depth, f"if (limit {self.random.choice(['<', '>', '=='])} {self.random.randrange(8)}u) {{")
        self.block(depth + 1, nesting, scope[:], targets[:], budget - 1)
        self.emit(depth, "}")

    def program(self, seed):
        tasks = self.random.choice([64, 100, 203, 256, 300])
        self.lines = [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// Generated by testbenches/kernels/divergence/generate.py --seed {seed}",
            '#include "testbenches/kernels/divergence/program.h"',
            "",
            "// The same in all lanes, but the compiler does not know it.",
            f"volatile unsigned uniform_limit = {self.random.randrange(8)};",
        ]
        functions, self.functions = self.functions, 0
        for which in range(functions):
            self.emit(0, "")
            self.emit(0, f"__attribute__((noinline)) static unsigned helper{which}(unsigned a, unsigned b) {{")
            self.emit(1, "unsigned r = a + b, array[4] = {a, b, 1u, 2u}, local = 0u, *const scratch = &local;")
            self.emit(1, "const unsigned limit = uniform_limit;")
            self.block(1, 2, ["a", "b", "r"], ["a", "b", "r"], 1)
            self.emit(1, "return r + a + array[b & 3u] + limit + *scratch;")
            self.emit(0, "}")
        self.functions = functions
        self.emit(0, "")
        self.emit(0, "void program(unsigned id, unsigned* out, unsigned* scratch) {")
        self.emit(1, "unsigned a = id * 2654435761u, b = id, c = id & 7u, d = 1u;")
        self.emit(1, "unsigned array[4] = {id, 1u, id >> 3, 3u};")
        self.emit(1, "const unsigned limit = uniform_limit;")
        self.emit(1, "*scratch = id ^ 5u;")
        variables = ["a", "b", "c", "d"]
        nesting = self.random.randint(2, MAX_NESTING)
        while self.statements < 20:
            self.block(1, nesting, variables + ["id"], variables[:], 5)
        self.emit(1, "out[0] = a ^ array[0];")
        self.emit(1, "out[1] = b + array[1];")
        self.emit(1, "out[2] = c ^ array[2] ^ *scratch;")
        self.emit(1, "out[3] = d + array[3] + limit;")
        self.emit(0, "}")
        self.emit(0, "")
        self.emit(0, f"PROGRAM_MAIN({tasks})")
        return "\n".join(self.lines) + "\n"


def generate(seed):
    return Generator(seed).program(seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for program_<seed>.cpp")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"program_{arguments.seed}.cpp"
    path.write_text(generate(arguments.seed))
    print(path)


if __name__ == "__main__":
    main()
