// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/protocol/concurrency_model.h"
#include "platform/base/json/value.h"
#include "platform/workloads/concurrent/product_name.h"

namespace spica::concurrent {

/// What tuning has found for a matrix product. Arrays: by index of the degree, 1, 2, 4, 8 and 16 products at once.
struct TunedProduct {
  ProductName name;
  std::array<std::string, protocol::kDegrees>
      kernels;  // the fastest; the first one is the one for products in turn
  /// From the first launch to the last end of several at once, by round; of one, the time on the empty machine.
  std::array<std::uint32_t, protocol::kDegrees> cycles{};
  std::array<protocol::KernelLoad, protocol::kDegrees> loads;

  /// The index of the degree with most products per cycle.
  unsigned best_degree() const;
  /// Products per cycle at the degree of that index, over those one after the other; 0 where it was not measured.
  double speedup(unsigned degree) const;
};

/// Kernels for matrix products, as `spica tune` writes it.
struct KernelLibrary {
  static constexpr const char* kShipped = "gemm_tile";

  std::string machine;  // that it was tuned on
  std::vector<TunedProduct> products;

  /// Throws UserError that names those there are.
  const TunedProduct& find(const ProductName& name) const;
  json::Value to_json() const;
};

/// Throws UserError.
KernelLibrary read_library(const std::string& path);

}  // namespace spica::concurrent
