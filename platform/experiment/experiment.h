// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/experiment/energy_figures.h"

namespace spica::experiment {

/// One cell of an experiment: a matrix product, or several, on a design.
struct Cell {
  std::string design;
  std::string size;
};

/// What the Virgo paper prints about a cell.
struct Published {
  std::uint64_t cycles;
  double utilisation;
};
std::optional<Published> published(const Cell& cell);

/// Two designs of a table that are to be compared; each has one cell in it.
struct Comparison {
  std::string design, base;
};

struct Experiment {
  std::string name;
  std::string title;
  std::vector<Cell> cells;
  std::vector<Comparison> comparisons;
  bool energy = false;  // measured too
};

/// Keys of which `overrides` change a machine that something is published about: any but those that say when a run
/// ends and what is measured. Empty when the values are those of the cells' own configurations.
std::vector<std::string> unpublished_keys(const Experiment& experiment,
                                          const std::vector<std::string>& overrides,
                                          const std::filesystem::path& configs_dir);

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
  std::uint64_t instructions = 0;  // of warps, whole run
  // In the timed region, over all cores: instructions of warps; register rows read and written.
  std::uint64_t warp_instructions = 0;
  std::uint64_t register_file_accesses = 0;
  double host_seconds = 0;
  std::optional<EnergyFigures> energy;
};

/// Runs all cells in processes of their own, `jobs` at a time. Each cell's full results go to a folder below
/// `out` named design-size. `overrides` are KEY=VALUE for all cells.
std::vector<CellResult> run_experiment(const Experiment& experiment, const std::string& out, unsigned jobs,
                                       const std::vector<std::string>& overrides, bool show_progress);

}  // namespace spica::experiment
