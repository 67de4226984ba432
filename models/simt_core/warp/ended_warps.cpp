// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/ended_warps.h"

namespace spica::simt_core {

void EndedWarps::check(const CoreState& state, const CoreIdentity& identity, std::uint32_t released,
                       bool without_some, base::Cycle now, protocol::FaultIf& fault) {
  if (released == 0) return;
  const auto w = static_cast<unsigned>(__builtin_ctz(released));
  const WarpState& warp = state[w];
  if (!warp.group.ended_warps_arrive || warp.barrier_count != warp.group.warps_of_core) return;
  if (!without_some && state.ended_beside(w) == 0) return;
  if (!warned_.insert(warp.group.entry).second) return;
  protocol::GuestFault warning;
  warning.kind = protocol::FaultKind::kEndedWarps;
  warning.severity = protocol::Severity::kWarning;
  warning.cycle = now;
  warning.origin = identity.origin(w, warp.barrier_visits[warp.barrier_id].last_pc, warp.mask());
  warning.has_address = true;
  warning.address = warp.group.entry;
  warning.detail =
      "warps of the work group have ended before this barrier and count as arrived (dispatcher.ended_warps_arrive); "
      "OpenCL leaves the result undefined: let all work items reach the barrier";
  fault.report(warning);
}

}  // namespace spica::simt_core
