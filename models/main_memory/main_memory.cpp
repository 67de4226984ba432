// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/main_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <string>

#include "models/base/checkpoint.h"
#include "models/protocol/payload/past_access.h"

namespace spica::main_memory {

using base::Cycle;
using protocol::Payload;

MainMemory::MainMemory(const sc_core::sc_module_name& name, const Params& params,
                       const base::ClockDomain& clock, const BackEndFactory& back_end)
    : Component(name, clock),
      params_(params),
      storage_(params.base, params.size),
      held_(params.slices != nullptr ? params.slices->slices() : 1u) {
  const double period = clock.period() / sc_core::sc_time(1, sc_core::SC_PS);
  back_end_ = back_end({params_, static_cast<Picoseconds>(std::llround(period)), stats_, *this});
  in.attach(*this);
  for (unsigned i = 1; params.slices != nullptr && i < params.slices->slices(); ++i) {
    more_in.push_back(std::make_unique<protocol::TargetSocket>(("in_" + std::to_string(i)).c_str()));
    more_in.back()->attach(*this, i);
  }
}

bool MainMemory::on_request(unsigned number, Payload& payload) {
  if (!accept(payload)) {
    held_.insert(number);
    return false;
  }
  if (const Cycle next = back_end_->next(now()); next != base::kNever) wake_at(std::max(next, now()));
  return true;
}

bool MainMemory::accept(Payload& payload) {
  const unsigned bytes = payload.get_data_length();
  stats_.activity.charge(Stats::kBusy, now());
  if (!storage_.contains(payload.get_address(), bytes)) {
    refuse(payload, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return true;
  }
  if (protocol::info_of(payload).atomic != protocol::Atomic::kNone) {
    refuse(payload, tlm::TLM_COMMAND_ERROR_RESPONSE);
    return true;
  }
  if (!watched_.empty() && !payload.is_write()) report_read(payload);
  return back_end_->offer({&payload, payload.get_address() - params_.base, bytes, payload.is_write()}, now());
}

void MainMemory::report_read(const Payload& payload) {
  const std::uint64_t begin = payload.get_address(), end = begin + payload.get_data_length();
  const bool is_watched = std::any_of(watched_.begin(), watched_.end(), [&](const Range& range) {
    return begin < range.end && end > range.begin;
  });
  if (is_watched && !watcher_()) watched_.clear();
}

void MainMemory::refuse(Payload& payload, tlm::tlm_response_status status) {
  ++stats_.address_errors;
  payload.set_response_status(status);
  const Cycle due = now() + params_.request_latency + params_.response_latency;
  responses_.schedule(now(), due, &payload);
  wake_at(due);
}

void MainMemory::tick() {
  responses_.take_due(now(), [this](Payload* payload) { port_of(*payload).respond(*payload); });
  back_end_->tick(now());
  if (!due_now_.empty()) respond_now();
  if (!held_.empty()) take_held();
  const Cycle next = std::min(back_end_->next(now()), responses_.next(now()));
  if (next != base::kNever) wake_at(std::max(next, now() + 1));
  stats_.activity.charge(idle() ? Stats::kIdle : Stats::kBusy, now());
}

void MainMemory::take_held() {
  held_.each([this](unsigned number) {
    protocol::TargetSocket& socket = port(number);
    if (!accept(*socket.held())) return;
    held_.erase(number);
    socket.take_held();  // and the next one may be held
  });
}

void MainMemory::done(Payload& payload, Cycle due) {
  const unsigned bytes = payload.get_data_length();
  if (payload.is_write()) {
    ++stats_.writes;
    stats_.bytes_written += bytes;
  } else {
    ++stats_.reads;
    stats_.bytes_read += bytes;
  }
  if (!protocol::info_of(payload).timing_only) move(payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (due > now()) {
    responses_.schedule(now(), due, &payload);
    wake_at(due);
  } else {
    due_now_.push_back(&payload);
    wake_now();
  }
}

void MainMemory::respond_now() {
  // A response may bring another one. NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t i = 0; i < due_now_.size(); ++i) port_of(*due_now_[i]).respond(*due_now_[i]);
  due_now_.clear();
}

void MainMemory::move(Payload& payload) {
  unsigned char* memory = storage_.at(payload.get_address());
  unsigned char* data = payload.get_data_ptr();
  const unsigned bytes = payload.get_data_length();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const bool write = payload.is_write();
  if (enables == nullptr) {
    std::memcpy(write ? memory : data, write ? data : memory, bytes);
    return;
  }
  for (unsigned i = 0; i < bytes; ++i) {
    if (enables[i % payload.get_byte_enable_length()] == 0) continue;
    if (write) memory[i] = data[i];
    else data[i] = memory[i];
  }
}

unsigned MainMemory::on_debug(unsigned, Payload& payload) {
  const unsigned bytes = payload.get_data_length();
  if (!storage_.contains(payload.get_address(), bytes)) return 0;
  if (payload.get_extension<protocol::PastAccess>() != nullptr)
    back_end_->leave_open(payload.get_address() - params_.base);
  else move(payload);
  return bytes;
}

bool MainMemory::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t first = params_.base;
  const std::uint64_t last = params_.base + (params_.size - 1);
  const std::uint64_t address = payload.get_address();
  if (address < first || address > last) {
    dmi.set_start_address(address < first ? 0 : last + 1);
    dmi.set_end_address(address < first ? first - 1 : ~std::uint64_t{0});
    return false;
  }
  dmi.set_dmi_ptr(storage_.at(first));
  dmi.set_start_address(first);
  dmi.set_end_address(last);
  dmi.allow_read_write();
  return true;
}

void MainMemory::reset() {
  back_end_->reset(now());
  responses_.clear();
  due_now_.clear();
  held_.clear();
  in.reset();
  for (auto& socket : more_in) socket->reset();
  stats_.activity.charge(Stats::kIdle, now());
}

bool MainMemory::idle() const { return responses_.empty() && due_now_.empty() && back_end_->idle(); }

void MainMemory::dump_state(std::ostream& os) const {
  back_end_->dump(os, name());
  if (const std::size_t count = responses_.size() + due_now_.size(); count != 0)
    os << name() << ": " << count << " responses to come\n";
}

void MainMemory::architecture(base::Checkpoint& checkpoint) { storage_.checkpoint(checkpoint); }

bool MainMemory::timing(base::Checkpoint& checkpoint) {
  checkpoint(in, responses_, due_now_, stats_);
  for (auto& socket : more_in) checkpoint(*socket);
  held_.clear();
  for (unsigned i = 0; i <= more_in.size(); ++i)
    if (port(i).held() != nullptr) held_.insert(i);
  return back_end_->timing(checkpoint);
}

}  // namespace spica::main_memory
