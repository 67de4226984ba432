// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/protocol/functional_tensor_if.h"
#include "models/tensor_core/dot_product.h"
#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

/// The tensor core of the fast mode, of either style: its arithmetic, at once.
class FastTensorCore final : public sc_core::sc_module, public protocol::FunctionalTensorIf {
 public:
  FastTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params)
      : sc_module(name), params_(params), kernels_(dot_product_kernels(params.operand)) {
    in.bind(*this);
  }

  sc_core::sc_export<protocol::FunctionalTensorIf> in{"in"};

  bool synchronous() const override { return params_.synchronous(); }
  void multiply_step(unsigned step, const std::uint32_t* a0, const std::uint32_t* a1, const std::uint32_t* b0,
                     const std::uint32_t* b1, std::uint32_t* c0, std::uint32_t* c1) override {
    kernels_.step[step](a0, a1, b0, b1, c0, c1);
    macs_ += params_.macs_per_pair();
  }
  void multiply_tiles(const unsigned char* a, const unsigned char* b, std::uint32_t* accumulators) override;
  std::uint64_t macs() const { return macs_; }

 private:
  const TensorCoreParams params_;
  const DotProductKernels& kernels_;
  std::uint64_t macs_ = 0;
};

}  // namespace spica::tensor_core
