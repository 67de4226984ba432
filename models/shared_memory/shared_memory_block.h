// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "models/base/component.h"
#include "models/protocol/ports/byte_store.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/sockets.h"
#include "models/shared_memory/shared_memory_params.h"
#include "models/shared_memory/shared_memory_stats.h"

namespace spica::shared_memory {

/// The public interface of a shared memory, independent of its number of word banks (shared_memory.h).
class SharedMemoryBlock : public base::Component, public protocol::Probed, public protocol::ByteStore {
 public:
  sc_core::sc_vector<protocol::WarpTargetSocket> core_in;  // by core
  sc_core::sc_vector<protocol::TargetSocket> wide_in;  // by wide port

  using protocol::ByteStore::data;
  virtual const unsigned char* data() const = 0;
  virtual const SharedMemoryParams& params() const = 0;
  SharedMemoryStats& stats() override = 0;
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override {
    return {{"word_banks", static_cast<double>(params().banks * params().words)}};
  }
  void architecture(base::Checkpoint& checkpoint) override;

 protected:
  SharedMemoryBlock(const sc_core::sc_module_name& name, const SharedMemoryParams& params,
                    const base::ClockDomain& clock)
      : Component(name, clock),
        core_in("core_in", params.cores),
        wide_in("wide_in", params.wide_ports.size()) {}
};

/// Creates a shared memory with `word_banks` word banks.
std::unique_ptr<SharedMemoryBlock> make_shared_memory(const sc_core::sc_module_name& name,
                                                      const SharedMemoryParams& params,
                                                      const base::ClockDomain& clock);

}  // namespace spica::shared_memory
