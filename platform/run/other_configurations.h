// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/address_map.h"
#include "models/protocol/guest_fault.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/watchdog/diagnosis.h"

namespace spica::job {

/// What the shipped configurations have where this machine has something else or nothing. A program built
/// for one of them fails here in ways that do not name the cause; these notes do.
class OtherConfigurations {
 public:
  /// The configurations of `configs_dir`; those with errors are left out. They are read at the first question,
  /// which takes longer than the start of a run.
  explicit OtherConfigurations(const std::filesystem::path& configs_dir) : configs_dir_(configs_dir) {}

  /// A note on a fault at an address or at an instruction that other configurations have; ends with a newline.
  /// Empty for all other faults.
  std::string on_fault(const protocol::GuestFault& fault, const protocol::AddressMap& map) const;

  /// Notes on what a program for another configuration leaves in memory here: a command of a matrix unit where
  /// others have its instruction register, or text where they have a console while none reached this one
  /// (`printed`). Anything else in memory is not evidence. `own`: memory that the program has for itself.
  using Read = std::function<bool(std::uint64_t address, unsigned char* to, std::uint64_t bytes)>;
  std::string on_stores(const protocol::AddressMap& map, const Read& read,
                        const std::vector<loader::MemoryRange>& own, bool printed) const;

  /// A note on configurations of the shape that the barriers of a program ask for, which hangs on this one.
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
