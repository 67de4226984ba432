// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/fault_log.h"

#include "platform/machine/session/assertions.h"

namespace spica::session {

namespace {

constexpr std::size_t kMostReports = 1000;

}  // namespace

void FaultLog::report(const protocol::GuestFault& fault) {
  const bool is_fault = fault.severity == protocol::Severity::kFault;
  if (faulted_ && is_fault) return;  // the first one counts
  // Other cores raise the same fault at the same place, or in the same kernel.
  const bool of_kernel = fault.kind == protocol::FaultKind::kEndedWarps;
  const std::uint32_t place = of_kernel ? static_cast<std::uint32_t>(fault.address) : fault.origin.pc;
  if (!is_fault && !warned_.insert({fault.kind, place}).second) return;
  if (!is_fault && faults_.size() >= kMostReports) {
    ++unreported_;
    return;
  }
  faults_.push_back(named(fault, program_));
  if (!is_fault) return;
  faulted_ = true;
  stop_();
}

}  // namespace spica::session
