// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/guest_fault.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/watchdog/diagnosis.h"

namespace spica::job {

/// Compares this machine with the shipped configurations. A program built for another one fails in ways that do not
/// show the cause; these notes name it.
class OtherConfigurations {
 public:
  /// Uses the configurations of `configs_dir` without errors. They are read at the first query, which takes longer than
  /// the start of a run.
  explicit OtherConfigurations(const std::filesystem::path& configs_dir) : configs_dir_(configs_dir) {}

  /// A note on a fault at an address or an instruction that other configurations have; ends with a newline. Empty for
  /// all other faults.
  std::string on_fault(const protocol::GuestFault& fault, const protocol::AddressMap& map) const;

  /// Notes on memory contents that a program for another configuration typically leaves: a matrix-unit command where
  /// others have the instruction register, or text where they have a console while this machine's console received none
  /// (`printed`). Other contents prove nothing. `own`: memory reserved by the program.
  using Read = std::function<bool(std::uint64_t address, unsigned char* to, std::uint64_t bytes)>;
  std::string on_stores(const protocol::AddressMap& map, const Read& read,
                        const std::vector<loader::MemoryRange>& own, bool printed) const;

  /// A note on configurations with the machine shape that the barriers of a hanging program need.
  std::string on_hang(const soc::SocParams& params, const watchdog::AskedShape& asked) const;

 private:
  struct Configuration {
    std::string name;
    soc::SocParams params;
    protocol::AddressMap map;
  };
  const std::vector<Configuration>& all() const;

  std::filesystem::path configs_dir_;
  mutable std::optional<std::vector<Configuration>> all_;
};

}  // namespace spica::job
