# SPDX-License-Identifier: Apache-2.0
# Settings and commands for programs under spica: gdb-multiarch -x spica.gdb program.elf
# docs/howto/debug-a-kernel.md shows them at work.
set architecture riscv:rv32
set confirm off
set pagination off

# Steps move one warp; it can only be set with a target.
define target hookpost-remote
  set scheduler-locking step
end

define lane
  if $argc == 0
    monitor lane
  else
    monitor lane $arg0
    maintenance flush register-cache
    frame
  end
end
document lane
lane [N|auto]: look at the program through lane N of this warp; auto is the lane the warp follows,
the highest active one. Registers, variables and the stack are those of that lane.
end

define warps
  monitor warps
end
document warps
warps: a table of all running warps with lanes, state and source line.
end

define tile
  if $argc == 3
    eval "monitor tile $arg0 %lu $arg2", (unsigned long)($arg1)
  else
    eval "monitor tile $arg0 %lu $arg2 $arg3", (unsigned long)($arg1)
  end
end
document tile
tile FORMAT ADDRESS ROWSxCOLUMNS [STRIDE]: a matrix in memory as numbers of its format (bf16, fp8_e4m3, int4, ...).
ADDRESS is an expression without blanks, STRIDE counts elements from one row to the next.
end

# Functions of gdb are written in Python; a gdb without it also lacks its own $_streq.
if $_isvoid($_streq)
  echo This gdb has no Python, so there is no $any_lane, and lines of the kernel library need `directory` with the folder\n
  echo that `monitor sources` prints. Everything else works.\n
else
  # The first thread of a target comes before gdb looks for the line to show.
  define target hook-remote
    python gdb.events.new_thread.connect(find_sources)
  end
  python
import gdb

class AnyLane(gdb.Function):
    """$any_lane("EXPRESSION"): the active lanes of this warp in which the expression is true, one bit each; 0 if it is
true in none. The selected lane stays selected."""

    def __init__(self):
        super().__init__("any_lane")

    @staticmethod
    def look(lane):
        level = gdb.selected_frame().level()
        gdb.execute("monitor peek" + lane, to_string=True)
        gdb.execute("maintenance flush register-cache", to_string=True)
        frame = gdb.newest_frame()
        for _ in range(level):
            frame = frame.older() or frame
        frame.select()

    def invoke(self, expression):
        if expression.type.strip_typedefs().code not in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
            raise gdb.GdbError("$any_lane takes the expression as a string: $any_lane(\"id == 42\")")
        active = int(gdb.parse_and_eval("$tmask"))
        found = 0
        try:
            for lane in range(32):
                if active >> lane & 1:
                    self.look(" %d" % lane)
                    found |= bool(gdb.parse_and_eval(expression.string())) << lane
        finally:
            self.look("")
        return found

AnyLane()


def find_sources(_):
    """Names of the library's files are relative: those that no other folder has are in the one that Spica names."""
    gdb.events.new_thread.disconnect(find_sources)
    folders = gdb.parameter("directories") + ":" + gdb.execute("monitor sources", to_string=True).rstrip("\n")
    gdb.execute("set directories " + folders.replace(" ", "\\ "))
  end
end
