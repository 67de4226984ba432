// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/sweep_file.h"
#include "platform/workloads/workload.h"

namespace spica::sweep {

/// True for an error in a value that no other value can correct: an unknown key, or a value outside its range.
/// Contradictions between values may disappear with other values.
bool is_certain(const config::Problem& problem);

/// Checks designs, sizes and parameters before there is a point: they must exist, fit together, and have valid values
/// on the first machine.
class PointChecks {
 public:
  explicit PointChecks(const std::filesystem::path& configs_dir) : configs_dir_(configs_dir) {}

  /// A value of all points, with its place.
  void add_fixed(const Setting& setting, const config::Place& place, const std::string& path);
  /// All values of an axis.
  void add(const Axis& axis);
  /// Reports each invalid value once. `job`: of the sweep.
  void run(const workloads::Kind& job, FileReader& file) const;

 private:
  void add(const Setting& setting, const config::Place& place, const std::string& path);
  struct Given {
    std::string value;
    config::Place place;
    std::string path;
  };
  /// True if the workload accepts the design; `config`, if still empty, receives its machine.
  bool read_design(workloads::Workload& workload, const Given& design, std::string& config,
                   FileReader& file) const;
  void check_parameters(const std::string& config, FileReader& file) const;

  const std::filesystem::path& configs_dir_;
  std::vector<Given> designs_, sizes_, configs_;
  std::vector<Given> fixed_, varied_;  // parameters as KEY=VALUE
};

}  // namespace spica::sweep
