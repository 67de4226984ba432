// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/command_processor.h"

#include <utility>

#include "models/base/checkpoint.h"
#include "models/command_processor/registers_port.h"
#include "models/command_processor/reports.h"

namespace spica::command_processor {

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name, const CommandProcessorParams& params,
                                   const base::ClockDomain& clock)
    : Component(name, clock), in("in", params.clusters), params_(params), queues_(params, outside()) {
  for (auto& socket : in) socket.attach(*this);
  gmem.attach(*this);
  progress.bind(*this);
}

Queues::Outside CommandProcessor::outside() {
  return {[this](std::uint64_t address, unsigned char* to, unsigned bytes) {
            return memory_.read(address, to, bytes);
          },
          [this](std::uint64_t address, const unsigned char* from, unsigned bytes) {
            if (!memory_.write(address, from, bytes)) return false;
            if (reservations_ == nullptr) return true;
            reservations_->store(address, bytes);
            reservations_->stored(kOrigin, address, bytes);
            return true;
          },
          [this](const protocol::GridLaunch& launch) { return dispatcher->why_not(launch); },
          [this](const protocol::GridLaunch& launch) { return dispatcher->occupancy(launch); }};
}

void CommandProcessor::start(const protocol::QueueSetup& queue) {
  queues_.start(queue);
  wake_next();
}

void CommandProcessor::tick() {
  answers_.take_due(now(), [this](const Answer& answer) {
    access_registers(queues_, params_.registers_base, *answer.payload);
    in[answer.port].respond(*answer.payload);
  });
  if (step_ == Step::kNone || due_ <= now()) {
    queues_.perform(std::exchange(step_, Step::kNone));
    for (;;) {
      report_problem(queues_, fault, now());
      launch_all();
      step_ = queues_.next();
      const base::Cycle cycles = params_.machine_cycles(queues_.own_cycles(step_));
      stats_.accesses += queues_.accesses(step_);
      if (step_ == Step::kDecide) ++stats_.decisions;
      stats_.busy_cycles += cycles;
      due_ = now() + cycles;
      if (step_ == Step::kNone || cycles != 0) break;
      queues_.perform(std::exchange(step_, Step::kNone));
    }
  }
  wake_at(answers_.next(now()));
  if (step_ != Step::kNone) wake_at(due_);
}

void CommandProcessor::launch_all() {
  while (const auto launch = queues_.choose(now())) {
    ++stats_.kernels;
    if (probe() != nullptr) probe()->on_kernel_launch(now(), source(), launch->id, queues_.run(launch->id));
    dispatcher->launch(*launch);
  }
}

void CommandProcessor::grid_given(std::uint32_t kernel) {
  queues_.given(kernel);
  wake_next();
}

void CommandProcessor::grid_ended(std::uint32_t kernel) {
  queues_.ended(kernel, now());
  const protocol::KernelRun& run = queues_.run(kernel);
  stats_.kernel_cycles += run.ended - run.launched;
  if (probe() != nullptr) probe()->on_kernel_end(now(), source(), kernel, run);
  wake_next();
}

bool CommandProcessor::on_request(unsigned port, protocol::Payload& payload) {
  answers_.schedule(now(), now() + 1, {&payload, port});
  wake_next();
  return true;
}

unsigned CommandProcessor::on_debug(unsigned, protocol::Payload& payload) {
  return peek_registers(queues_, params_.registers_base, payload);
}

void CommandProcessor::reset() {
  queues_.reset();
  answers_.clear();
  for (auto& socket : in) socket.reset();
  step_ = Step::kNone;
  due_ = 0;
}

void CommandProcessor::dump_state(std::ostream& out) const { describe(out, name(), queues_, params_.queues); }

void CommandProcessor::architecture(base::Checkpoint& checkpoint) {
  checkpoint(queues_);
  if (checkpoint.loads()) wake_next();
}

bool CommandProcessor::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint(step_, due_, answers_, stats_);
  return true;
}

}  // namespace spica::command_processor
