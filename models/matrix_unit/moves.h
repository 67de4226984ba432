// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/matrix_unit/commands.h"
#include "models/protocol/payload/dma_command.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"

namespace spica::matrix_unit {

/// A command to the DMA: without data; the move is in the extension.
class MovePayload final : public protocol::DmaCommandPayload {
 public:
  explicit MovePayload(tlm::tlm_mm_interface* pool) : DmaCommandPayload(pool) {
    set_command(tlm::TLM_IGNORE_COMMAND);
  }
  void setup(const UnitCommand& command) {
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    set_address(command.move.global_address);
    info.origin = command.origin;
    set_move(command.move);
  }
};

using MovePool = protocol::PayloadPool<MovePayload>;

/// The loads and stores of a unit in progress at its DMA.
class Moves {
 public:
  /// Sends at most `stores` stores at a time.
  Moves(protocol::InitiatorPort& dma, std::uint64_t stores) : dma_(dma), most_stores_(stores) {}

  bool can_load() const { return dma_.ready(); }
  bool can_store() const { return dma_.ready() && stores_ < most_stores_; }
  /// `number` is returned with the answer.
  void send(const UnitCommand& command, std::uint32_t number) {
    if (command.kind == UnitCommand::Kind::kStore) ++stores_;
    MovePayload& payload = pool_.take();
    payload.setup(command);
    payload.info.tag = epoch_ << 32 | number;
    dma_.send(payload);
  }

  struct Done {
    bool ours;  // false: sent before forget_all()
    bool failed;
    std::uint32_t number;
  };
  Done take(protocol::Payload& payload) {
    auto& answer = static_cast<MovePayload&>(payload);
    const std::uint64_t tag = answer.info.tag;
    const Done done{tag >> 32 == epoch_, answer.is_response_error(), static_cast<std::uint32_t>(tag)};
    if (done.ours && !answer.move.loads()) --stores_;
    pool_.drop(answer);
    return done;
  }
  unsigned stores() const { return stores_; }
  void forget_all() {
    ++epoch_;
    stores_ = 0;
    dma_.reset();
  }
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    pool_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(stores_, epoch_, pool_);
  }

 private:
  protocol::InitiatorPort& dma_;
  const std::uint64_t most_stores_;
  unsigned stores_ = 0;  // stores in progress
  std::uint64_t epoch_ = 0;
  MovePool pool_;
};

}  // namespace spica::matrix_unit
