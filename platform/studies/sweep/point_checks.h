// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/sweep_file.h"
#include "platform/workloads/workload.h"

namespace spica::sweep {

/// An error in a value that was set, whatever the others are. Values that contradict each other may be fixed by others;
/// one that is out of its range, or a key that is not there, may not.
bool is_certain(const config::Problem& problem);

/// What can be checked of designs, sizes and parameters before there is a point: that they exist, go together, and have
/// values in their range on the first machine.
class PointChecks {
 public:
  explicit PointChecks(const std::filesystem::path& configs_dir) : configs_dir_(configs_dir) {}

  /// A value of all points, and its place.
  void add_fixed(const Setting& setting, const config::Place& place, const std::string& path);
  /// All values of an axis.
  void add(const Axis& axis);
  /// Reports what is wrong, each value once. `job`: of the sweep.
  void run(const workloads::Kind& job, FileReader& file) const;

 private:
  void add(const Setting& setting, const config::Place& place, const std::string& path);
  struct Given {
    std::string value;
    config::Place place;
    std::string path;
  };
  /// Whether the workload can have the design; `config`, if there is none yet: that of its machine.
  bool read_design(workloads::Workload& workload, const Given& design, std::string& config,
                   FileReader& file) const;
  void check_parameters(const std::string& config, FileReader& file) const;

  const std::filesystem::path& configs_dir_;
  std::vector<Given> designs_, sizes_, configs_;
  std::vector<Given> fixed_, varied_;  // parameters: KEY=VALUE
};

}  // namespace spica::sweep
