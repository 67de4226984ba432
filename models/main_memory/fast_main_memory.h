// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/block.h"
#include "models/main_memory/main_memory_params.h"
#include "models/main_memory/storage.h"
#include "models/protocol/transport/pointer_ports.h"

namespace spica::main_memory {

/// The main memory of the fast mode: its bytes.
class FastMainMemory final : public sc_core::sc_module, public base::Block {
 public:
  FastMainMemory(const sc_core::sc_module_name& name, const Params& params)
      : sc_module(name), storage_(params.base, params.size) {
    in.memory = {params.base, params.size, storage_.at(params.base), &reservations_};
  }

  protocol::MemoryExport in{"in"};

  /// Keeps the bytes, like DRAM.
  void reset() override { reservations_.clear(); }
  void dump_state(std::ostream&) const override {}
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  Storage storage_;
  protocol::Reservations reservations_;
};

}  // namespace spica::main_memory
