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
