// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

namespace spica::command_processor {

void report_problem(Queues& queues, sc_core::sc_port<protocol::FaultIf>& fault, base::Cycle now) {
  const auto problem = queues.problem();
  if (!problem) return;
  protocol::GuestFault report{};
  report.kind = protocol::FaultKind::kBadPacket;
  report.severity = protocol::Severity::kFault;
  report.cycle = now;
  report.origin = kOrigin;
  report.detail = *problem;
  fault->report(report);
}

void describe(std::ostream& out, const char* name, const Queues& queues, std::uint64_t count) {
  for (unsigned i = 0; i < count; ++i) {
    const protocol::QueueState state = queues.state(i);
    if (state.written == state.read && state.running == 0) continue;
    out << fmt::format("{}: queue {}: packet {} of {} is at its head, {} kernels run", name, i, state.read,
                       state.written, state.running);
    if (!state.waits.empty())
      out << fmt::format("; it waits for signals at {:#010x}", fmt::join(state.waits, ", "));
    out << '\n';
  }
}

}  // namespace spica::command_processor
