// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/standstill.h"

namespace spica::session {

bool Standstill::lasts(soc::Machine& machine, base::Cycle now, bool own_plans) {
  const std::uint64_t instructions = machine.warp_instructions() + machine.traps();
  const std::uint64_t work = instructions == instructions_ ? machine.work_done() : work_;
  if (instructions != instructions_ || work != work_ || own_plans) idle_since_ = now;
  instructions_ = instructions;
  work_ = work;
  return now - idle_since_ > machine.params().run.hang_cycles;
}

}  // namespace spica::session
