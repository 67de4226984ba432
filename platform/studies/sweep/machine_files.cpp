// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/machine_files.h"

#include <algorithm>
#include <regex>

#include "platform/base/config/config.h"
#include "platform/base/input/regular_file.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTable = "power.table", kAreaTable = "power.area_table",
                           kDevice = "main_memory.dram.energy", kFirmware = "command_processor.firmware",
                           kDramsys = "main_memory.dramsys.config";

/// A configuration of DRAMSys, and the files that texts in it name, which are relative to its folder.
std::vector<fs::path> dramsys_files(const fs::path& config) {
  static const std::regex text(R"re("([^"\\\n]+)")re");
  std::vector<fs::path> files;
  const auto add = [&](const fs::path& file) {
    std::error_code error;
    const fs::path canonical = fs::canonical(file, error);
    if (!error && fs::is_regular_file(canonical, error) &&
        std::find(files.begin(), files.end(), canonical) == files.end())
      files.push_back(canonical);
  };
  add(config);
  std::size_t next = 0;
  while (next < files.size()) {
    const std::string content = input::read_regular_file(files[next++].string(), 16 * input::kMiB).text();
    for (std::sregex_iterator at(content.begin(), content.end(), text), end; at != end; ++at)
      add(config.parent_path() / (*at)[1].str());
  }
  return files;
}

}  // namespace

const std::vector<MachineFile>& machine_files() {
  using Read = MachineFile::Read;
  static const std::vector<MachineFile> all{{kTable, "energy", Read::kForEnergy},
                                            {kDevice, "device_energy", Read::kForEnergy},
                                            {kAreaTable, "area_table", Read::kForArea},
                                            {kFirmware, "firmware", Read::kAlways},
                                            {kDramsys, "dramsys", Read::kAlways}};
  return all;
}

std::size_t machine_file(std::string_view key) {
  const auto& all = machine_files();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const MachineFile& one) { return one.key == key; }) -
      all.begin());
}

std::vector<fs::path> files_named(const MachineFile& parameter, const std::string& value,
                                  const workloads::Places& places) {
  if (value.empty()) return {};
  if (parameter.key == kFirmware) return {places.program(value)};
  if (parameter.key == kDramsys) return dramsys_files(value);
  const char* const folder = parameter.key == kTable    ? "power"
                             : parameter.key == kDevice ? "power/dram"
                                                        : "area";
  return config::load(value, {}, places.configs / folder).paths;
}

}  // namespace spica::sweep
