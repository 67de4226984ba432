// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/base/invariant.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

/// The path of one operand from its shared-memory port to the dot-product units of a decoupled tensor core:
///
///   requests (source ids) -> response queue -> fill buffer -> operand buffer
///
/// Everything stays in order. The fill buffer collects the blocks that the units need at a time and passes them on when
/// the operand buffer is free, at the earliest in the cycle in which it becomes free. An answer that finds the response
/// queue full waits at the port and keeps its source id.
class OperandStream {
 public:
  /// `blocks`: size of the fill buffer and of the operand buffer.
  OperandStream(std::size_t source_ids, std::size_t response_queue, std::size_t blocks)
      : source_ids_(source_ids),
        queue_depth_(response_queue),
        blocks_(blocks),
        answered_(source_ids + response_queue),
        buffers_{std::vector<Block>(blocks), std::vector<Block>(blocks)} {}

  /// True if a source id is free.
  bool can_request() const { return requested_ != source_ids_; }
  void request() { ++requested_; }
  /// The answer to the oldest unanswered request: a block of 32 bytes.
  void answer(const unsigned char* data) {
    SPICA_INVARIANT(waiting_ + queued_ < answered_.size());
    std::memcpy(&answered_[at(waiting_ + queued_)], data, tile::kBlockBytes);
    ++waiting_;
  }

  /// True if the response queue is not empty.
  bool has_response() const { return queued_ != 0; }
  /// True if the operand buffer is full; its contents, by block.
  bool ready() const { return operand_ready_; }
  const std::uint32_t* block(unsigned index) const { return buffers_[operand_][index].data(); }
  void release() { operand_ready_ = false; }

  /// One cycle, called after the units. Data that moved in this cycle moves again in the next one at the earliest.
  void advance() {
    const bool queue_was_full = queued_ == queue_depth_;
    if (!operand_ready_ && filled_ == blocks_) {
      operand_ ^= 1;
      operand_ready_ = true;
      filled_ = 0;
    }
    if (queued_ != 0 && filled_ != blocks_) {
      buffers_[operand_ ^ 1][filled_++] = answered_[head_];
      head_ = at(1);
      --queued_;
    }
    if (waiting_ != 0 && !queue_was_full) {
      --waiting_;
      ++queued_;
      --requested_;
    }
  }

  bool empty() const { return requested_ + queued_ + filled_ == 0 && !operand_ready_; }
  std::size_t requested() const { return requested_; }
  std::size_t queued() const { return queued_; }
  std::size_t filled() const { return filled_; }
  void clear() {
    requested_ = waiting_ = queued_ = filled_ = 0;
    operand_ready_ = false;
  }

  /// Not saved: source_ids_, queue_depth_, blocks_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(head_, queued_, waiting_, requested_, operand_, filled_, operand_ready_);
    for (auto* blocks : {&answered_, &buffers_[0], &buffers_[1]})
      for (Block& block : *blocks)
        archive(static_cast<std::array<std::uint32_t, tile::kBlockBytes / 4>&>(block));
  }

 private:
  struct alignas(tile::kBlockBytes) Block : std::array<std::uint32_t, tile::kBlockBytes / 4> {};
  std::size_t at(std::size_t offset) const {
    const std::size_t sum = head_ + offset;
    return sum < answered_.size() ? sum : sum - answered_.size();
  }

  std::size_t source_ids_, queue_depth_, blocks_;
  std::vector<Block> answered_;  // ring: response queue, then answers that wait at the port
  std::size_t head_ = 0, queued_ = 0, waiting_ = 0;
  std::size_t requested_ = 0;  // source ids in use
  std::vector<Block> buffers_[2];  // NOLINT(modernize-use-default-member-init): of `blocks`
  unsigned operand_ = 0;  // index of the operand buffer
  std::size_t filled_ = 0;  // blocks in the fill buffer
  bool operand_ready_ = false;
};

}  // namespace spica::tensor_core
