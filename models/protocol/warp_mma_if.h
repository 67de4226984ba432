// SPDX-License-Identifier: Apache-2.0
// Between a core and the tensor core inside it that works on fragments in registers (wmma32).
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/warp_access.h"

namespace spica::protocol {

enum class FragmentMatrix : std::uint8_t { kA, kB, kC };

/// How a fragment lies in memory: the accesses of a load or store of it. Each serves up to kMaxLanes words, or parts of
/// words, of up to 128 bytes together: with 16 bytes per lane those of eight lanes, with 8 bytes those of sixteen.
struct FragmentAccess {
  /// One word or part of a word.
  struct Piece {
    std::uint8_t lane, row;  // register row of the fragment, 0..7
    std::uint8_t shift;  // of its lowest bit in that register
    std::uint16_t major,
        minor;  // row and column of its first element, or the reverse where columns are contiguous
  };
  std::uint8_t bytes = 4;  // of a piece: 1, 2 or 4
  std::uint8_t lane_bytes = 4;  // that a lane accesses at once: 1, 2, 4, 8 or 16
  std::uint8_t element_bits = 32;
  std::uint16_t majors = 0, minors = 0;  // size of the matrix: rows and columns, or the reverse
  std::vector<std::array<Piece, kMaxLanes>> phases;

  /// Bytes from the first to behind the last element.
  std::uint64_t bytes_spanned(std::uint32_t stride) const {
    return (std::uint64_t{majors - 1u} * stride + minors) * element_bits / 8;
  }
  /// Address of a piece, from the address of the matrix and the distance of its rows (columns) in elements.
  std::uint32_t address(const Piece& piece, std::uint32_t base, std::uint32_t stride) const {
    return base + (piece.major * stride + piece.minor) * element_bits / 8;
  }
};

/// The meaning of wmma32, without time. Implemented by the tensor core, called by its core.
class FunctionalWarpMmaIf : public virtual sc_core::sc_interface {
 public:
  /// The tensor core has the form (isa::kMmaForms).
  virtual bool has(unsigned form) const = 0;
  /// How a fragment of a form it has lies in memory.
  virtual const FragmentAccess& access(unsigned form, FragmentMatrix matrix, bool column_major) const = 0;
  /// d = c + a * b, fragments of kMaxLanes words per register row. d may be c.
  virtual void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                        std::uint32_t* d) = 0;
};

/// The same with its time: an operation is issued in steps, one after the other, and those of several warps in turn.
class WarpMmaIf : public FunctionalWarpMmaIf {
 public:
  /// An operation of a warp: fragments by number.
  struct Operation {
    unsigned warp, form;
    unsigned c, d;
  };
  struct Step {
    bool last;
    unsigned rows_read, rows_written;  // of the register file
    unsigned operand_cycles;  // for which it takes the ways from there
    base::Cycle result;  // of the last step: when d is there
  };
  /// The next operation of a warp whose last one has issued its last step.
  virtual void begin(const Operation& operation, base::Cycle now) = 0;
  /// The first cycle in which the next step of the warp's operation can issue, as far as is known now.
  virtual base::Cycle ready(unsigned warp) const = 0;
  /// It issues, in cycle ready() or later.
  virtual Step issue(unsigned warp, base::Cycle now) = 0;
};

}  // namespace spica::protocol
