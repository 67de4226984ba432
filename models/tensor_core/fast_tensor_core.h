// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/block.h"
#include "models/protocol/ports/functional_tensor_if.h"
#include "models/tensor_core/arithmetic.h"

namespace spica::tensor_core {

/// The tensor core of the fast mode, synchronous or decoupled: its arithmetic, without timing.
class FastTensorCore final : public sc_core::sc_module,
                             public base::Block,
                             public protocol::FunctionalTensorIf {
 public:
  FastTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params)
      : sc_module(name), params_(params), arithmetic_(params) {
    in.bind(*this);
  }

  sc_core::sc_export<protocol::FunctionalTensorIf> in{"in"};

  void multiply_pair(unsigned step, std::uint32_t lanes, const protocol::TensorPair& rows) override {
    arithmetic_.multiply_pair(step, lanes, rows);
    macs_ += params_.macs_per_pair();
  }
  void multiply_tiles(const unsigned char* a, const unsigned char* b, std::uint32_t* accumulators) override {
    arithmetic_.multiply_tiles(a, b, accumulators);
    macs_ += params_.macs_per_row() * tile::kPositions;
  }
  void reset() override {}
  bool timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream&) const override {}
  std::uint64_t work_done() const override { return macs_; }

 private:
  const TensorCoreParams params_;
  const Arithmetic arithmetic_;
  std::uint64_t macs_ = 0;
};

}  // namespace spica::tensor_core
