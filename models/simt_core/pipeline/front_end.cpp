// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/front_end.h"

#include <algorithm>
#include <cstring>

namespace spica::simt_core {

FrontEnd::FrontEnd(Context& core, protocol::InitiatorSocket& icache)
    : decoding_(core.params.warps),
      turn_(static_cast<unsigned>(core.params.warps), core.params.turns),
      core_(core),
      icache_(icache),
      requests_(static_cast<unsigned>(core.params.warps)),
      decoder_(core.params),
      decode_latency_(core.params.decode_latency),
      width_(static_cast<std::uint32_t>(core.params.fetch_instructions)),
      most_(core.params.instruction_buffer - width_),
      counts_latency_(core.counts_latency()) {
  for (unsigned w = 0; w < core.params.warps; ++w) warps_.emplace_back(core.params.instruction_buffer);
}

void FrontEnd::reset() {
  for (Warp& warp : warps_) {
    warp.buffer.clear();
    warp.pc = warp.fetched = 0;
  }
  decoding_.clear();
  last_ready_ = 0;
  waits_since_ = base::kNever;
  turn_.reset();
  requests_.reset();
  locked_ = resolving_ = buffered_ = discards_ = partly_issued_ = with_rest_ = 0;
  room_ = ~std::uint32_t{0} >> (32 - core_.params.warps);
  fetch_cycles_ = 0;
  groups_.fill({});
}

void FrontEnd::request(unsigned w, std::uint32_t pc, unsigned words, base::Cycle now) {
  protocol::LinePayload& request = requests_.take();
  request.setup(tlm::TLM_READ_COMMAND, pc, 4 * words, core_.identity.origin(w, pc, 0));
  request.info.tag = w;
  if (counts_latency_) sent_[w] = now;
  icache_.send(request);
}

/// The instructions from `pc` to the end of its block.
void FrontEnd::request_block(unsigned w, std::uint32_t pc, base::Cycle now) {
  const unsigned words = width_ - pc / 4 % width_;
  warps_[w].fetched = pc;
  warps_[w].pc = pc + 4 * words;
  request(w, pc, words, now);
}

/// Finds the executable memory around `pc`.
bool FrontEnd::executable(std::uint32_t pc) {
  const protocol::AddressMap::Range range = core_.map.range(pc);
  if (range.region == nullptr || range.region->route != protocol::Route::kGlobal) return false;
  code_begin_ = static_cast<std::uint32_t>(range.begin);
  code_bytes_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(range.size, ~std::uint32_t{0}));
  return true;
}

/// The instructions of a fetch behind the first one.
void FrontEnd::decode_rest(unsigned w, std::uint32_t pc, base::Cycle now) {
  const std::uint32_t bit = 1u << w;
  Warp& warp = warps_[w];
  with_rest_ &= ~bit;
  for (unsigned i = 0; i < groups_[w].count; ++i, pc += 4) {
    const Decoded& instruction = decoder_.get(groups_[w].words[i], pc);
    ++core_.stats.decodes;
    if (core_.watchers.any()) {
      core_.watchers.fetch(now, core_.origin(w, pc));
      core_.watchers.decode(now, core_.origin(w, pc), instruction);
    }
    warp.buffer.push({&instruction, pc});
    if (!instruction.holds_fetch) continue;
    locked_ |= bit;
    resolving_ |= bit;
    warp.pc = pc + 4;
    return;
  }
}

void FrontEnd::take(protocol::Payload& payload, base::Cycle now) {
  auto& request = static_cast<protocol::LinePayload&>(payload);
  std::uint32_t word = 0;
  const std::uint32_t bit = 1u << request.info.tag;
  if (counts_latency_) fetch_cycles_ += now - sent_[request.info.tag];
  with_rest_ &= ~bit;
  if (!request.is_response_error()) {
    std::memcpy(&word, request.data.data(), sizeof word);
    FetchGroup& group = groups_[request.info.tag];
    group.count = request.get_data_length() / static_cast<unsigned>(sizeof word) - 1;
    if (group.count != 0) with_rest_ |= bit;
    std::memcpy(group.words.data(), request.data.data() + sizeof word, group.count * sizeof word);
  }
  requests_.drop(request);
  arrive({now + decode_latency_, word, static_cast<std::uint32_t>(request.get_address()),
          static_cast<std::uint8_t>(request.info.tag)});
}

void FrontEnd::redirect(unsigned w, std::uint32_t pc) {
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  // A fetch under way is dropped when it arrives. A lock without one is that of a control instruction.
  discards_ = (discards_ & ~bit) | (locked_ & ~resolving_ & bit);
  if ((discards_ & bit) == 0) locked_ &= ~bit;
  for (std::size_t i = is_partly_issued(w) ? 1 : 0; i < warp.buffer.size(); ++i)
    core_.watchers.drop(core_.now(), core_.identity.origin(w, warp.buffer[i].pc, 0));
  if (is_partly_issued(w)) {
    const Fetched begun = warp.buffer.front();
    warp.buffer.clear();
    warp.buffer.push(begun);
  } else {
    warp.buffer.clear();
    buffered_ &= ~bit;
  }
  resolving_ &= ~bit;
  if (has_room(warp.buffer)) room_ |= bit;
  warp.pc = pc;
}

std::uint32_t FrontEnd::next_pc(unsigned w) const {
  const std::uint32_t bit = 1u << w;
  if (!warps_[w].buffer.empty()) return warps_[w].buffer.front().pc;
  const bool fetch_under_way = (locked_ & bit) != 0 && (resolving_ & bit) == 0 && (discards_ & bit) == 0;
  return fetch_under_way ? fetched(w) : warps_[w].pc;
}

}  // namespace spica::simt_core
