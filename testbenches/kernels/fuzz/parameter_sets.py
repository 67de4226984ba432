# SPDX-License-Identifier: Apache-2.0
"""Random, legal sets of the parameters that change time only.

Which they are is declared beside the parameters (platform/base/config/describe.h) and told by
`spica config --list --as json` as "timing", with the range or the choices of each."""
import json
import math
import random
import re
import subprocess

KEPT = 0.4      # how often a parameter keeps the configuration's value
EXTREME = 0.15  # how often a number is the smallest there is
WIDE = 0.05     # how often it comes from the whole range
NEAR = 6        # else it is at most so many times larger or smaller than the default
RETRIES = 200   # corrections until one is legal
CLOCKS = [0, 100, 133, 200, 333, 500, 800, 1000]  # MHz; 0: that of the machine
STACKS = "cluster.coalescer.local_stride"  # is not drawn: programs refuse stacks that are not where they expect them

# Lists of execution units; the numbers of the others are parameters of their own.
UNITS = ["[{kind: load_store, count: 2}]", "[{kind: load_store, count: 2}, {kind: sfu, count: 3}]", "[]"]


def normal(setting):
    """The key of KEY=VALUE, with entries of lists in brackets."""
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", setting.split("=", 1)[0])


def is_part(key, whole):
    """A set that gives `whole` a value gives the parameter one."""
    return key == whole or key.startswith((whole + ".", whole + "["))


class Parameters:
    """The timing parameters of the program, and sets of them for a configuration."""

    def __init__(self, spica):
        self.spica = spica
        self.all = [p for p in json.loads(self._run("config", "--list", "--as", "json").stdout)
                    if p["timing"] and ".units[N]" not in p["key"] and p["unit"] != "address" and p["key"] != STACKS
                    and ("min" in p or "choices" in p)]  # no firmware: files have no range
        self.units = {}    # matrix units by configuration
        self.refused = 0   # sets that were contradictory

    def _run(self, *arguments):
        return subprocess.run([self.spica, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def _units_of(self, config):
        """How many matrix units there are: the program knows which entries of the list exist."""
        if config not in self.units:
            count = 0
            while count < 8 and self._run("config", config, "--set",
                                          f"cluster.matrix_units.{count}.rocc_queue=2").returncode == 0:
                count += 1
            self.units[config] = count
        return self.units[config]

    def _value(self, rng, p):
        if "choices" in p:
            return rng.choice(p["choices"])
        if p["unit"] == "MHz":
            return rng.choice(CLOCKS)
        low, high, default = p["min"], p["max"], float(p["default"].split()[0])
        chance = rng.random()
        if chance < EXTREME:
            return int(low)
        if chance >= EXTREME + WIDE:
            low, high = max(low, default // NEAR), min(high, max(default, 1) * NEAR)
        # Every order of magnitude is as likely as any other; 0 belongs to the first.
        value = math.exp(rng.uniform(math.log(max(low, 0.5)), math.log(high + 0.49)))
        value = min(max(round(value), math.ceil(low)), math.floor(high))
        return 1 << (value.bit_length() - 1) if p["power_of_two"] else value

    def draw(self, config, seed, fixed=()):
        """KEY=VALUE of a set that is legal for the configuration with `fixed`, KEY=VALUE of which nothing is drawn; the same
        for the same seed."""
        rng = random.Random(seed)
        taken = [normal(one) for one in fixed]
        keys = {}
        for p in self.all:
            for entry in range(self._units_of(config) if "[N]" in p["key"] else 1):
                keys[p["key"].replace("[N]", f"[{entry}]")] = p
        keys["cluster.core.units"] = {"choices": UNITS}
        keys = {key: p for key, p in keys.items() if not any(is_part(key, one) for one in taken)}
        values = {}
        again = keys
        for _ in range(RETRIES):
            for key in again:
                values[key] = f"{key}={self._value(rng, keys[key])}" if rng.random() >= KEPT else None
            chosen = [value for value in values.values() if value]
            wrong = self._complaints(config, [*chosen, *fixed])
            if not wrong:
                return chosen
            self.refused += 1
            # Only what contradicts is drawn again: most whole sets would have a contradiction somewhere.
            again = [key for key in keys if re.search(re.escape(key) + r"(?![\w.\[])", wrong)] or keys
        raise RuntimeError(f"{RETRIES} corrections of a set for {config} leave it contradictory; the last one:\n  {chosen}")

    def has_dispatcher(self, config, fixed=()):
        """Which cluster gets a work group is a matter of time, and so is what its shared memory has at the end."""
        dump = self._run("config", config, "--dump", *(word for one in fixed for word in ("--set", one))).stdout
        return bool(re.search(r"^dispatcher:\n(?:  .*\n)*?  present: true", dump, re.M))

    def is_legal(self, config, chosen):
        return not self._complaints(config, chosen)

    def _complaints(self, config, chosen):
        """What the program says against the set, with the keys; "" when it is legal."""
        result = self._run("config", config, *(word for one in chosen for word in ("--set", one)))
        if result.returncode not in (0, 2):
            raise RuntimeError(f"spica config {config} ends with {result.returncode}:\n{result.stderr}")
        return result.stderr if result.returncode == 2 else ""
