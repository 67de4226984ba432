// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/invariant.h"
#include "models/dma/load_engine.h"
#include "models/dma/store_engine.h"

namespace spica::dma {

enum class Engine : unsigned { kLoad, kGlobalStore, kSharedStore };

/// The DMA's handling of commands, independent of time and shared by both modes: the requests of a command, the
/// destination of each byte, completion and errors.
struct Engines {
  explicit Engines(const DmaParams& params)
      : loads(params), global_store(params, true), shared_store(params, false) {}

  LoadEngine loads;
  StoreEngine global_store, shared_store;

  /// Puts a command into the queue of its engine; false when that is full. `move` must stay valid until the command
  /// completes; `handle` is then returned. Requests carry `issuer`, with unit kDma.
  bool push(const protocol::Move& move, void* handle, const protocol::Origin& issuer) {
    SPICA_INVARIANT(move.rows != 0 && move.blocks != 0 && move.block_bytes != 0);
    protocol::Origin origin = issuer;
    origin.unit = protocol::Origin::Unit::kDma;
    if (move.loads()) return loads.can_push() && (loads.push(move, handle, origin), true);
    StoreEngine& engine =
        store(move.kind == protocol::Move::Kind::kAccumulatorToGlobal ? Engine::kGlobalStore
                                                                      : Engine::kSharedStore);
    return engine.can_push() && (engine.push(move, handle, origin), true);
  }
  StoreEngine& store(Engine engine) { return engine == Engine::kGlobalStore ? global_store : shared_store; }

  bool stores_idle() const { return global_store.idle() && shared_store.idle(); }
  bool idle() const { return loads.idle() && stores_idle(); }
  void reset() {
    loads.reset();
    global_store.reset();
    shared_store.reset();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(loads, global_store, shared_store);
  }
  void dump(std::ostream& out) const {
    loads.dump(out);
    global_store.dump(out);
    shared_store.dump(out);
  }
};

}  // namespace spica::dma
