// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/program/program_workload.h"

#include "platform/base/config/describe.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::workloads {

config::Field ProgramWorkload::options() { return config::describe(asked, "run", "a bare-metal program"); }

Dependencies ProgramWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  return {{}, {{"elf", places_.program(asked.elf)}}};
}

}  // namespace spica::workloads
