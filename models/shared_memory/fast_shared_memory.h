// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "models/base/block.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/shared_memory/shared_memory_params.h"

namespace spica::shared_memory {

/// The shared memory of the fast mode: its bytes.
class FastSharedMemory final : public sc_core::sc_module, public base::Block {
 public:
  FastSharedMemory(const sc_core::sc_module_name& name, const SharedMemoryParams& params)
      : sc_module(name), bytes_(params.size) {
    const protocol::PointedMemory memory{params.base, params.size, bytes_.data(), &reservations_};
    const auto make = [&](std::uint64_t origin) {
      return [memory, origin](const char* port, std::size_t) {
        return new protocol::MemoryExport(port, memory, origin);
      };
    };
    core_in.init(params.cores, make(0));
    wide_in.init(params.wide_ports.size(), make(params.base));
  }

  sc_core::sc_vector<protocol::MemoryExport> core_in{"core_in"}, wide_in{"wide_in"};

  void reset() override {
    std::fill(bytes_.begin(), bytes_.end(), static_cast<unsigned char>(0));
    reservations_.clear();
  }
  void dump_state(std::ostream&) const override {}
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  std::vector<unsigned char> bytes_;
  protocol::Reservations reservations_;
};

}  // namespace spica::shared_memory
