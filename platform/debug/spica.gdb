# SPDX-License-Identifier: Apache-2.0
# Settings and commands for programs under spica: gdb-multiarch -x spica.gdb program.elf
set architecture riscv:rv32
set confirm off
set pagination off

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
