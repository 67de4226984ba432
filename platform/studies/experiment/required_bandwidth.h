// SPDX-License-Identifier: Apache-2.0
// The bandwidth that a matrix product asks of each level of the memory hierarchy of a GPU: a table from formulas,
// without a simulation (lee section 5.1).
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/studies/experiment/gemm_traffic.h"

namespace spica::experiment {

/// What the table is about; an empty list: all that it has by default.
struct BandwidthChoice {
  std::vector<std::string> layers;  // networks of configs/layers, or names of layers
  std::vector<std::string> machines;  // of configs/gpus
  std::vector<std::string> sizes;  // tiles of a thread block: 128x128x32
  std::vector<std::string> units;  // tensor, lanes
};

/// What was moved in a simulation of a part of a layer (measured_traffic.h).
struct MeasuredTraffic {
  struct Level {
    double part = 0, formula = 0;  // bytes of the part: measured, and by the formulas
    double bytes = 0;  // of the whole layer, as many times the formula as of the part
  };
  std::string part;  // "256x256x1024"
  std::string error;  // empty: it ended well
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

/// By network and layer, machine and unit. Throws UserError with all names that there are not, and ConfigError.
std::vector<BandwidthRow> required_bandwidth(const BandwidthChoice& choice,
                                             const std::filesystem::path& configs_dir);

/// An object for each row and level, with the same keys.
json::Value bandwidth_json(const std::vector<BandwidthRow>& rows);
std::string bandwidth_csv(const std::vector<BandwidthRow>& rows);

}  // namespace spica::experiment
