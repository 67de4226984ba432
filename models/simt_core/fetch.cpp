// SPDX-License-Identifier: Apache-2.0
// Front end of the core: warp selection, instruction-cache requests, decode.
#include <cstring>
#include <utility>

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

namespace {

/// Instructions after which a warp must not fetch until they have resolved (vortex
/// core/VX_decode.sv).
bool holds_fetch(const isa::Instruction& instruction) {
  switch (instruction.unit) {
    case isa::Unit::kBranch:
    case isa::Unit::kCsr:
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: return true;
    // fence.i: what is behind it must be fetched anew when the stores before it are done.
    default: return instruction.opcode == isa::Opcode::kFenceI;
  }
}

}  // namespace

void SimtCore::fetch() {
  const unsigned w = fetch_turn_.pick(state_.active() & room_ & ~locked_);
  Warp& warp = warps_[w];
  locked_ |= 1u << w;
  const std::uint32_t pc = warp.pc;
  warp.pc += 4;
  ++stats_.fetches;
  if (profile_ != nullptr) profile_->fetched(pc);
  if (probe_ != nullptr) probe_->on_fetch(now(), origin(w, pc, state_[w].simt.mask()));
  if (!code_.contains(pc)) code_ = map_.stretch(pc);
  if (code_.region == nullptr || code_.region->route != protocol::Route::kGlobal) {
    // Not executable memory: an illegal word takes its place, and issue reports the unmapped fetch.
    decoding_.push({now() + params_.decode_latency, 0, pc, static_cast<std::uint8_t>(w)});
    return;
  }
  protocol::LinePayload& request = *free_fetches_[--free_fetch_count_];
  request.setup(tlm::TLM_READ_COMMAND, pc, 4, origin(w, pc, 0));
  request.info.tag = w;
  if (counts_latency()) fetch_sent_[w] = now();
  request.info.takes_early = true;
  icache.send(request);
}

void SimtCore::on_instruction(protocol::Payload& payload, base::Cycle arrives) {
  auto& request = static_cast<protocol::LinePayload&>(payload);
  std::uint32_t word = 0;
  if (counts_latency()) fetch_cycles_ += arrives - fetch_sent_[request.info.tag];
  if (!request.is_response_error()) std::memcpy(&word, request.data.data(), sizeof word);
  free_fetches_[free_fetch_count_++] = &request;
  const base::Cycle ready = arrives + params_.decode_latency;
  decoding_.push({ready, word, static_cast<std::uint32_t>(request.get_address()),
                  static_cast<std::uint8_t>(request.info.tag)});
  // Announced responses may stand behind one that comes now.
  for (std::size_t i = decoding_.size() - 1; i != 0 && decoding_[i - 1].ready > ready; --i)
    std::swap(decoding_[i - 1], decoding_[i]);
}

void SimtCore::decode() {
  const std::uint32_t word = decoding_.front().word;
  const std::uint32_t pc = decoding_.front().pc;
  const unsigned w = decoding_.front().warp;
  decoding_.drop();
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  if ((discards_ & bit) != 0) {  // respawned while this fetch was under way
    discards_ &= ~bit;
    locked_ &= ~bit;
    if (probe_ != nullptr) probe_->on_drop(now(), origin(w, pc, 0));
    return;
  }
  const isa::Instruction& instruction = decoder_.get(word, pc);
  ++stats_.decodes;
  if (profile_ != nullptr) profile_->decoded(pc);
  if (probe_ != nullptr) probe_->on_decode(now(), origin(w, pc, state_[w].simt.mask()), instruction);
  if (warp.buffer.empty()) waits_for_[w] = IssueReason::kFetch;
  warp.buffer.push({&instruction, pc});
  buffered_ |= bit;
  if (warp.buffer.full()) room_ &= ~bit;
  if (holds_fetch(instruction)) resolving_ |= bit;
  else locked_ &= ~bit;
}

}  // namespace spica::simt_core
