// SPDX-License-Identifier: Apache-2.0
// The bandwidth that a matrix product needs at each memory level of a GPU: a table from formulas, without simulation
// (lee section 5.1).
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/studies/experiment/gemm_traffic.h"

namespace spica::experiment {

/// The contents of the table; an empty list selects all defaults.
struct BandwidthChoice {
  std::vector<std::string> layers;  // networks of configs/layers, or names of layers
  std::vector<std::string> machines;  // of configs/gpus
  std::vector<std::string> sizes;  // tiles of a thread block: 128x128x32
  std::vector<std::string> units;  // tensor, lanes
};

/// The traffic in a simulation of a part of a layer (measured_traffic.h).
struct MeasuredTraffic {
  struct Level {
    double part = 0, formula = 0;  // bytes of the part: measured, and from the formulas
    double bytes = 0;  // of the whole layer, with the same ratio to the formula as in the part
  };
  std::string part;  // "256x256x1024"
  std::string error;  // empty: no error
  std::array<Level, 3> levels;  // by MemoryLevel
};

/// A layer on a GPU.
struct BandwidthRow {
  std::string machine, network;
  Gpu gpu;
  workloads::Layer layer;
  GemmUnit unit = GemmUnit::kTensor;
  LayerTraffic traffic;
  std::optional<MeasuredTraffic> measured;
};

/// Sorted by network and layer, machine and unit. Throws UserError with all unknown names, and ConfigError.
std::vector<BandwidthRow> required_bandwidth(const BandwidthChoice& choice,
                                             const std::filesystem::path& configs_dir);

/// One object for each row and level, with the same keys.
json::Value bandwidth_json(const std::vector<BandwidthRow>& rows);
std::string bandwidth_csv(const std::vector<BandwidthRow>& rows);

}  // namespace spica::experiment
