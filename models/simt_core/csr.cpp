// SPDX-License-Identifier: Apache-2.0
// Control and status registers of a warp of this core.
#include "models/simt_core/csr_file.h"
#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

CsrFile SimtCore::csr_file(unsigned w) {
  return {params_, identity_,
          performance_, accelerator.size() != 0 ? accelerator.operator->() : nullptr,
          now(),   committed_threads_,
          active_, w,
          warps_[w].simt, warps_[w].floating,
          machine_[w]};
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
