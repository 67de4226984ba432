// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/operands.h"

namespace spica::concurrent {

/// A matrix product C[m x n] = A[m x k] * B[k x n] in a list of products: M_N_K_T1T2, such as "64_128_256_00". T1 is 1
/// if A is stored row by row, T2 if B is stored column by column, the layouts that the kernels of gemm_tile do not read
/// contiguously.
struct ProductName {
  workloads::GemmSize size;
  bool transposed_a = false, transposed_b = false;

  /// "4k" is 4096. Default of T1T2: 00. Throws UserError.
  static ProductName parse(const std::string& text);
  std::string text() const;
};

/// Parses several names separated by commas.
std::vector<ProductName> parse_products(const std::string& text);

/// The tile in a kernel's name: gemm_64x32x16. Throws UserError for other names.
workloads::GemmSize tile_of(const std::string& kernel);

}  // namespace spica::concurrent
