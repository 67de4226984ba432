// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/source.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// The matrix product of a layer, C[m x n] = A[m x k] * B[k x n]. A convolution is computed by implicit GEMM: m output
/// pixels of all images, n filters, k elements of a window.
struct Layer {
  std::string name;
  std::uint32_t m = 1, n = 1, k = 1;
  std::uint64_t count = 1, batch = 1;

  static constexpr std::string_view kRequired[] = {"name", "m", "n", "k"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    constexpr base::Range kExtent{1, 9'999'999};
    field("name", p.name, "name");
    field("m", p.m, "", kExtent, "rows of A and C");
    field("n", p.n, "", kExtent, "columns of B and C");
    field("k", p.k, "", kExtent, "columns of A, rows of B");
    field("count", p.count, "products", base::Range{1, 1e9}, "occurrences in the network");
    field("batch", p.batch, "products", base::Range{1, 1e9}, "products per kernel, which share no operands");
  }

  template <class Report>
  static void check(const Layer& p, Report&& contradiction) {
    if (p.count % p.batch != 0) contradiction({"batch", "count"}, "count must be a multiple of batch");
  }
};

/// The layers of a network, a file of configs/layers.
struct LayerList {
  std::string title, source;
  unsigned order = 9999;
  std::vector<Layer> layers;

  static constexpr std::string_view kRequired[] = {"title", "source"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "network, and number of inputs at a time");
    field("source", p.source, "source of the number");
    field("order", p.order, "", base::Range{0, 9999}, "position in lists, lowest first");
    field.list("layers", p.layers, "matrix products of the network, each shape once");
  }
};

extern const config::FileKind kLayerLists;
LayerList layer_list_of(const config::Source& source);
/// Reads a list by name, or from a file. Throws ConfigError.
LayerList read_layer_list(const std::string& name, const std::filesystem::path& configs_dir);

}  // namespace spica::workloads
