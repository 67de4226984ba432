// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/protocol/host_queues/concurrency_model.h"
#include "platform/base/json/value.h"
#include "platform/workloads/concurrent/product_name.h"

namespace spica::concurrent {

/// The tuning results for a matrix product. Arrays are indexed by degree, 1, 2, 4, 8 and 16 products at once.
struct TunedProduct {
  ProductName name;
  std::array<std::string, protocol::kDegrees>
      kernels;  // the fastest ones; the first is for sequential products
  /// Time from the first launch to the last end of several products at once, per round; for one product, its time on
  /// the empty machine.
  std::array<std::uint32_t, protocol::kDegrees> cycles{};
  std::array<protocol::KernelLoad, protocol::kDegrees> loads;

  /// The index of the degree with the most products per cycle.
  unsigned best_degree() const;
  /// Products per cycle at the degree of that index, relative to sequential products; 0 if not measured.
  double speedup(unsigned degree) const;
};

/// A library of kernels for matrix products, as written by `spica tune`.
struct KernelLibrary {
  static constexpr const char* kShipped = "gemm_tile";

  std::string machine;  // the machine of the tuning
  std::vector<TunedProduct> products;

  /// Throws UserError with the names in the library.
  const TunedProduct& find(const ProductName& name) const;
  json::Value to_json() const;
};

/// Throws UserError.
KernelLibrary read_library(const std::string& path);

}  // namespace spica::concurrent
