// SPDX-License-Identifier: Apache-2.0
// Control and status registers of a warp of this core.
#include "models/simt_core/csr_file.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

/// Views of state that a const core may show; only execute() and set() of the result change it.
CsrFile SimtCore::csr_file(unsigned w) const {
  auto& self = const_cast<SimtCore&>(*this);
  return {params_, identity_,
          performance_, accelerator.size() != 0 ? self.accelerator.operator->() : nullptr,
          now(),   committed_threads_,
          active_, w,
          warps_[w].simt, self.warps_[w].floating,
          self.machine_[w]};
}

std::uint32_t SimtCore::read_csr(unsigned w, std::uint32_t number, unsigned lane) const {
  return csr_file(w).read(number, lane);
}

bool SimtCore::execute_csr(unsigned w, const Fetched& fetched) {
  Warp& warp = warps_[w];
  if (csr_file(w).execute(*fetched.instruction, warp.registers,
                          origin(w, fetched.pc, warp.simt.mask())))
    return true;
  report(protocol::FaultKind::kIllegalInstruction, protocol::Severity::kFault, w, fetched,
         kBadCsrAccess);
  return false;
}

}  // namespace spica::simt_core
