// SPDX-License-Identifier: Apache-2.0
// The registers of a warp as shown to gdb: those of one selected lane like a RISC-V hart, the state of the SIMT
// extension, and every register of all lanes as a vector.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/isa/csr.h"
#include "platform/machine/soc/machine.h"

namespace spica::debug {

/// Register numbers that gdb and the server share.
namespace reg {
inline constexpr unsigned kPc = 32;
inline constexpr unsigned kFloat = 33;  // f0
inline constexpr unsigned kCsr = 65;  // CSR 0
inline constexpr unsigned kLane = 4200;  // group simt
inline constexpr unsigned kThreadMask = 4201;
inline constexpr unsigned kStackDepth = 4202;
inline constexpr unsigned kCluster = 4203;
inline constexpr unsigned kCore = 4204;
inline constexpr unsigned kWarp = 4205;
inline constexpr unsigned kVector = 4300;  // row 0 of the register file, all lanes
inline constexpr unsigned kFragment = 4400;  // fragment 0 of a tensor core, all its registers in all lanes
}  // namespace reg

/// The addresses that the debug information of threadIdx and the like uses, where the machine has no memory: the
/// indices and extents of a work group, each at four times its CSR number (sw/lib/kernel.ld).
inline constexpr std::uint64_t kGroupWords = 4 * isa::csr::kThreadIndex,
                               kGroupWordsEnd = 4 * isa::csr::kGroupShared;

/// The target description: the list of registers for gdb.
std::string target_description(const soc::SocParams& params);

/// The lane through which a warp is shown.
struct LaneChoice {
  static constexpr unsigned kScalarLane = ~0u;  // the lane that the warp follows: the highest active one
  unsigned chosen = kScalarLane;
  bool suspended = false;  // the chosen lane was inactive at this stop; the scalar lane replaces it

  /// The lane that steps follow; kScalarLane: they follow the warp.
  unsigned followed() const { return suspended ? kScalarLane : chosen; }
};

/// One warp shown through one lane.
class Registers {
 public:
  /// The choice is kept by the caller.
  Registers(soc::Machine& machine, unsigned core, unsigned warp, LaneChoice& choice);

  /// The lane that is shown.
  unsigned lane() const;
  /// Selects a lane, or kScalarLane. False if there is no such lane.
  bool choose_lane(unsigned lane);

  /// Bytes of a register, little-endian; empty if there is none.
  std::optional<std::string> read(unsigned number) const;
  /// False if there is no such register, it cannot be written, or the size is wrong.
  bool write(unsigned number, std::string_view bytes);
  /// Integer registers, pc and floating-point registers, in the order of their numbers.
  std::string read_general() const;
  bool write_general(std::string_view bytes);
  /// Words from kGroupWords to kGroupWordsEnd; "" elsewhere.
  std::string read_group_words(std::uint64_t address, std::uint64_t bytes) const;

 private:
  /// The words of a fragment; nullptr: the number is not a fragment.
  std::uint32_t* fragment(unsigned number) const;

  soc::Machine& machine_;
  unsigned core_, warp_;
  LaneChoice& choice_;
  soc::WarpView view_;
};

}  // namespace spica::debug
