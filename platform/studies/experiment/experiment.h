// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/studies/experiment/energy_figures.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/record.h"
#include "platform/studies/sweep/run_fingerprints.h"
#include "platform/workloads/gemm_design.h"

namespace spica::experiment {

/// One cell of an experiment: a point of its sweep, with its names in tables.
struct Cell {
  sweep::Point point;
  /// The name of its design; for a user's program, that of its configuration; if the axis `design` sets other things,
  /// its label.
  std::string design;
  std::string product;  // name of its design
  std::string size;  // for a user's program the other labels, joined by "-"
  json::Value columns = json::Value::object();  // labels of axes that neither design nor size include
  std::string name;  // name of its folder
};

/// The size, and the labels of other axes: "64x64x64 warps=8".
std::string size_text(const Cell& cell);

/// A sweep as a table with published values next to its points; each point has a folder with its complete results.
class Experiment {
 public:
  /// The sweep of `plan` must outlive it. Throws UserError if it has several runs per point.
  Experiment(const sweep::Plan& plan, sweep::RunFingerprints& keys, std::filesystem::path configs_dir);

  const sweep::Sweep& sweep() const { return sweep_; }
  /// In the order of the points.
  const std::vector<Cell>& cells() const { return cells_; }
  /// With names of designs instead of files.
  const std::vector<sweep::DesignPair>& comparisons() const { return comparisons_; }
  bool measures_energy() const { return sweep().fixed_value("energy") == "true"; }
  bool runs_programs() const { return sweep().job->is_own; }
  /// The design of a cell's matrix product; nullptr: it runs something else.
  const workloads::GemmDesign* design(const Cell& cell) const;

  /// What is published about a cell, when it runs on the machine that was published.
  std::optional<workloads::Published> published(const Cell& cell) const;
  /// Keys by which machines differ from those that something is published about, except those that say when a run ends
  /// and what is measured.
  std::vector<std::string> unpublished_keys() const;

 private:
  Cell cell_of(const sweep::Point& point);
  std::string design_name(const std::string& given);
  /// The published values for the size of a cell.
  const workloads::Published* published_size(const Cell& cell) const;
  const std::vector<std::string>& changed_keys(const Cell& cell) const;

  const sweep::Sweep& sweep_;
  const std::filesystem::path configs_dir_;
  std::vector<Cell> cells_;
  std::vector<sweep::DesignPair> comparisons_;
  std::map<std::string, workloads::GemmDesign> designs_;  // by name
  std::map<std::string, std::string> names_;  // of designs, by what was given
  mutable std::map<std::vector<std::string>, std::vector<std::string>>
      changed_;  // by design, configuration and overrides
};

/// The outcome of one cell, judged like a run of the sweep. A failed cell stays in the table with the reason.
struct CellResult {
  Cell cell;
  sweep::Record record;
  std::uint64_t cycles = 0;
  double utilisation = 0;
  std::uint64_t instructions = 0;  // warp instructions, whole run
  // In the timed region, over all cores: warp instructions; register rows read and written.
  std::uint64_t warp_instructions = 0;
  std::uint64_t register_file_accesses = 0;
  std::string compiler;  // of the kernel
  std::string window;  // timed region, workloads::window_text(); empty: for a program without designs
  std::optional<std::uint64_t> lead_cycles;  // part of it before the first load of an operand; empty: unknown
  // In the timed region, of shared memory: bytes read and written.
  std::uint64_t shared_memory_bytes = 0;
  // In the timed region, for tensor cores with fragments in registers: register rows read and written for products.
  std::uint64_t register_rows = 0;
  // Axes that neither design nor size include, values printed by the program with the statistics of its samples, and
  // counters in `keep`.
  json::Value columns = json::Value::object();
  /// On a machine with a crossbar: network, work_groups, work_groups_at_once, channels and host_seconds of its
  /// stats.json; otherwise null.
  json::Value gpu;
  std::optional<EnergyFigures> energy;
  std::filesystem::path folder;  // of its complete results

  bool verified() const { return record.state == sweep::State::kOk; }
  const std::string& error() const { return record.reason; }  // empty if verified
};

/// Runs the points of a sweep as sweep::run_tasks() does, `jobs` at a time. All results of a cell go to a folder of its
/// name in the folder of the sweep, records to the folder `sweep` in it. Cells that have both and were right are taken
/// over. `unknown` gets RunCounts::unknown.
std::vector<CellResult> run_experiment(const sweep::OpenSweep& open, const Experiment& experiment,
                                       unsigned jobs, std::vector<std::string>& unknown);

}  // namespace spica::experiment
