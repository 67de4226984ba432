// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/config/config.h"
#include "platform/base/config/expression.h"
#include "platform/workloads/workload.h"

namespace spica::sweep {

/// The columns for scaled or extrapolated energies of a point, and for the files of their tables.
inline constexpr const char *kEnergyNotes = "energy_notes", *kEnergyTable = "energy_table";
/// The columns for the timed part of a run (workloads::window_text), its cycles before the first load, and the amount
/// of work.
inline constexpr const char *kWindow = "window", *kLead = "lead_cycles", *kMultiplyAdds = "multiply_adds";
/// Suffixes of an energy's name for the ends of its interval.
inline constexpr const char *kLow = "_low", *kHigh = "_high";

/// Prefix of the key for an argument of a user's program: followed by the axis's name or, for a named argument
/// ("args.n" in a file), by its name and "=".
inline constexpr const char* kArgument = "argument/";

/// What a setting sets: an option of the workload, a parameter of the machine, or a group of them, whose value is the
/// name of a block file; or something of the machine whose value is YAML, as that of --set.
enum class Target : std::uint8_t { kOption, kParameter, kGroup, kYaml };
/// One thing that a point sets: an option of its workload ("design") or something of the machine ("cluster.cores").
struct Setting {
  std::string key;
  std::string value;
  Target target = Target::kOption;

  bool of_machine() const { return target != Target::kOption; }
};

/// One value of an axis.
struct AxisValue {
  std::string label;  // in tables
  std::vector<Setting> settings;  // several if values change together
  std::size_t line = 0;  // in the file of the axis; 0: where the axis begins
  std::uint64_t count = 0;  // for a layer, its count in the network; 0: not a layer
};

/// An axis of the sweep, with its values.
struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  std::vector<std::string> keys;  // keys of its settings
  bool zipped = false;  // labels are not values of the key
  std::vector<std::string> layers;  // the layer lists of its values; empty: other values
  bool cut = false;  // some layers are computed only in part
  std::vector<std::string> usual;  // labels of the default values in a table; empty: all
  config::Place place;
};

/// A point outside the grid: a value for each axis; without a value: unchanged.
struct NamedPoint {
  std::string name;
  std::vector<AxisValue> values;  // by axis
};

enum class SampleKind : std::uint8_t { kAll, kRandom, kLatinHypercube, kSobol };
struct Sampling {
  SampleKind kind = SampleKind::kAll;
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
};

struct Objective {
  std::string column;
  bool maximise = false;
};

/// A result calculated from others.
struct Column {
  std::string name;
  config::Expression value;
};

/// Two designs of a sweep to be compared; each has one point per size.
struct DesignPair {
  std::string design, base;  // names as in the file
};

struct Limits {
  std::uint64_t cycles = 0;  // run.max_cycles; 0: as in the configuration
  double seconds = 0;  // wall time; 0: no limit
  std::uint64_t memory_mib = 0;  // address space; 0: no limit
};

struct SlurmOptions {
  std::string partition, time = "60m";
  unsigned cpus = 1;
  std::vector<std::string> options;  // for sbatch
};

/// The contents of a sweep file (configs/sweeps).
struct Sweep {
  std::string name, title;
  unsigned order = 9999;
  const workloads::Kind* job = &workloads::kind("gemm");
  std::vector<Axis> axes;
  std::vector<config::Expression> only;
  std::vector<Setting> fixed;  // options and parameters of all points, including `config` and `limits`
  std::vector<std::string> loads;  // for the job `run`
  std::vector<NamedPoint> also;
  Sampling sample;
  unsigned repeats = 1;  // runs per point, each with its own operands
  std::map<std::string, std::string> baseline;  // label by axis
  std::vector<std::string> keep;  // columns; empty: all. Columns that limit comparisons are added
  std::vector<Column> columns;  // calculated columns of tables
  std::vector<std::string> summary;  // axes; tables have means and maxima for each of their combinations
  std::optional<std::vector<std::string>>
      work;  // axes that change the computed work; empty: determined by work_axes()
  std::vector<Objective> objectives;
  std::vector<config::Expression> constraints;
  std::vector<DesignPair> comparisons;
  bool sensitivity = false;  // for the comparisons
  Limits limits;
  SlurmOptions slurm;

  std::filesystem::path file;
  std::string text;  // contents of the file

  const Axis* axis(const std::string& name) const;
  std::vector<std::string> axis_names() const;
  /// The fixed value of an option for all points; "": none.
  std::string fixed_value(const std::string& key) const;
};

extern const config::FileKind kSweeps;
/// The maximum number of values of an axis, and of points of a grid that can be enumerated.
inline constexpr std::uint64_t kMostValues = 1'000'000, kMostPoints = 20'000'000;

/// Reads a sweep by name, or from a file. Throws ConfigError with all errors that can be found without its machines.
Sweep read_sweep(const std::string& name, const std::filesystem::path& configs_dir);
/// The same from a file that is already loaded.
Sweep sweep_of(const config::Source& source, const std::filesystem::path& configs_dir);

}  // namespace spica::sweep
