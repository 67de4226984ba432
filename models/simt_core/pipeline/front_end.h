// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/hot_inline.h"
#include "models/base/types.h"
#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/decode_table.h"
#include "models/simt_core/pipeline/fetch_requests.h"
#include "models/simt_core/pipeline/warp_turn.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::simt_core {

/// A decoded instruction in a warp's instruction buffer.
struct Fetched {
  const Decoded* instruction = nullptr;
  std::uint32_t pc = 0;
};

/// Warp selection, fetch and decode: from the pc of a warp to its instruction buffer. Sets of warps are masks with
/// one bit per warp.
///
/// Fetch    one request per cycle, in turn among warps that run, have room in their buffer, and have decoded their
///          last instruction; control flow, CSR and warp control must also be resolved
/// Decode   the result of one fetch (`fetch_instructions`) per cycle, `decode_latency` cycles after it arrived, up to
///          the first instruction that blocks fetch; the rest is fetched again
/// Source   vortex core/VX_schedule.sv, core/VX_fetch.sv, core/VX_decode.sv
class FrontEnd {
 public:
  FrontEnd(Context& core, protocol::InitiatorSocket& icache);

  // -- towards issue
  /// Warps with an instruction to issue.
  std::uint32_t buffered() const { return buffered_; }
  const Fetched& front(unsigned warp) const { return warps_[warp].buffer.front(); }
  /// The first instruction has started: it stays in the buffer and issues in parts.
  void begin(unsigned warp) { partly_issued_ |= 1u << warp; }
  bool is_partly_issued(unsigned warp) const { return (partly_issued_ >> warp & 1) != 0; }
  /// The first instruction has issued. True: another one follows.
  bool drop(unsigned warp) {
    const std::uint32_t bit = 1u << warp;
    base::BoundedQueue<Fetched>& buffer = warps_[warp].buffer;
    buffer.drop();
    if (has_room(buffer)) room_ |= bit;
    partly_issued_ &= ~bit;
    if (!buffer.empty()) return true;
    buffered_ &= ~bit;
    return false;
  }

  // -- control flow
  /// Sets the next pc of the warp after an unresolved control instruction.
  void jump(unsigned warp, std::uint32_t pc) { warps_[warp].pc = pc; }
  /// Control instructions of these warps have resolved: they may fetch.
  void resolve(std::uint32_t warps) {
    resolving_ &= ~warps;
    locked_ &= ~warps;
  }
  /// Blocks the fetch of these warps until a later resolve(); they have fetched nothing.
  void hold(std::uint32_t warps) {
    resolving_ |= warps;
    locked_ |= warps;
  }
  /// Starts or redirects a warp: its fetched instructions are dropped, except the first one if it has started.
  void redirect(unsigned warp, std::uint32_t pc);

  /// Warps with an unresolved control instruction.
  std::uint32_t resolving() const { return resolving_; }
  /// Warps that must not fetch.
  std::uint32_t locked() const { return locked_; }
  std::size_t buffered(unsigned warp) const { return warps_[warp].buffer.size(); }
  /// The pc that the warp fetches now or next.
  std::uint32_t fetch_pc(unsigned warp) const {
    return (locked_ >> warp & 1) != 0 ? fetched(warp) : warps_[warp].pc;
  }
  /// The next instruction of a running warp.
  std::uint32_t next_pc(unsigned warp) const;

  // -- by cycle
  /// True if a warp may fetch and the instruction cache accepts the request.
  bool can_fetch() const { return (core_.state.active() & room_ & ~locked_) != 0 && icache_.ready(); }
  /// Fetches for the warp whose turn it is, if one may and the instruction cache accepts the request.
  void fetch(base::Cycle now);
  /// When the next word is decoded; kNever: none has arrived.
  base::Cycle due() const { return decoding_.empty() ? base::kNever : decoding_.front().ready; }
  /// Decodes the word that is due. Returns its warp as a mask if its buffer was empty.
  std::uint32_t decode(base::Cycle now);
  /// A request is answered.
  void take(protocol::Payload& payload, base::Cycle now);

  /// With mpm_class 1: cycles from a fetch to its word, summed over fetches.
  std::uint64_t fetch_cycles() const { return fetch_cycles_; }
  void reset();

  /// The payloads, and what has been decoded. Not saved: code_begin_, code_bytes_, which are looked up again.
  void add_to(base::Checkpoint& checkpoint);
  void timing(base::Checkpoint& checkpoint);

 private:
  struct alignas(32) Warp {
    explicit Warp(std::size_t depth) : buffer(depth) {}
    template <class Archive>
    void serialize(Archive& archive) {
      archive(buffer, pc, fetched);
    }
    base::BoundedQueue<Fetched> buffer;
    std::uint32_t pc = 0;  // of the next instruction to fetch
    std::uint32_t fetched = 0;  // of the first one of the last fetch, if that can be of several
  };
  /// The first instruction of the last fetch.
  std::uint32_t fetched(unsigned warp) const {
    return width_ == 1 ? warps_[warp].pc - 4 : warps_[warp].fetched;
  }
  /// The words of a warp's last fetch after the first one.
  struct FetchGroup {
    unsigned count = 0;
    std::array<std::uint32_t, kMostFetched> words{};
  };
  /// Room for the result of one fetch.
  bool has_room(const base::BoundedQueue<Fetched>& buffer) const { return buffer.size() <= most_; }
  void decode_rest(unsigned warp, std::uint32_t pc, base::Cycle now);
  struct Decoding {
    base::Cycle ready;
    std::uint32_t word;
    std::uint32_t pc;
    std::uint8_t warp;
  };
  void arrive(const Decoding& word);
  void request(unsigned warp, std::uint32_t pc, unsigned words, base::Cycle now);
  void request_block(unsigned warp, std::uint32_t pc, base::Cycle now);
  bool executable(std::uint32_t pc);

  // What every cycle touches.
  std::uint32_t locked_ = 0;  // must not fetch: a fetch is under way, or control flow has not resolved
  std::uint32_t resolving_ = 0;  // locked by an instruction that is not resolved yet
  std::uint32_t room_ = 0;  // the instruction buffer has room (a fetch under way counted)
  std::uint32_t buffered_ = 0;  // the instruction buffer is not empty
  std::uint32_t discards_ = 0;  // the fetch under way is dropped when it comes
  std::uint32_t partly_issued_ = 0;  // the first instruction of the buffer has issued in part
  std::uint32_t with_rest_ = 0;  // the last fetch brought more than one instruction
  std::vector<Warp> warps_;
  base::BoundedQueue<Decoding> decoding_;
  WarpTurn turn_;
  Context& core_;
  protocol::InitiatorSocket& icache_;
  FetchRequests requests_;
  std::uint32_t code_begin_ = 0, code_bytes_ = 0;  // of executable memory around the last fetch
  base::Cycle last_ready_ = 0;  // of the words to decode
  base::Cycle waits_since_ = base::kNever;  // the instruction cache has taken no request of those who ask
  DecodeTable decoder_;
  const base::Cycle decode_latency_;
  const std::uint32_t width_;  // instructions per fetch
  const std::size_t most_;  // instructions in a buffer that has room for them
  std::array<FetchGroup, 32> groups_{};  // by warp
  const bool counts_latency_;
  std::uint64_t fetch_cycles_ = 0;
  std::array<base::Cycle, 32> sent_{};  // by warp
};

SPICA_HOT_INLINE void FrontEnd::arrive(const Decoding& word) {
  decoding_.push(word);
  if (word.ready >= last_ready_) {
    last_ready_ = word.ready;
    return;
  }
  // Words that were read at once may be queued after one that comes now.
  for (std::size_t i = decoding_.size() - 1; i != 0 && decoding_[i - 1].ready > word.ready; --i)
    std::swap(decoding_[i - 1], decoding_[i]);
}

SPICA_HOT_INLINE void FrontEnd::fetch(base::Cycle now) {
  const std::uint32_t asking = core_.state.active() & room_ & ~locked_;
  if (asking == 0) return;
  if (!icache_.ready()) {
    waits_since_ = std::min(waits_since_, now);
    return;
  }
  if (__builtin_expect(waits_since_ != base::kNever, 0)) {
    turn_.wait(now - waits_since_);
    waits_since_ = base::kNever;
  }
  const unsigned w = turn_.pick(asking);
  locked_ |= 1u << w;
  const std::uint32_t pc = warps_[w].pc;
  warps_[w].pc = pc + 4;
  ++core_.stats.fetches;
  if (core_.watchers.any()) core_.watchers.fetch(now, core_.origin(w, pc));
  if (pc - code_begin_ >= code_bytes_ && !executable(pc)) {
    // An illegal word takes its place, and issue reports the unmapped fetch.
    warps_[w].fetched = pc;
    with_rest_ &= ~(1u << w);
    arrive({now + decode_latency_, 0, pc, static_cast<std::uint8_t>(w)});
    return;
  }
  if (__builtin_expect(width_ != 1, 0)) return request_block(w, pc, now);
  std::uint32_t word;
  base::Cycle cycles;
  if (icache_.read_word(pc, word, cycles)) {
    if (counts_latency_) fetch_cycles_ += cycles;
    arrive({now + cycles + decode_latency_, word, pc, static_cast<std::uint8_t>(w)});
    return;
  }
  request(w, pc, 1, now);
}

SPICA_HOT_INLINE std::uint32_t FrontEnd::decode(base::Cycle now) {
  const Decoding next = decoding_.front();
  decoding_.drop();
  const unsigned w = next.warp;
  const std::uint32_t pc = next.pc;
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  if ((discards_ & bit) != 0) {  // respawned while this fetch was under way
    discards_ &= ~bit;
    locked_ &= ~bit;
    with_rest_ &= ~bit;
    core_.watchers.drop(now, core_.identity.origin(w, pc, 0));
    return 0;
  }
  const Decoded& instruction = decoder_.get(next.word, pc);
  ++core_.stats.decodes;
  if (core_.watchers.any()) core_.watchers.decode(now, core_.origin(w, pc), instruction);
  const bool was_empty = warp.buffer.empty();
  warp.buffer.push({&instruction, pc});
  buffered_ |= bit;
  if (instruction.holds_fetch) {
    resolving_ |= bit;
    warp.pc = pc + 4;
  } else {
    locked_ &= ~bit;
    if (__builtin_expect((with_rest_ & bit) != 0, 0)) decode_rest(w, pc + 4, now);
  }
  if (!has_room(warp.buffer)) room_ &= ~bit;
  return was_empty ? bit : 0;
}

}  // namespace spica::simt_core
