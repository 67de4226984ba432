// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/machine_files.h"

#include <algorithm>

#include "platform/base/config/config.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/text/pattern.h"
#include "platform/machine/soc/key_of.h"

namespace spica::sweep {

namespace fs = std::filesystem;

namespace {

/// A configuration of DRAMSys, and the files that texts in it name, which are relative to its folder.
std::vector<fs::path> dramsys_files(const fs::path& config) {
  static const text::Pattern quoted(R"re("([^"\\\n]+)")re");
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
    for (const text::Pattern::Groups& found : quoted.search_all(content))
      add(config.parent_path() / found[1]);
  }
  return files;
}

/// A table: a file of values in a folder of the configurations, or elsewhere.
auto table_in(const char* folder) {
  return [folder](const std::string& value, const workloads::Places& places) {
    return config::load(value, {}, places.configs / folder).paths;
  };
}

std::vector<MachineFile> make_machine_files() {
  using Read = MachineFile::Read;
  const soc::SocParams p;
  return {{key_of(p, p.power.table), "energy", Read::kForEnergy, table_in("power")},
          {key_of(p, p.main_memory.dram.energy), "device_energy", Read::kForEnergy, table_in("power/dram")},
          {key_of(p, p.power.area_table), "area_table", Read::kForArea, table_in("area")},
          {key_of(p, p.command_processor.firmware), "firmware", Read::kAlways,
           [](const std::string& value, const workloads::Places& places) {
             return std::vector<fs::path>{places.program(value)};
           }},
          {key_of(p, p.main_memory.dramsys.config), "dramsys", Read::kAlways,
           [](const std::string& value, const workloads::Places&) { return dramsys_files(value); }}};
}

}  // namespace

const std::vector<MachineFile>& machine_files() {
  static const std::vector<MachineFile> all = make_machine_files();
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
  return value.empty() ? std::vector<fs::path>() : parameter.files(value, places);
}

}  // namespace spica::sweep
