// SPDX-License-Identifier: Apache-2.0
// The machine behind the port: its run, its reset, the lines, and accesses without time.
#include <algorithm>
#include <ostream>

#include "models/host_port/host_port.h"

namespace spica::host_port {

using base::Cycle;
using base::kNever;
using protocol::Payload;
using Kind = HostMap::Kind;

// -- the machine

/// Checks whether the program has ended, or caused a fault. A kernel of a queue may cause one while no program runs.
void HostPort::check_machine() {
  if (!registers_.running() && !fault_) return;
  if (fault_ && fault_->cycle <= now()) {
    registers_.faulted(now(), *fault_);
    fault_.reset();
    return;
  }
  if (fault_) return wake_at(fault_->cycle);
  if (next_check_ > now()) return next_check_ != kNever ? wake_at(next_check_) : void();
  const Cycle end = machine->ended();
  if (end <= now()) return registers_.ended(now(), machine->exit_code());
  next_check_ = end != kNever ? end : machine->look_again();
  if (next_check_ != kNever) wake_at(next_check_);
}

void HostPort::report(const protocol::GuestFault& guest) {
  fault->report(guest);
  if (guest.severity != protocol::Severity::kFault || fault_) return;
  fault_ = guest;
  machine->halt();
  wake_now();
}

void HostPort::reset_machine() {
  ++stats_.resets;
  machine->reset();
  gmem.reset();
  for (auto& socket : smem) socket.reset();
  for (auto& socket : mmio) socket.reset();
  pool_.drop_all();
  served_.outstanding = 0;
  fault_.reset();
  next_check_ = kNever;
}

// -- the lines

/// A change of `done` is seen outside at the time of this cycle.
void HostPort::drive() {
  if (registers_.interrupts() == level_) return;
  level_ = registers_.interrupts();
  level_changes_.notify(domain()->ahead());
  domain()->yield();
}

void HostPort::put_line() {
  if (done.size() != 0) done->write(level_);
}

void HostPort::read_reset_line() {
  if (reset_line.size() == 0) return;
  const bool active = reset_line->read();
  domain()->deliver(domain()->cycle_at(sc_core::sc_time_stamp()), [this, active] {
    if (active && !in_reset_) {
      reset_machine();
      registers_.reset();
      if (served_.request != nullptr) finish(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    in_reset_ = active;
    drive();
  });
}

// -- without time

unsigned HostPort::on_debug(unsigned, Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const HostMap::Place place = map_.find(address);
  if (place.kind == Kind::kNone || !place.holds(address, payload.get_data_length())) return 0;
  if (place.kind == Kind::kRegisters) return payload.is_read() ? read_registers(payload, place.address) : 0;
  payload.set_address(place.address);
  const unsigned moved = socket_of(place)->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

/// Global memory, where the maps of host and guest agree.
bool HostPort::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const HostMap::Place place = map_.find(address);
  if (place.kind != Kind::kGlobal) {
    dmi.set_start_address(place.kind == Kind::kNone ? address : place.begin);
    dmi.set_end_address(place.kind == Kind::kNone ? address : place.begin + place.size - 1);
    return false;
  }
  const bool granted = gmem->get_direct_mem_ptr(payload, dmi);
  const std::uint64_t begin = std::max<std::uint64_t>(dmi.get_start_address(), place.begin);
  if (granted) dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (begin - dmi.get_start_address()));
  dmi.set_start_address(begin);
  dmi.set_end_address(std::min<std::uint64_t>(dmi.get_end_address(), place.begin + place.size - 1));
  return granted;
}

void HostPort::reset() {
  in.reset();
  gmem.reset();
  for (auto& socket : smem) socket.reset();
  for (auto& socket : mmio) socket.reset();
  queue_.clear();
  pool_.drop_all();
  registers_.reset();
  served_.request = nullptr;
  served_.outstanding = 0;
  fault_.reset();
  next_check_ = kNever;
}

void HostPort::dump_state(std::ostream& out) const {
  out << name() << ": status " << registers_.status() << ", " << queue_.size() << " requests wait";
  if (served_.request != nullptr)
    out << ", one at 0x" << std::hex << served_.request->get_address() << std::dec << " has "
        << served_.outstanding << " parts under way";
  out << '\n';
}

}  // namespace spica::host_port
