// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/config.h"
#include "platform/experiment/energy_figures.h"
#include "platform/experiment/program_table.h"
#include "platform/json/value.h"
#include "platform/workloads/gemm_design.h"

namespace spica::experiment {

/// One cell of an experiment: a matrix product, or several, on a design.
struct Cell {
  std::string design;  // its name
  std::string size;
};

/// Two designs of a table that are to be compared; each has one cell in it.
struct Comparison {
  std::string design, base;

  static constexpr std::string_view kRequired[] = {"design", "base"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("design", p.design, "name of a design of the table");
    field("base", p.base, "name of the design it is divided by");
  }
};

/// A table of designs and sizes, or of runs of a program of its own, as a file says (configs/experiments).
struct Experiment {
  // Of the file, not in it.
  std::string name;  // "fused"
  std::vector<workloads::GemmDesign> designs;  // of `design_names`, in that order
  std::vector<ProgramCell> program_cells;  // with a program

  std::string title;
  unsigned order = workloads::GemmDesign::kLastOrder;
  std::vector<std::string> design_names;  // as the file has them
  std::vector<std::string> sizes;
  bool energy = false;
  std::vector<Comparison> comparisons;
  bool sensitivity = false;
  std::string program;
  std::vector<Axis> axes;
  Samples samples;

  static constexpr std::string_view kRequired[] = {"title"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "what it is, in a line");
    field("order", p.order, "", base::Range{0, workloads::GemmDesign::kLastOrder},
          "place among the others in lists, lowest first");
    field.list("designs", p.design_names, "names of designs, or paths of design files relative to this file");
    field.list("sizes", p.sizes,
               "each design computes all of them: MxNxK, for several products with + between");
    field("energy", p.energy, "whether energy is measured, too");
    field.list("comparisons", p.comparisons, "with energy: which designs are compared");
    field("sensitivity", p.sensitivity,
          "whether the results are the entries of the energy table, by how much they move the comparisons");
    field(
        "program", p.program,
        "instead of designs and sizes: a kernel of the platform that is run once for each combination of values; what "
        "it prints as \"name: number\" is a column");
    field.list("axes", p.axes, "columns that say what is run");
    field.group("samples", p.samples, "numbers that the program leaves in memory");
  }
  static void check(const Experiment& experiment, const config::Contradiction& contradiction);

  const workloads::GemmDesign& design(const std::string& design_name) const;
  /// All sizes of the first design, then those of the next.
  std::vector<Cell> cells() const;
};

/// What is published about a cell.
std::optional<workloads::Published> published(const Experiment& experiment, const Cell& cell);

/// Keys of which `overrides` change a machine that something is published about: any but those that say when a run
/// ends and what is measured. Empty when the values are those of the cells' own configurations.
std::vector<std::string> unpublished_keys(const Experiment& experiment,
                                          const std::vector<std::string>& overrides,
                                          const std::filesystem::path& configs_dir);

/// Where experiments are looked up by name.
extern const config::FileKind kExperiments;
/// The experiment of a name or file. Throws ConfigError with all that is wrong with it and with its designs.
Experiment read_experiment(const std::string& name, const std::filesystem::path& configs_dir);
/// The same from a file that was loaded already.
Experiment experiment_of(const config::Source& source, const std::filesystem::path& configs_dir);

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
  std::string compiler;  // of the kernel
  // In the timed region, of shared memory: bytes read and written.
  std::uint64_t shared_memory_bytes = 0;
  // In the timed region, of tensor cores of fragments in registers: register rows read and written for products.
  std::uint64_t register_rows = 0;
  json::Value columns = json::Value::object();  // of a program: its axes, and what it printed
  double host_seconds = 0;
  std::optional<EnergyFigures> energy;
  std::filesystem::path folder;  // of its full results
};

/// The file of a kernel of the platform, from its name.
using KernelPath = std::function<std::string(const std::string&)>;

/// Runs all cells in processes of their own, `jobs` at a time. Each cell's full results go to a folder below
/// `out` named design-size. `overrides` are KEY=VALUE for all cells.
std::vector<CellResult> run_experiment(const Experiment& experiment, const std::string& out, unsigned jobs,
                                       const std::vector<std::string>& overrides,
                                       const KernelPath& kernel_path, bool show_progress);

}  // namespace spica::experiment

namespace spica::config {

// Compiled once, in experiment_file.cpp.
extern template Field describe(experiment::Experiment& experiment, std::string_view name,
                               std::string_view doc, std::string_view source);

}  // namespace spica::config
