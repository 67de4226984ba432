// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/command_processor.h"

#include <algorithm>
#include <utility>

#include "models/base/checkpoint.h"
#include "models/command_processor/registers_port.h"

namespace spica::command_processor {

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name, const CommandProcessorParams& params,
                                   const base::ClockDomain& clock)
    : Component(name, clock), ProcessorBase(params) {
  gmem.attach(*this);
}

bool CommandProcessor::write(std::uint64_t address, const unsigned char* from, unsigned bytes) {
  if (!memory_.write(address, from, bytes)) return false;
  if (reservations_ == nullptr) return true;
  reservations_->store(address, bytes);
  reservations_->stored(kOrigin, address, bytes);
  return true;
}

void CommandProcessor::tick() {
  answers_.take_due(now(), [this](const Answer& answer) {
    access_registers(*answer.payload);
    in[answer.port].respond(*answer.payload);
  });
  if (has_hart()) tick_firmware();
  if (step_ == Step::kNone || due_ <= now()) take_steps();
  wake_at(answers_.next(now()));
  if (step_ != Step::kNone) wake_at(due_);
}

/// The current step has ended; continues to the next step that takes time.
void CommandProcessor::take_steps() {
  queues_.perform(std::exchange(step_, Step::kNone));
  for (;;) {
    report_problem();
    if (has_hart() && !hart->ended() && queues_.firmware().changed()) wake_next();
    launch_all();
    step_ = queues_.next();
    const base::Cycle cycles = params_.machine_cycles(queues_.own_cycles(step_));
    stats_.accesses += queues_.accesses(step_);
    if (step_ == Step::kDecide) ++stats_.decisions;
    stats_.busy_cycles += cycles;
    due_ = now() + cycles;
    if (step_ == Step::kNone || cycles != 0) return;
    queues_.perform(std::exchange(step_, Step::kNone));
  }
}

/// Executes the firmware up to the current time of its clock.
void CommandProcessor::tick_firmware() {
  const base::Cycle own = params_.own_cycle(now());
  if (std::exchange(hart_is_late_, false) && hart->runs()) hart->wake(own);
  const base::Cycle before = hart->runs() ? hart->now() : own;
  run_firmware(own, own);
  if (hart->now() > before) stats_.firmware_cycles += hart->now() - before;
  if (hart->runs() && !hart->held()) wake_next();
}

void CommandProcessor::grid_completed(std::uint32_t kernel) {
  ProcessorBase::grid_completed(kernel);
  const protocol::KernelRun& run = queues_.run(kernel);
  stats_.kernel_cycles += run.ended - std::max(run.launched, counted_from_);
}

bool CommandProcessor::on_request(unsigned port, protocol::Payload& payload) {
  answers_.schedule(now(), now() + 1, {&payload, port});
  wake_next();
  return true;
}

void CommandProcessor::reset() {
  queues_.reset();
  awake_ = 0;
  answers_.clear();
  for (auto& socket : in) socket.reset();
  step_ = Step::kNone;
  due_ = counted_from_ = 0;
  hart_is_late_ = false;
}

void CommandProcessor::architecture(base::Checkpoint& checkpoint) {
  checkpoint(queues_);
  if (!checkpoint.loads()) return;
  counted_from_ = now();
  hart_is_late_ = has_hart();
  wake_next();
}

bool CommandProcessor::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint(step_, due_, awake_, answers_, counted_from_, hart_is_late_, stats_);
  return true;
}

}  // namespace spica::command_processor
