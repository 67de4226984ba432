// SPDX-License-Identifier: Apache-2.0
// Steps and register rows of an operation, from its fragments.
#include <algorithm>

#include "models/tensor_core/warp_mma/operation.h"

namespace spica::tensor_core::warp_mma {

void Operation::count() {
  counts.parts = c.elements() / part_elements;
  counts.steps = shape().k / terms * counts.parts;
  counts.rows_written = part_elements * numeric::bits(shape().accumulate) / 32;
  // The registers that hold what the step needs: of A and B with its elements of k, for its part of C; or for all
  // parts, which the first one reads them for. Each bit of a coordinate comes from the lane or from x, and the other way
  // round, so that each of two coordinates adds its own bits.
  const unsigned read_parts = reuses_operands ? 1 : parts();  // parts that read A and B
  // Rows of A, or columns of B, that a part of C needs.
  const auto lines_of = [&](bool is_a, unsigned part) {
    const unsigned count = c.elements() / read_parts;
    const auto line_of = [&](unsigned lane, unsigned i) {
      const Place d = c.place(lane, i);
      return is_a ? d.row : d.column;
    };
    std::uint64_t of_part = 0, needed = 0;
    for (unsigned i = 0; i < count; ++i) of_part |= std::uint64_t{1} << line_of(0, part * count + i);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned of_lane = line_of(lane, 0);
      for (std::uint64_t rest = of_part; rest != 0; rest &= rest - 1)
        needed |= std::uint64_t{1} << (of_lane | static_cast<unsigned>(__builtin_ctzll(rest)));
    }
    return needed;
  };
  const auto registers_of = [&](const FragmentMap& map, bool is_a, std::uint64_t lines, unsigned set) {
    const auto x_of = [&](unsigned line, unsigned k) {
      return map.holder(is_a ? Place{line, k} : Place{k, line}, 0).x;
    };
    std::uint64_t of_terms = 0;  // the same of all lanes: an element's x does not depend on the lane
    for (unsigned t = 0; t < terms; ++t) of_terms |= std::uint64_t{1} << x_of(0, set * terms + t);
    std::uint32_t registers = 0;
    for (; lines != 0; lines &= lines - 1) {
      const unsigned x = x_of(static_cast<unsigned>(__builtin_ctzll(lines)), 0);
      for (std::uint64_t rest = of_terms; rest != 0; rest &= rest - 1)
        registers |= 1u << (x | static_cast<unsigned>(__builtin_ctzll(rest))) *
                               numeric::info(shape().operand).stored_bits / 32;
    }
    return static_cast<unsigned>(__builtin_popcount(registers));
  };
  const unsigned of_scales = has_scales() ? 2 : 0;  // a row of A's, and one of B's
  std::fill_n(counts.rows_read.begin(), steps(), static_cast<std::uint8_t>(rows_written()));
  for (unsigned part = 0; part < read_parts; ++part) {
    const std::uint64_t of_a = lines_of(true, part), of_b = lines_of(false, part);
    for (unsigned set = 0; set < sets(); ++set)
      counts.rows_read[set * parts() + part] = static_cast<std::uint8_t>(
          rows_written() + registers_of(a, true, of_a, set) + registers_of(b, false, of_b, set) + of_scales);
  }
}

std::vector<unsigned> Operation::ends() const {
  std::vector<unsigned> result;
  if (timing.chain == 0) {
    for (unsigned step = 0; step < steps(); ++step) result.push_back(timing.ends[step]);
    return result;
  }
  // A step ends when the next one can issue.
  std::vector<unsigned> issued;
  for (unsigned step = 0; step < steps(); ++step) {
    unsigned at = step == 0 ? timing.startup : issued[step - 1] + timing.interval;
    if (step >= parts()) at = std::max(at, issued[step - parts()] + timing.chain);
    if (step != 0) result.push_back(at);
    issued.push_back(at);
  }
  result.push_back(issued.back() + timing.chain);
  return result;
}

}  // namespace spica::tensor_core::warp_mma
