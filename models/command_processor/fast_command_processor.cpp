// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/fast_command_processor.h"

#include <cstring>

#include "models/base/checkpoint.h"
#include "models/command_processor/registers_port.h"

namespace spica::command_processor {

namespace {

// Maximum cycles of a firmware: if there is a new decision, and in a turn without one.
constexpr base::Cycle kAtOnce = 1'000'000, kTurn = 2'000;

}  // namespace

FastCommandProcessor::FastCommandProcessor(const sc_core::sc_module_name& name,
                                           const CommandProcessorParams& params,
                                           const protocol::LooseTime& time)
    : sc_module(name), ProcessorBase(params), time_(time) {}

bool FastCommandProcessor::read(std::uint64_t address, unsigned char* to, unsigned bytes) {
  if (!gmem->contains(address, bytes)) return false;
  std::memcpy(to, gmem->at(address), bytes);
  return true;
}

bool FastCommandProcessor::write(std::uint64_t address, const unsigned char* from, unsigned bytes) {
  if (!gmem->contains(address, bytes)) return false;
  gmem->store(kOrigin, address, from, bytes);
  return true;
}

/// Repeats until nothing can be done, including the consequences of launches.
void FastCommandProcessor::settle(bool in_turn) {
  if (settling_) return;
  settling_ = true;
  const auto launch = [&] {
    if (!has_hart()) launch_all();
    else if (in_turn || !hart->gated())
      run_firmware(hart->now(), hart->now() + (queues_.firmware().changed() ? kAtOnce : kTurn));
  };
  launch();
  for (Step step; (step = queues_.next()) != Step::kNone;) {
    queues_.perform(step);
    report_problem();
    launch();
  }
  settling_ = false;
}

bool FastCommandProcessor::works() const {
  if (started_) return true;
  return has_hart() && !hart->ended() && !queues_.empty() && (hart->runs() || queues_.firmware().changed());
}

void FastCommandProcessor::resume() {
  started_ = false;
  settle(true);
}

void FastCommandProcessor::on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time&) {
  if (!access_registers(payload)) return;
  react();
  if (on_writes_) on_writes_();
}

void FastCommandProcessor::architecture(base::Checkpoint& checkpoint) { checkpoint(queues_); }

bool FastCommandProcessor::timing(base::Checkpoint& checkpoint) {
  checkpoint(awake_, started_);
  return true;
}

}  // namespace spica::command_processor
