// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/fast_command_processor.h"

#include <cstring>

#include "models/base/checkpoint.h"
#include "models/command_processor/registers_port.h"
#include "models/command_processor/reports.h"

namespace spica::command_processor {

FastCommandProcessor::FastCommandProcessor(const sc_core::sc_module_name& name,
                                           const CommandProcessorParams& params,
                                           const protocol::LooseTime& time)
    : sc_module(name), in("in", params.clusters), params_(params), time_(time), queues_(params, outside()) {
  for (auto& socket : in) socket.attach(*this);
  progress.bind(*this);
}

Queues::Outside FastCommandProcessor::outside() {
  return {[this](std::uint64_t address, unsigned char* to, unsigned bytes) {
            if (!gmem->contains(address, bytes)) return false;
            std::memcpy(to, gmem->at(address), bytes);
            return true;
          },
          [this](std::uint64_t address, const unsigned char* from, unsigned bytes) {
            if (!gmem->contains(address, bytes)) return false;
            gmem->store(kOrigin, address, from, bytes);
            return true;
          },
          [this](const protocol::GridLaunch& launch) { return dispatcher->why_not(launch); },
          [this](const protocol::GridLaunch& launch) { return dispatcher->occupancy(launch); }};
}

void FastCommandProcessor::start(const protocol::QueueSetup& queue) {
  queues_.start(queue);
  settle();
}

/// Until nothing can be done. What a launch leads to is among it.
void FastCommandProcessor::settle() {
  if (settling_) return;
  settling_ = true;
  launch_all();
  for (Step step; (step = queues_.next()) != Step::kNone;) {
    queues_.perform(step);
    report_problem(queues_, fault, time_.now);
    launch_all();
  }
  settling_ = false;
}

void FastCommandProcessor::launch_all() {
  while (const auto launch = queues_.choose(time_.now)) {
    if (probe() != nullptr)
      probe()->on_kernel_launch(time_.now, source(), launch->id, queues_.run(launch->id));
    dispatcher->launch(*launch);
  }
}

void FastCommandProcessor::grid_given(std::uint32_t kernel) {
  queues_.given(kernel);
  settle();
}

void FastCommandProcessor::grid_ended(std::uint32_t kernel) {
  queues_.ended(kernel, time_.now);
  if (probe() != nullptr) probe()->on_kernel_end(time_.now, source(), kernel, queues_.run(kernel));
  settle();
}

unsigned FastCommandProcessor::on_debug(unsigned, protocol::Payload& payload) {
  return peek_registers(queues_, params_.registers_base, payload);
}

void FastCommandProcessor::on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time&) {
  if (access_registers(queues_, params_.registers_base, payload)) settle();
}

void FastCommandProcessor::dump_state(std::ostream& out) const {
  describe(out, name(), queues_, params_.queues);
}

void FastCommandProcessor::architecture(base::Checkpoint& checkpoint) { checkpoint(queues_); }

}  // namespace spica::command_processor
