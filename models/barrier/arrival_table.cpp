// SPDX-License-Identifier: Apache-2.0
#include "models/barrier/arrival_table.h"

#include <algorithm>

#include "models/base/bits.h"
#include "models/base/invariant.h"

namespace spica::barrier {

ArrivalTable::ArrivalTable(unsigned ids, unsigned cores)
    : rows_(ids), all_cores_(cores == 32 ? ~0u : (1u << cores) - 1), next_(ids) {
  SPICA_INVARIANT(ids <= 64 && cores >= 1 && cores <= 32);
  reset();
}

bool ArrivalTable::arrive(unsigned core, unsigned id, base::Cycle now) {
  Row& row = rows_[id];
  const std::uint32_t bit = 1u << core;
  if ((row.arrived & bit) != 0) return false;
  if (row.arrived == 0) row.first = now;
  row.arrived |= bit;
  row.last = now;
  row.sum += now;
  complete_if_all(id);
  return true;
}

void ArrivalTable::leave(unsigned id, unsigned core) {
  Row& row = rows_[id];
  row.cores &= ~(1u << core);
  row.left = true;
  complete_if_all(id);
}

ArrivalTable::Release ArrivalTable::release() {
  const unsigned id = next_.pick(complete_);
  complete_ &= ~(std::uint64_t{1} << id);
  Row& row = rows_[id];
  const auto count = static_cast<base::Cycle>(__builtin_popcount(row.cores));
  const Release release{id, row.cores, row.left, row.first, row.last, count * row.last - row.sum};
  row = {row.cores, 0, 0, 0, 0, row.left};
  return release;
}

bool ArrivalTable::empty() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.arrived == 0; });
}

void ArrivalTable::reset() {
  std::fill(rows_.begin(), rows_.end(), Row{all_cores_, 0, 0, 0, 0, false});
  complete_ = 0;
  next_.reset();
}

void ArrivalTable::date(base::Cycle now) {
  for (Row& row : rows_)
    row = {row.cores, row.arrived, now, now, now * base::count_bits(row.arrived), row.left};
}

}  // namespace spica::barrier
