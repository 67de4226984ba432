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

/// The column with what is scaled or extrapolated in a point's energies, and the one with their files.
inline constexpr const char *kEnergyNotes = "energy_notes", *kEnergyTable = "energy_table";
/// The columns with the part of a run that was timed (workloads::window_text), with its cycles before the first load,
/// and with the amount of work.
inline constexpr const char *kWindow = "window", *kLead = "lead_cycles", *kMultiplyAdds = "multiply_adds";
/// Ends of the interval that an energy is, behind its name.
inline constexpr const char *kLow = "_low", *kHigh = "_high";

/// The key of an argument of a user's program is this, and the axis's name; or, of one the program names ("args.n" in a
/// file), this, its name and "=".
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
  std::vector<Setting> settings;  // several where values move together
  std::size_t line = 0;  // in the file of the axis; 0: where that begins
  std::uint64_t count = 0;  // of a layer: how often the network has it; 0: not a layer
};

/// A column of the sweep and the values it goes through.
struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  std::vector<std::string> keys;  // of its settings
  bool zipped = false;  // labels are not values of the key
  std::vector<std::string> layers;  // the layer lists that its values are of; none: others
  bool cut = false;  // of some layers only a part is computed
  std::vector<std::string> usual;  // labels of the values that a table has by default; none: all
  config::Place place;
};

/// Points outside of the grid: a value for each axis; no value: it is not changed there.
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

/// A result that is calculated from others.
struct Column {
  std::string name;
  config::Expression value;
};

/// Two designs of a sweep that are compared; each has one point at a size.
struct DesignPair {
  std::string design, base;  // names as in the file
};

struct Limits {
  std::uint64_t cycles = 0;  // run.max_cycles; 0: that of the configuration
  double seconds = 0;  // of wall time; 0: none
  std::uint64_t memory_mib = 0;  // of address space; 0: none
};

struct SlurmOptions {
  std::string partition, time = "60m";
  unsigned cpus = 1;
  std::vector<std::string> options;  // of sbatch
};

/// A sweep as its file says (configs/sweeps).
struct Sweep {
  std::string name, title;
  unsigned order = 9999;
  const workloads::Kind* job = &workloads::kind("gemm");
  std::vector<Axis> axes;
  std::vector<config::Expression> only;
  std::vector<Setting>
      fixed;  // options and parameters of all points, those of `config` and `limits` among them
  std::vector<std::string> loads;  // of the job `run`
  std::vector<NamedPoint> also;
  Sampling sample;
  unsigned repeats = 1;  // runs per point, with operands of their own
  std::map<std::string, std::string> baseline;  // label by axis
  std::vector<std::string> keep;  // columns; empty: all. What limits a comparison of them is added
  std::vector<Column> columns;  // of tables, calculated
  std::vector<std::string> summary;  // axes: tables have means and maxima for each of their combinations
  std::optional<std::vector<std::string>>
      work;  // axes that change what is computed; nothing: work_axes() knows
  std::vector<Objective> objectives;
  std::vector<config::Expression> constraints;
  std::vector<DesignPair> comparisons;
  bool sensitivity = false;  // of the comparisons
  Limits limits;
  SlurmOptions slurm;

  std::filesystem::path file;
  std::string text;  // of the file

  const Axis* axis(const std::string& name) const;
  std::vector<std::string> axis_names() const;
  /// What all points have for an option; "": nothing.
  std::string fixed_value(const std::string& key) const;
};

extern const config::FileKind kSweeps;
/// The largest number of values of an axis, and of points of a grid that is gone through one by one.
inline constexpr std::uint64_t kMostValues = 1'000'000, kMostPoints = 20'000'000;

/// The sweep of a name or file. Throws ConfigError with all that is wrong with it that can be known without its
/// machines.
Sweep read_sweep(const std::string& name, const std::filesystem::path& configs_dir);
/// The same from a file that was loaded already.
Sweep sweep_of(const config::Source& source, const std::filesystem::path& configs_dir);

}  // namespace spica::sweep
