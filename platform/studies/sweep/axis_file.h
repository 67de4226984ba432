// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// The context in which the values of an axis are read.
struct AxisContext {
  const workloads::Kind& job;
  const std::filesystem::path& configs_dir;
  std::filesystem::path folder;  // folder of the file with the axis
};

/// An axis of a sweep file. Its name is a key, with a list of values:
///   design: [tc-dma, virgo-dma]
/// or it has a key and values, listed or as a range of values:
///   cores: {key: cluster.cores, values: [1, 2, 4]}
///   fma: {key: cluster.core.fma_latency, range: 2..8, step: 2}
///   l2: {key: l2.size_bytes, log2: 65536..1048576}
/// or several keys whose values change together:
///   unit: {zip: {cluster.matrix_units.0.dim: [4, 8], cluster.shared_memory.banks: [2, 4]}, labels: [4x4, 8x8]}
/// or the matrix products of a network's layers (configs/layers); most_rows limits the rows of C, most_columns its
/// columns, and most_elements the product of both, by way of the rows:
///   layer: {layers: bert-large, most_rows: 256}
/// or the next argument in a user program's argument block:
///   warps: {argument: [1, 2, 4]}
/// or a named argument:
///   n: {key: args.n, values: [16, 32]}
/// Empty after an error.
std::optional<Axis> read_axis(const config::Node& node, const std::string& name, const AxisContext& context,
                              FileReader& file);

/// Replaces a file name in an option, or a loaded file, by its path in the folder of the sweep file, if it exists
/// there.
Setting beside(const workloads::Kind& job, Setting setting, const std::filesystem::path& folder);

}  // namespace spica::sweep
