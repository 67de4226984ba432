// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/tensor_core/tensor_core_params.h"

namespace spica::base {
enum class HostCode : unsigned char;  // host_dispatch.h
}

namespace spica::tensor_core {

/// The arithmetic of one step pair: for the 16 elements of D that the step covers, C plus the dot product over two
/// register words of k. FP32 and FP16: bit for bit the order of the published unit (vortex fpu/VX_tensor_dpu.sv). Other
/// formats: the same binary tree in FP32, or in 32-bit integers. Rounds to nearest even; NaN results are 0x7FC00000.
///
/// Two rows of eight lanes each, 32-byte aligned. `a`, `b`: words 2s and 2s + 1 of the operands. `c`: the accumulator
/// rows of substeps 0 and 1, replaced by the results. The host must round to nearest even and handle subnormals.
using StepKernel = void (*)(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c);

/// The arithmetic of one register row of the decoupled unit (virgo core/TensorCoreDecoupled.scala): C plus the dot
/// product over four words of k, 32 bytes of B and 64 of A (tile_layout.h). `a`: four rows, `b`: two columns, of four
/// words each; `c`: lane l is row l % 4, column l / 4, replaced by the result. All are 32-byte aligned.
using TileKernel = void (*)(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c);

struct DotProductKernels {
  StepKernel step[4];
  TileKernel tile;
};

/// The fastest kernels of this host for `operand`.
const DotProductKernels& dot_product_kernels(Operand operand);
/// Kernels of a given version, for tests; the host must support it.
const DotProductKernels& dot_product_kernels(Operand operand, base::HostCode code);

}  // namespace spica::tensor_core
