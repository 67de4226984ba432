// SPDX-License-Identifier: Apache-2.0
// Files that parameters of a machine name: what results depend on is in them, not where they are.
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
  /// Which runs read it.
  enum class Read { kAlways, kForEnergy, kForArea };  // kForArea: also for energy
  std::string key;
  std::string_view fact;
  Read read = Read::kAlways;
  /// The file of a value of it, and those that the file includes.
  std::function<std::vector<std::filesystem::path>(const std::string& value, const workloads::Places&)> files;
};

/// All of them.
const std::vector<MachineFile>& machine_files();
/// The place of a key among them; their number: it names no file.
std::size_t machine_file(std::string_view key);

/// The file of a value of that parameter, and those that it includes. Empty: there is none, which the run says.
std::vector<std::filesystem::path> files_named(const MachineFile& parameter, const std::string& value,
                                               const workloads::Places& places);

}  // namespace spica::sweep
