// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "models/protocol/payload/move.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::protocol {

/// A Move, sent by the matrix unit's load and store controllers to the DMA as the extension of a payload with
/// TLM_IGNORE_COMMAND. The response means that the last byte has arrived (gemmini DMA.scala).
struct DmaCommand final : tlm::tlm_extension<DmaCommand>, Move {
  template <class Archive>
  void serialize(Archive& archive) {
    archive(static_cast<Move&>(*this));
  }

  tlm::tlm_extension_base* clone() const override { return new DmaCommand(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DmaCommand&>(other);
  }
};

/// A payload that carries a DmaCommand.
class DmaCommandPayload : public PooledPayload {
 public:
  explicit DmaCommandPayload(tlm::tlm_mm_interface* pool) : PooledPayload(pool) { set_extension(&move); }
  ~DmaCommandPayload() override { clear_extension(&move); }

  template <class Archive>
  void serialize(Archive& archive) {
    serialize_request(archive);
    archive(move);
  }
  void set_move(const Move& to) { static_cast<Move&>(move) = to; }

  DmaCommand move;
};

}  // namespace spica::protocol
