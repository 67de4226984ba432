// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/fast/hart.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::simt_core::fast {

using protocol::Route;

namespace {

/// Main memory is a peripheral, as its block's registers are: only its own memory is near.
protocol::AddressMap map_of(const HartParams& params, const protocol::AddressMap& machine) {
  protocol::AddressMap map;
  map.add(params.memory);
  map.add(params.registers);
  for (const protocol::Region& region : machine.regions()) {
    protocol::Region seen = region;
    seen.route = region.route == Route::kGlobal ? Route::kPeripheral : Route::kUnmapped;
    map.add(seen);
  }
  return map;
}

}  // namespace

Hart::Hart(const sc_core::sc_module_name& name, const HartParams& params, const protocol::AddressMap& machine)
    : sc_module(name),
      params_(params),
      map_(map_of(params, machine)),
      memory_(params.memory.size),
      core_("core", params.core, params.identity, map_, time_),
      code_(map_, memory_.data(), params.memory.base, static_cast<unsigned>((params.core.lanes + 7) / 8 * 8),
            core_.params()) {
  own_.memory = {params.memory.base, params.memory.size, memory_.data(), &reservations_};
  none_.memory = {0, 0, nullptr, &reservations_};
  core_.gmem.bind(own_);
  core_.smem.bind(none_);
  mmio_.attach(*this);
  core_.mmio.bind(mmio_);
  core_.fault.bind(*this);
  core_.connect(code_);
  core_.set_gate(this);
}

unsigned char* Hart::at(std::uint64_t address, std::uint64_t bytes) {
  return own_.memory.contains(address, bytes) ? own_.memory.at(address) : nullptr;
}

bool Hart::load(std::uint64_t address, const std::vector<unsigned char>& bytes, std::uint64_t size) {
  unsigned char* const place = at(address, size);
  if (place != nullptr) std::copy(bytes.begin(), bytes.end(), place);
  return place != nullptr;
}

void Hart::start(std::uint32_t entry) {
  entry_ = entry;
  image_ = memory_;
  reset();
}

void Hart::reset() {
  core_.reset();
  reservations_.clear();
  held_ = false;
  unused_ = 0;
  time_.now = 0;
  asleep_ = image_.empty();
  if (asleep_) return;
  std::copy(image_.begin(), image_.end(), memory_.begin());  // it is pointed at
  code_.refresh();
  core_.launch(entry_);
}

void Hart::set_debugger(protocol::GateIf* gate) {
  gate_ = gate;
  held_ = false;
  bus->hart_may_resume();
}

void Hart::run(base::Cycle until) {
  until_ = until;
  held_ = false;
  while (runs() && !held_ && time_.now < until_) {
    time_.stop = false;
    core_.run_round(time_.now, std::numeric_limits<std::int32_t>::max());
  }
}

void Hart::wake(base::Cycle now) {
  asleep_ = false;
  time_.now = std::max(time_.now, now);
}

bool Hart::may_issue(const protocol::InstructionEvent& event) {
  if (time_.now >= until_) return false;
  if (gate_ != nullptr && !gate_allows(event)) return false;
  for (std::uint64_t rows = event.instruction.reads & unused_; rows != 0; rows &= rows - 1) {
    const Loaded& one = loaded_[static_cast<std::size_t>(__builtin_ctzll(rows))];
    bus->used(one.address, one.value);
  }
  unused_ &= ~(event.instruction.reads | event.instruction.writes());
  writes_ = event.instruction.writes();
  return true;
}

bool Hart::gate_allows(const protocol::InstructionEvent& event) {
  protocol::Origin origin = event.origin;
  origin.unit = protocol::Origin::Unit::kCommandProcessor;
  held_ = !gate_->may_issue({event.cycle, origin, event.instruction, event.registers});
  return !held_;
}

protocol::Origin Hart::origin() const {
  return {protocol::Origin::Unit::kCommandProcessor, 0, static_cast<std::uint16_t>(params_.identity.core),
          core_.next_pc(0), 1};
}

/// The report is the block's.
void Hart::report(const protocol::GuestFault& found) {
  protocol::GuestFault told = found;
  told.origin.unit = protocol::Origin::Unit::kCommandProcessor;
  told.cycle = bus->machine_cycle();
  if (!error_.empty()) {
    told.kind = kind_;
    told.detail = error_;
  }
  fault->report(told);
}

void Hart::on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time&) {
  protocol::HartAccess access{payload.get_address(), payload.get_data_length(), payload.is_write(),
                              protocol::info_of(payload).atomic != protocol::Atomic::kNone};
  if (access.store) std::memcpy(&access.value, payload.get_data_ptr(), access.bytes);
  bus->access(access);
  error_ = access.error;
  kind_ = access.kind;
  payload.set_response_status(error_.empty() ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
  if (!access.store) {
    std::memcpy(payload.get_data_ptr(), &access.value, access.bytes);
    unused_ |= writes_;
    if (writes_ != 0)
      loaded_[static_cast<std::size_t>(__builtin_ctzll(writes_))] = {access.address, access.value};
  }
  time_.now += access.cycles;
  asleep_ = access.sleeps;
  time_.stop |= asleep_;
}

void Hart::dump_state(std::ostream& out) const {
  if (image_.empty()) return;
  out << name() << ": " << (asleep_ ? "sleeps" : core_.can_run() ? "runs" : "has ended") << '\n';
}

void Hart::architecture(base::Checkpoint& checkpoint) {
  std::vector<unsigned char> bytes = memory_;
  checkpoint(bytes, reservations_, asleep_);
  if (checkpoint.loads()) std::copy(bytes.begin(), bytes.end(), memory_.begin());
  core_.architecture(checkpoint);
  if (checkpoint.loads()) code_.refresh();
}

bool Hart::timing(base::Checkpoint& checkpoint) {
  checkpoint(time_.now);
  return core_.timing(checkpoint);
}

}  // namespace spica::simt_core::fast
