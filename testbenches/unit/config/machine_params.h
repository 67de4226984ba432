// SPDX-License-Identifier: Apache-2.0
// A parameter struct with every kind of field, and a folder of configuration files that lives as
// long as a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/config.h"
#include "testbenches/support/temporary_folder.h"

namespace spica::config_test {

enum class Policy : std::uint8_t { kOldest, kRoundRobin };
inline constexpr base::Choices kPolicyChoices{base::Choice<Policy>{"oldest", Policy::kOldest},
                                              base::Choice<Policy>{"round_robin", Policy::kRoundRobin}};

struct UnitParams {
  std::uint32_t dim = 8;
  std::uint64_t tile = 64;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("dim", p.dim, "elements", base::Range{1, 64, base::kPow2}, "rows and columns", "table 1");
    field("tile", p.tile, "rows", base::Range{1, 1024}, "rows of a tile");
  }
  static constexpr std::string_view kProgramChoices[] = {"tile"};
  template <class Report>
  static void check(const UnitParams& p, Report&& contradiction) {
    if (p.tile % p.dim != 0) contradiction({"tile", "dim"}, "tile must be a multiple of dim");
  }
};

struct CoreParams {
  unsigned warps = 8;
  std::uint64_t lanes = 8;
  Policy policy = Policy::kOldest;
  bool merge = false;

  static constexpr std::string_view kProgrammingModel[] = {"warps", "lanes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("warps", p.warps, "warps", base::Range{1, 32}, "warps of a core");
    field("lanes", p.lanes, "lanes", base::Range{1, 32}, "lanes of a warp");
    field("policy", p.policy, kPolicyChoices, "who issues", "section 2");
    field("merge", p.merge, "merge equal addresses");
  }
};

/// Every kind of number.
struct NumberParams {
  std::uint64_t latency = 4, entries = 8, granularity = 64, base = 0x1000;
  double delay_ns = 10, clock_mhz = 400;

  static constexpr std::string_view kPolicies[] = {"granularity"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("latency", p.latency, "cycles", base::Range{1, 64}, "of an access");
    field("entries", p.entries, "requests", base::Range{1, 64}, "of a queue");
    field("granularity", p.granularity, "B", base::Range{1, 4096}, "of something");
    field("base", p.base, "address", base::Range{0, 1e9}, "where it is");
    field("delay_ns", p.delay_ns, "ns", base::Range{0, 1000}, "of a device");
    field("clock_mhz", p.clock_mhz, "MHz", base::Range{1, 5000}, "of it");
  }
};

struct MachineParams {
  std::uint64_t cores = 2;
  std::uint64_t memory = 65536;
  std::uint64_t base = 0x8000'0000;
  double clock = 400;
  std::string title = "a machine";
  CoreParams core;
  std::vector<UnitParams> units = std::vector<UnitParams>(1);

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("cores", p.cores, "cores", base::Range{1, 32}, "number of cores", "table 2");
    field("memory", p.memory, "B", base::Range{1024, 1024.0 * 1024 * 1024, base::kPow2}, "size of memory");
    field("base", p.base, "address", base::Range{0, 0xffff'ffff}, "first address");
    field("clock", p.clock, "MHz", base::Range{0.5, 5000}, "clock frequency");
    field("title", p.title, "shown in reports");
    field.group("core", p.core, "one core | or more");
    field.list("units", p.units, "one entry per unit");
  }
  template <class Report>
  static void check(const MachineParams& p, Report&& contradiction) {
    if (p.cores * p.core.warps > 64)
      contradiction({"cores", "core.warps"}, "more than 64 warps in the machine");
    for (std::size_t i = 0; i < p.units.size(); ++i)
      if (p.units[i].dim > p.core.lanes * 2)
        contradiction({"units." + std::to_string(i) + ".dim", "core.lanes"}, "unit wider than 2 warps");
  }
};

/// A fresh folder with a configs/ folder inside; removed at the end.
class ConfigFolder {
 public:
  ConfigFolder() { std::filesystem::create_directories(configs()); }

  std::filesystem::path configs() const { return folder_.root() / "configs"; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((configs() / name).parent_path());
    std::ofstream(configs() / name) << text;
    return configs() / name;
  }

  /// Parameters of configs/m.yaml with these contents.
  MachineParams read(std::string_view text, const std::vector<std::string>& overrides = {}) const {
    write("m.yaml", text);
    MachineParams params;
    config::apply(config::load("m", overrides, configs()), params);
    return params;
  }

  /// The text of all problems of configs/m.yaml with these contents; empty when there are none.
  std::string problems(std::string_view text, const std::vector<std::string>& overrides = {}) const {
    try {
      read(text, overrides);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return {};
  }

 private:
  testbench::TemporaryFolder folder_;
};

}  // namespace spica::config_test
