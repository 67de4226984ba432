// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/operands.h"

namespace spica::concurrent {

/// A matrix product C[m x n] = A[m x k] * B[k x n] as lists of products name it: M_N_K_T1T2, "64_128_256_00". T1 is 1
/// where A, T2 where B is stored the other way round than the kernels of gemm_tile read it in one piece: A row by row,
/// B column by column.
struct ProductName {
  workloads::GemmSize size;
  bool transposed_a = false, transposed_b = false;

  /// "4k" is 4096. Without T1T2 it is 00. Throws UserError.
  static ProductName parse(const std::string& text);
  std::string text() const;
};

/// Several with commas between them.
std::vector<ProductName> parse_products(const std::string& text);

/// The tile of a kernel that says it in its name: gemm_64x32x16, gemm_64x32x16_p. Throws UserError for others.
workloads::GemmSize tile_of(const std::string& kernel);

}  // namespace spica::concurrent
