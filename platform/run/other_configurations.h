// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/protocol/address_map.h"
#include "models/protocol/fault_if.h"
#include "platform/loader/memory_range.h"
#include "platform/loader/program.h"
#include "platform/soc/soc_params.h"

namespace spica::run {

/// What the shipped configurations have where this machine has something else or nothing. A program built
/// for one of them fails here in ways that do not name the cause; these notes do.
class OtherConfigurations {
 public:
  /// Reads every configuration of `configs_dir`; one with mistakes in it is left out.
  explicit OtherConfigurations(const std::filesystem::path& configs_dir);

  /// A note on a fault at an address or at an instruction that other configurations have; ends with a newline.
  /// Empty for all other faults.
  std::string on_fault(const protocol::GuestFault& fault, const protocol::AddressMap& map) const;

  /// Notes on stores that ended in plain memory where other configurations have registers or console
  /// windows. `filled`: memory that was filled before the run.
  using Read = std::function<bool(std::uint64_t address, unsigned char* to, std::uint64_t bytes)>;
  std::string on_stores(const protocol::AddressMap& map, const Read& read,
                        const std::vector<loader::MemoryRange>& filled) const;

  /// A note when the code names the register page of a matrix unit of other configurations and none of this
  /// machine's: its commands would end in shared memory, say, without anybody noticing.
  std::string on_code(const loader::Program& program, const protocol::AddressMap& map) const;

  /// A note on configurations with other numbers of cores or warps, for a program that hangs.
  std::string on_hang(const soc::SocParams& params) const;

 private:
  struct Configuration {
    std::string name;
    soc::SocParams params;
    protocol::AddressMap map;
  };
  std::vector<Configuration> all_;
};

}  // namespace spica::run
