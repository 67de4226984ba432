// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/product_sums.h"

namespace spica::check {

std::vector<ProductSums::Foreign> ProductSums::work(const protocol::UnitWork& work, std::uint32_t site) {
  constexpr auto kAccumulator = protocol::Piece::Space::kAccumulator;
  const bool reads = work.from.space == kAccumulator;
  const protocol::Piece& piece = reads ? work.from : work.to;
  std::vector<Foreign> foreign;
  if (piece.space != kAccumulator) return foreign;
  for (std::uint32_t block = 0; block < piece.blocks; ++block)
    for (std::uint32_t i = 0; i < piece.rows; ++i) {
      const std::uint32_t at = piece.address + block * piece.block_stride + i * piece.stride;
      if (at >= rows_.size()) continue;
      Row& row = rows_[at];
      if (reads) {
        if (row.overwrote && row.stored_by != 0 && row.stored_by != work.origin.command)
          foreign.push_back(
              {at, row.begin,
               "the first has overwritten the sums of a product before it, which nothing had stored, and "
               "they have been stored before"});
        row.stored_by = work.origin.command;
        continue;
      }
      const bool same = row.command == work.origin.command;
      if (work.accumulate && !same && row.command != 0) {
        if (row.stored_by != 0)
          foreign.push_back(
              {at, row.begin,
               "the sums of the first have been stored, and the second does not begin with new ones"});
        else if (row.overwrote)
          foreign.push_back(
              {at, row.begin,
               "the first has overwritten the sums of a product before it, which nothing had stored, and "
               "the second adds to what it left"});
      } else if (!work.accumulate && !same) {
        row.overwrote =
            row.command != 0 && row.stored_by == 0 && work.kind == protocol::UnitWork::Kind::kCompute;
        row.begin = site;
      }
      row.command = work.origin.command;
      row.stored_by = 0;
    }
  return foreign;
}

}  // namespace spica::check
