// SPDX-License-Identifier: Apache-2.0
// The requests of the DMA: payloads, and the names that match answers to them.
#pragma once

#include <array>
#include <cstdint>

#include "models/dma/engines.h"
#include "models/protocol/payload/dma_command.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::dma {

/// An access to one accumulator row. It carries its command, which selects accumulation and rounding to the operand
/// format.
class RowPayload final : public protocol::DmaCommandPayload {
 public:
  explicit RowPayload(tlm::tlm_mm_interface* pool) : DmaCommandPayload(pool) { set_data_ptr(data.data()); }

  void setup(tlm::tlm_command command, std::uint64_t address, unsigned bytes, const protocol::Origin& origin,
             const protocol::Move& of) {
    set_command(command);
    set_address(address);
    set_data_length(bytes);
    set_streaming_width(bytes);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    info.origin = origin;
    set_move(of);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    DmaCommandPayload::serialize(archive);
    archive(data);
  }

  alignas(64) std::array<unsigned char, protocol::kMaxLineBytes> data{};
};

using RowPool = protocol::PayloadPool<RowPayload>;

/// The requests of one DMA in flight. Answers to requests sent before forget_all() are ignored.
class Requests {
 public:
  /// The engine that a request belongs to, and the engine's number for it.
  struct Name {
    Engine engine;
    unsigned number;
    std::uint32_t offset = 0;
  };

  protocol::LinePayload& line(tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                              const protocol::Origin& origin, const Name& name) {
    protocol::LinePayload& out = lines_.take();
    out.setup(command, address, bytes, origin);
    out.info.tag = tag(name);
    return out;
  }
  RowPayload& row(tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                  const protocol::Origin& origin, const protocol::Move& of, const Name& name) {
    RowPayload& out = rows_.take();
    out.setup(command, address, bytes, origin, of);
    out.info.tag = tag(name);
    return out;
  }

  bool is_ours(const protocol::PooledPayload& answer) const { return answer.info.tag >> 48 == epoch_; }
  static Name name_of(const protocol::PooledPayload& answer) {
    const std::uint64_t tag = answer.info.tag;
    return {static_cast<Engine>(tag >> 16 & 0xFF), static_cast<unsigned>(tag & 0xFFFF),
            static_cast<std::uint32_t>(tag >> 32 & 0xFFFF)};
  }
  void drop(protocol::LinePayload& answer) { lines_.drop(answer); }
  void drop(RowPayload& answer) { rows_.drop(answer); }
  void forget_all() { epoch_ = (epoch_ + 1) & 0xFFFF; }
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    lines_.add_to(checkpoint);
    rows_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch_, lines_, rows_);
  }

 private:
  std::uint64_t tag(const Name& name) const {
    return epoch_ << 48 | std::uint64_t{name.offset} << 32 |
           std::uint64_t{static_cast<unsigned>(name.engine)} << 16 | name.number;
  }

  std::uint64_t epoch_ = 0;
  protocol::LinePool lines_;
  RowPool rows_;
};

}  // namespace spica::dma
