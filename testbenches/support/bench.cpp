// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/bench.h"

#include <cstring>

#include "testbenches/support/catch.h"

namespace spica::testbench {

void TrafficPlayer::at(Cycle cycle, Payload& payload) {
  plan_.push_back({cycle, &payload});
  wake_at(cycle);
}

Cycle TrafficPlayer::done(const Payload& payload) const {
  const auto found = done_.find(&payload);
  return found == done_.end() ? base::kNever : found->second;
}

Cycle TrafficPlayer::accepted(const Payload& payload) const {
  const auto found = accepted_.find(&payload);
  return found == accepted_.end() ? base::kNever : found->second;
}

LinePayload& TrafficPlayer::line(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
  LinePayload& payload = lines_.take();
  payload.setup(command, address, bytes, {});
  return payload;
}

WarpPayload& TrafficPlayer::warp(tlm::tlm_command command, std::uint32_t mask,
                                 const std::vector<std::uint32_t>& addresses, unsigned bytes) {
  WarpPayload& payload = warps_.take();
  payload.set_command(command);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.access.mask = mask;
  payload.access.bytes = static_cast<std::uint8_t>(bytes);
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) payload.access.address[lane] = addresses[lane];
  payload.set_address(mask != 0 ? payload.access.address[static_cast<unsigned>(__builtin_ctz(mask))] : 0);
  return payload;
}

void TrafficPlayer::tick() {
  while (next_ < plan_.size() && plan_[next_].cycle <= now() && port_.ready()) {
    Payload& payload = *plan_[next_++].payload;
    if (read_word(payload)) continue;
    ++outstanding_;
    pending_ = &payload;
    port_.send(payload);
    if (port_.ready()) {
      accepted_[&payload] = now();
      pending_ = nullptr;
    }
  }
  if (next_ < plan_.size() && port_.ready()) wake_at(plan_[next_].cycle);
}

void TrafficPlayer::reset() {
  next_ = plan_.size();
  outstanding_ = 0;
  pending_ = nullptr;
  port_.reset();
}

void TrafficPlayer::on_response(unsigned, Payload& payload) {
  CHECK(done(payload) == base::kNever);
  done_[&payload] = now();
  --outstanding_;
}

bool TrafficPlayer::read_word(Payload& payload) {
  std::uint32_t word = 0;
  Cycle cycles = 0;
  if (!reads_words_ || !payload.is_read() || !port_.read_word(payload.get_address(), word, cycles))
    return false;
  std::memcpy(payload.get_data_ptr(), &word, sizeof word);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  accepted_[&payload] = now();
  done_[&payload] = now() + cycles;
  ++words_;
  return true;
}

void TrafficPlayer::on_ready(unsigned) {
  accepted_[pending_] = now();
  pending_ = nullptr;
  wake_now();
}

MemoryPlayer::MemoryPlayer(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
                           protocol::TargetPort& port, Cycle latency, std::size_t capacity)
    : Component(name, clock), port_(port), latency_(latency), queue_(capacity) {}

std::uint32_t MemoryPlayer::word(std::uint64_t address) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{bytes_[address + i]} << (8 * i);
  return value;
}

void MemoryPlayer::set_word(std::uint64_t address, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes_[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void MemoryPlayer::tick() {
  if (!queue_.empty() && queue_.front().due <= now()) {
    Payload& payload = *queue_.pop().payload;
    if (!protocol::info_of(payload).timing_only) move(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    port_.respond(payload);
  }
  if (Payload* held = port_.held(); held != nullptr && !queue_.full()) {
    queue_.push({held, now() + latency_});
    port_.take_held();
  }
  if (!queue_.empty()) wake_at(std::max(queue_.front().due, now() + 1));
}

bool MemoryPlayer::on_request(unsigned, Payload& payload) {
  seen_.push_back({payload.get_command(), payload.get_address(), payload.get_data_length(), now(),
                   protocol::info_of(payload).timing_only});
  if (queue_.full()) return false;
  queue_.push({&payload, now() + latency_});
  wake_at(now() + latency_);
  return true;
}

unsigned MemoryPlayer::on_debug(unsigned, Payload& payload) {
  move(payload);
  return payload.get_data_length();
}

void MemoryPlayer::move(Payload& payload) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  for (unsigned i = 0; i < payload.get_data_length(); ++i) {
    if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
    if (payload.is_read()) payload.get_data_ptr()[i] = bytes_[payload.get_address() + i];
    if (payload.is_write()) bytes_[payload.get_address() + i] = payload.get_data_ptr()[i];
  }
}

}  // namespace spica::testbench
