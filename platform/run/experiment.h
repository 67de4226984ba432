// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/run/energy_figures.h"

namespace spica::run {

/// One cell of an experiment: a matrix product on a design.
struct Cell {
  std::string design;
  std::string size;
};

/// What is published about a cell; only values that are named as calibration targets.
struct Published {
  std::uint64_t cycles;
  double utilisation;
};
std::optional<Published> published(const Cell& cell);

struct Experiment {
  std::string name;
  std::string title;
  std::vector<Cell> cells;
  bool energy = false;  // measured too
};

/// All experiments there are, and one by its name (UserError names them all when there is none).
const std::vector<Experiment>& experiments();
const Experiment& experiment(const std::string& name);

/// Outcome of one cell. A cell that failed stays in the table, with the reason.
struct CellResult {
  Cell cell;
  bool verified = false;
  std::string error;  // empty when verified
  std::uint64_t cycles = 0;
  double utilisation = 0;
  std::uint64_t instructions = 0;
  double host_seconds = 0;
  std::optional<EnergyFigures> energy;
};

/// Runs all cells in processes of their own, `jobs` at a time. Each cell's full results go to a folder below
/// `out` named design-size. `overrides` are KEY=VALUE for all cells.
std::vector<CellResult> run_experiment(const Experiment& experiment, const std::string& out,
                                       unsigned jobs, const std::vector<std::string>& overrides,
                                       bool show_progress);

}  // namespace spica::run
