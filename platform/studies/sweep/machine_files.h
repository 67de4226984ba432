// SPDX-License-Identifier: Apache-2.0
// Files named by parameters of a machine: results depend on their contents, not on their paths.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/workloads/workload.h"

namespace spica::sweep {

/// A parameter that names a file.
struct MachineFile {
  /// The runs that read it.
  enum class Read { kAlways, kForEnergy, kForArea };  // kForArea: also for energy
  std::string key;
  std::string_view fact;
  Read read = Read::kAlways;
  /// The file for a value of the parameter, and the files it includes.
  std::function<std::vector<std::filesystem::path>(const std::string& value, const workloads::Places&)> files;
};

/// All such parameters.
const std::vector<MachineFile>& machine_files();
/// The index of a key among them; their number: the key names no file.
std::size_t machine_file(std::string_view key);

/// The file for a value of that parameter, and the files it includes. Empty: missing, which the run reports.
std::vector<std::filesystem::path> files_named(const MachineFile& parameter, const std::string& value,
                                               const workloads::Places& places);

}  // namespace spica::sweep
