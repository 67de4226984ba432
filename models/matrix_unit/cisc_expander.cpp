// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/cisc_expander.h"

#include "models/numeric/convert.h"

namespace spica::matrix_unit {

CiscExpander::CiscExpander(const MatrixUnitParams& p)
    : set_(p.command_set),
      dim_(static_cast<std::uint32_t>(p.dim)),
      blocks_m_(static_cast<std::uint32_t>(p.tile_m / p.dim)),
      blocks_n_(static_cast<std::uint32_t>(p.tile_n / p.dim)),
      blocks_k_(static_cast<std::uint32_t>(p.tile_k / p.dim)),
      // v1 uses the size of a tile as a quarter; both agree in every published configuration.
      quarter_(p.command_set == CommandSet::kQuartileV1 ? blocks_m_ * blocks_k_ * dim_ : p.shared_rows() / 4),
      sixteenth_(p.shared_rows() / 16),
      one_(numeric::nearest(p.operand, 1)),
      row_bytes_(p.row_bytes()) {}

Expansion CiscExpander::expand(std::uint32_t word) const {
  Expansion out;
  out.known = true;
  if (set_ == CommandSet::kHexadecile) {
    expand_hexadecile(word, out);
  } else {
    expand_quartile(word, out);
  }
  return out;
}

void CiscExpander::tile(Expansion& out) const {
  out.add(MATRIX_UNIT_LOOP_BOUNDS, 0, join(blocks_k_, blocks_n_ << MATRIX_UNIT_BOUND_J_SHIFT | blocks_m_));
}

void CiscExpander::loop(Expansion& out, std::uint32_t a_row, std::uint32_t b_end, std::uint32_t skips,
                        bool accumulate, std::uint32_t c_row) const {
  tile(out);
  out.add(MATRIX_UNIT_LOOP_SPAD_AB, a_row, b_end);
  out.add(MATRIX_UNIT_LOOP_WS, accumulate ? MATRIX_UNIT_LOOP_ACCUMULATE : 0, join(c_row, skips));
}

void CiscExpander::configure(Expansion& out) const {
  const std::uint32_t load =
      dim_ << MATRIX_UNIT_LOAD_BLOCK_STRIDE_SHIFT | 1u << MATRIX_UNIT_LOAD_REPEATS_SHIFT;
  out.add(MATRIX_UNIT_CONFIG,
          join(0x3F800000, 1u << MATRIX_UNIT_EXECUTE_A_STRIDE_SHIFT | MATRIX_UNIT_EXECUTE_WEIGHT_STATIONARY),
          join(1u << MATRIX_UNIT_EXECUTE_C_STRIDE_HI_SHIFT, 0));
  out.add(MATRIX_UNIT_CONFIG, join(one_, load | MATRIX_UNIT_CONFIG_LOAD), row_bytes_);
  out.add(MATRIX_UNIT_CONFIG, MATRIX_UNIT_CONFIG_STORE, join(0x3F800000, row_bytes_));
}

void CiscExpander::expand_quartile(std::uint32_t word, Expansion& out) const {
  const std::uint32_t q = quarter_;
  switch (word & MATRIX_UNIT_CISC_OPCODE_MASK) {
    case MATRIX_UNIT_Q_COMPUTE_0: return loop(out, 0, 3 * q, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, false);
    case MATRIX_UNIT_Q_COMPUTE_0_ACCUMULATE: return loop(out, 0, 3 * q, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, true);
    case MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE: return loop(out, q, 4 * q, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, true);
    case MATRIX_UNIT_Q_COMPUTE_1: return loop(out, q, 4 * q, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, false);
    case MATRIX_UNIT_Q_STRIDE_AB: {
      const bool v1 = set_ == CommandSet::kQuartileV1;
      const std::uint32_t mask = v1 ? MATRIX_UNIT_Q_STRIDE_MASK_V1 : MATRIX_UNIT_Q_STRIDE_MASK_V15;
      const unsigned b = v1 ? MATRIX_UNIT_Q_STRIDE_B_SHIFT_V1 : MATRIX_UNIT_Q_STRIDE_B_SHIFT_V15;
      return out.add(MATRIX_UNIT_LOOP_STRIDE_AB, word >> MATRIX_UNIT_Q_STRIDE_A_SHIFT & mask,
                     word >> b & mask);
    }
    case MATRIX_UNIT_Q_STORE_SPAD:
      tile(out);
      return out.add(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_STORE_SPAD);
    case MATRIX_UNIT_Q_LOAD_0: return loop(out, 0, 3 * q, MATRIX_UNIT_SKIPS_LOAD_ONLY);
    case MATRIX_UNIT_Q_LOAD_1: return loop(out, q, 4 * q, MATRIX_UNIT_SKIPS_LOAD_ONLY);
    case MATRIX_UNIT_Q_LOAD_00: return loop(out, 0, q, MATRIX_UNIT_SKIPS_LOAD_ONLY);
    case MATRIX_UNIT_Q_LOAD_22: return loop(out, 2 * q, 3 * q, MATRIX_UNIT_SKIPS_LOAD_ONLY);
    case MATRIX_UNIT_Q_CONFIG: return configure(out);
    default: out.known = false;
  }
}

void CiscExpander::expand_hexadecile(std::uint32_t word, Expansion& out) const {
  const std::uint32_t h = sixteenth_;
  const std::uint32_t a = word >> MATRIX_UNIT_H_A_SHIFT & MATRIX_UNIT_H_MASK;
  const std::uint32_t b = word >> MATRIX_UNIT_H_B_SHIFT & MATRIX_UNIT_H_MASK;
  const std::uint32_t d = word >> MATRIX_UNIT_H_D_SHIFT & MATRIX_UNIT_H_MASK;
  const std::uint32_t first = word >> MATRIX_UNIT_H_STRIDE_FIRST_SHIFT & MATRIX_UNIT_H_STRIDE_MASK;
  const std::uint32_t second = word >> MATRIX_UNIT_H_STRIDE_SECOND_SHIFT & MATRIX_UNIT_H_STRIDE_MASK;
  out.counted = true;
  switch (word & MATRIX_UNIT_CISC_OPCODE_MASK) {
    case MATRIX_UNIT_H_COMPUTE:
      return loop(out, a * h, (b + 1) * h, MATRIX_UNIT_SKIPS_EXECUTE_ONLY,
                  (word & MATRIX_UNIT_H_ACCUMULATE) != 0);
    case MATRIX_UNIT_H_COMPUTE_STORE_SPAD:
      return loop(out, a * h, (b + 1) * h, MATRIX_UNIT_SKIPS_EXECUTE_STORE_SPAD, false, d * h);
    case MATRIX_UNIT_H_COUNT_LOOP: return;
    case MATRIX_UNIT_H_STORE_SPAD:
      tile(out);
      return out.add(MATRIX_UNIT_LOOP_WS, 0, join(a * h, MATRIX_UNIT_SKIPS_STORE_SPAD));
    case MATRIX_UNIT_H_LOAD: return loop(out, a * h, (b + 1) * h, MATRIX_UNIT_SKIPS_LOAD_ONLY);
    case MATRIX_UNIT_H_STORE_GMEM:
      tile(out);
      return out.add(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_STORE_GMEM);
    default: break;
  }
  out.counted = false;
  switch (word & MATRIX_UNIT_CISC_OPCODE_MASK) {
    case MATRIX_UNIT_H_STRIDE_AB: return out.add(MATRIX_UNIT_LOOP_STRIDE_AB, first, second);
    case MATRIX_UNIT_H_STRIDE_DC: return out.add(MATRIX_UNIT_LOOP_STRIDE_DC, first, second);
    case MATRIX_UNIT_H_CONFIG: return configure(out);
    default: out.known = false;
  }
}

}  // namespace spica::matrix_unit
