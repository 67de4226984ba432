// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The meaning of a command word written to CSR 0xACC.
struct Expansion {
  bool known = false;    // false: no such opcode in this command set
  bool counted = false;  // counts as a running loop (hexadecile only)
  unsigned count = 0;
  std::array<RoccCommand, 4> commands{};

  void add(unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
    commands[count++] = {function, rs1, rs2, {}};
  }
};

/// The microcode behind CSR 0xACC: one word becomes up to four RoCC commands on the configured tile (virgo
/// tile/GemminiTile.scala). Quarters and sixteenths of shared memory are counted in rows of DIM elements.
class CiscExpander {
 public:
  explicit CiscExpander(const MatrixUnitParams& params);

  /// The unit number in `word` (bits 7:5) must be cleared.
  Expansion expand(std::uint32_t word) const;

 private:
  void expand_quartile(std::uint32_t word, Expansion& out) const;
  void expand_hexadecile(std::uint32_t word, Expansion& out) const;
  void tile(Expansion& out) const;
  void loop(Expansion& out, std::uint32_t a_row, std::uint32_t b_end, std::uint32_t skips,
            bool accumulate = false, std::uint32_t c_row = 0) const;
  void configure(Expansion& out) const;

  const CommandSet set_;
  const std::uint32_t dim_, blocks_m_, blocks_n_, blocks_k_;
  const std::uint32_t quarter_, sixteenth_;  // rows
  const std::uint32_t one_, row_bytes_;  // the value 1 in operand format
};

}  // namespace spica::matrix_unit
