// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::protocol {

/// The requester: core or unit, warp, lanes and instruction. Observers, fault reports and checkers read it; timing
/// never depends on it.
struct Origin {
  enum class Unit : std::uint8_t { kNone, kCore, kMatrixUnit, kDma, kTensorCore, kHost, kCommandProcessor };
  Unit unit = Unit::kNone;
  std::uint8_t warp = 0;
  std::uint16_t core = 0;  // core number, or number of the unit
  std::uint32_t pc = 0;  // of the instruction, cores only
  std::uint32_t lanes = 0;  // lanes that take part, cores only
  std::uint32_t command = 0;  // commands to a matrix unit: the command's number in that unit, from 1
};

}  // namespace spica::protocol
