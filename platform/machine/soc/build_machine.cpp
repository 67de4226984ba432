// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/build_machine.h"

#include "platform/machine/soc/fast_soc.h"
#include "platform/machine/soc/soc.h"

namespace spica::soc {

BuiltMachine build_machine(const sc_core::sc_module_name& name, const SocParams& params, Mode mode,
                           const sc_core::sc_time& period) {
  if (mode == Mode::kFast) return {std::make_unique<FastSoc>(name, params, period)};
  auto soc = std::make_unique<Soc>(name, params, period);
  BuiltMachine built;
  built.measured = &soc->measured();
  if (params.main_memory.external) built.memory = &soc->memory();
  built.machine = std::move(soc);
  return built;
}

}  // namespace spica::soc
