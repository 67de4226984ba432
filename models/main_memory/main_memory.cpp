// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/main_memory.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "models/protocol/payload_pool.h"

namespace spica::main_memory {

using base::Cycle;
using protocol::Payload;

MainMemory::Channel::Channel(const Params& params) : dram(params.dram), queue(params.transaction_queue) {}

MainMemory::MainMemory(const sc_core::sc_module_name& name, const Params& params,
                       const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      cycle_ps_(static_cast<Picoseconds>(clock.period() / sc_core::sc_time(1, sc_core::SC_PS) + 0.5)),
      storage_(params.base, params.size) {
  channels_.reserve(params.channels);
  for (std::uint64_t i = 0; i < params.channels; ++i) channels_.emplace_back(params);
  in.attach(*this);
}

unsigned MainMemory::channel_of(std::uint64_t offset) const {
  return static_cast<unsigned>(offset / params_.interleave_bytes % params_.channels);
}

Cycle MainMemory::beats(unsigned bytes) const {
  return std::max<Cycle>(1, (bytes + params_.port_bytes_per_cycle - 1) / params_.port_bytes_per_cycle);
}

bool MainMemory::on_request(unsigned, Payload& payload) { return accept(payload); }

bool MainMemory::accept(Payload& payload) {
  const unsigned bytes = payload.get_data_length();
  stats_.activity.charge(Stats::kBusy, now());
  if (!storage_.contains(payload.get_address(), bytes) ||
      protocol::info_of(payload).atomic != protocol::Atomic::kNone) {
    ++stats_.address_errors;
    payload.set_response_status(storage_.contains(payload.get_address(), bytes)
                                    ? tlm::TLM_COMMAND_ERROR_RESPONSE
                                    : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    finish(payload, now() + params_.request_latency + params_.response_latency);
    return true;
  }
  const std::uint64_t offset = payload.get_address() - params_.base;
  Channel& channel = channels_[channel_of(offset)];
  if (channel.queue.full()) return false;
  Cycle due = now() + params_.request_latency;
  if (payload.is_write()) {
    due = std::max(due, channel.write_free) + beats(bytes) - 1;
    channel.write_free = due + 1;
  }
  const std::uint64_t stripe = params_.interleave_bytes * params_.channels;
  const std::uint64_t within = offset / stripe * params_.interleave_bytes + offset % params_.interleave_bytes;
  const std::uint64_t access = params_.dram.access_bytes;
  const auto bursts = static_cast<unsigned>((within + bytes - 1) / access - within / access + 1);
  if (!channel.queue.empty()) due = std::max(due, channel.queue.back().due);  // in order
  channel.queue.push({&payload, channel.dram.locate(within), bursts, due});
  wake_at(due);
  return true;
}

void MainMemory::tick() {
  responses_.take_due(now(), [this](Payload* payload) { in.respond(*payload); });
  Cycle next = base::kNever;
  for (Channel& channel : channels_) {
    if (channel.queue.empty()) continue;
    schedule(channel);
    if (channel.queue.empty()) continue;
    // The next decision: when the first request has come and the data bus is near enough.
    const Picoseconds ahead = channel.dram.lookahead();
    const Picoseconds bus = channel.dram.bus_free();
    next = std::min(
        next, std::max(channel.queue.front().due, bus > ahead ? first_cycle_after(bus - ahead) : Cycle{0}));
  }
  if (Payload* held = in.held(); held != nullptr && accept(*held)) in.take_held();
  next = std::min(next, responses_.next(now()));
  if (next != base::kNever) wake_at(std::max(next, now() + 1));
  stats_.activity.charge(idle() ? Stats::kIdle : Stats::kBusy, now());
}

void MainMemory::schedule(Channel& channel) {
  while (!channel.queue.empty() && channel.queue.front().due <= now() &&
         channel.dram.bus_free() <= start_of(now()) + channel.dram.lookahead()) {
    issue(channel, channel.queue.take(pick(channel)));
  }
}

std::size_t MainMemory::pick(const Channel& channel) const {
  if (params_.dram.scheduling == Scheduling::kFcfs) return 0;
  for (std::size_t i = 0; i < channel.queue.size() && channel.queue[i].due <= now(); ++i)
    if (channel.dram.row_hit(channel.queue[i].location)) return i;
  return 0;
}

void MainMemory::issue(Channel& channel, const Queued& queued) {
  Payload& payload = *queued.payload;
  const unsigned bytes = payload.get_data_length();
  const std::uint64_t refreshes = channel.dram.refreshes();
  const DramChannel::Issued issued =
      channel.dram.issue(start_of(now()), queued.location, payload.is_write(), queued.bursts);
  stats_.refreshes += channel.dram.refreshes() - refreshes;
  switch (issued.kind) {
    case DramChannel::Kind::kRowHit: ++stats_.row_hits; break;
    case DramChannel::Kind::kRowMiss: ++stats_.row_misses; break;
    case DramChannel::Kind::kRowConflict: ++stats_.row_conflicts; break;
  }
  Cycle done = first_cycle_after(issued.data_end);
  if (payload.is_write()) {
    ++stats_.writes;
    stats_.bytes_written += bytes;
  } else {
    ++stats_.reads;
    stats_.bytes_read += bytes;
    done = std::max(done, channel.read_free);
    channel.read_free = done + beats(bytes);
    done += beats(bytes) - 1;
  }
  if (!protocol::info_of(payload).timing_only) move(payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  finish(payload, done + params_.response_latency);
}

void MainMemory::finish(Payload& payload, Cycle due) {
  responses_.schedule(now(), std::max(due, now() + 1), &payload);
  wake_at(std::max(due, now() + 1));
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
  move(payload);
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
  for (Channel& channel : channels_) {
    channel.dram.clear(start_of(now()));
    channel.queue.clear();
    channel.write_free = 0;
    channel.read_free = 0;
  }
  responses_.clear();
  in.reset();
  stats_.activity.charge(Stats::kIdle, now());
}

bool MainMemory::idle() const {
  return responses_.empty() && std::all_of(channels_.begin(), channels_.end(),
                                           [](const Channel& channel) { return channel.queue.empty(); });
}

void MainMemory::dump_state(std::ostream& os) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (!channels_[i].queue.empty())
      os << name() << " channel " << i << ": " << channels_[i].queue.size() << " requests queued\n";
  if (!responses_.empty()) os << name() << ": " << responses_.size() << " responses to come\n";
}

}  // namespace spica::main_memory
