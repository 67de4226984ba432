// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pc_profile.h"

#include <algorithm>

namespace spica::simt_core {

namespace {

/// The lanes of an instruction in the profile, as CoreStats::of_unit has them for the core.
LineCount lane_count_of(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::kAlu:
    case isa::Unit::kBranch: return LineCount::kAluLanes;
    case isa::Unit::kMul: return LineCount::kMultiplyLanes;
    case isa::Unit::kDiv: return LineCount::kDivideLanes;
    case isa::Unit::kFpuFma: return LineCount::kFmaLanes;
    case isa::Unit::kFpuMisc:
    case isa::Unit::kFpuConvert: return LineCount::kFpuOtherLanes;
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt: return LineCount::kFpuDivideLanes;
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kAsync: return LineCount::kMemoryLanes;
    default: return LineCount::kControlLanes;
  }
}

}  // namespace

void PcProfile::find(std::uint32_t page) {
  std::unique_ptr<Page>& found = pages_[page];
  if (found == nullptr) found = std::make_unique<Page>();
  last_page_ = page;
  last_ = found.get();
}

/// Of one that is in a page.
std::uint32_t PcProfile::pc_of(const Place& place) const {
  for (const auto& [number, page] : pages_)
    if (&place >= page->data() && &place < page->data() + page->size())
      return number * kPageBytes + 4 * static_cast<std::uint32_t>(&place - page->data());
  return kNoPc;
}

PcProfile::Row PcProfile::row_of(const Place& place, base::Cycle now) const {
  Row row;
  row[LineCount::kFetches] = place.fetches;
  row[LineCount::kDecodes] = place.decodes;
  row[LineCount::kWarpInstructions] = place.instructions;
  row[LineCount::kThreadInstructions] = place.lanes;
  row[LineCount::kTensorMicroOps] = place.micro_ops;
  for (std::size_t access = 0; access < place.accesses.size(); ++access)
    row.counts[kFirstAccess + access] = place.accesses[access];
  row.cycles = place.cycles;
  if (&place == current_) row.cycles[static_cast<std::size_t>(current_reason_)] += now - since_;
  if (place.instruction == nullptr) return row;
  if (place.micro_ops != 0) {  // three operand rows and one result row each
    row[LineCount::kIssues] = place.micro_ops;
    row[LineCount::kRegisterReads] = 3 * place.micro_ops;
    row[LineCount::kRegisterWrites] = place.micro_ops;
    return row;
  }
  row[LineCount::kIssues] = place.instructions;
  for (std::uint64_t rest = place.instruction->reads; rest != 0; rest &= rest - 1)
    row[LineCount::kRegisterReads] += place.instructions;
  if (place.instruction->writes() != 0) row[LineCount::kRegisterWrites] = place.instructions;
  if (place.instruction->unit != isa::Unit::kTensor)
    row[lane_count_of(place.instruction->unit)] = place.lanes;
  return row;
}

PcProfile::Rows PcProfile::rows(base::Cycle now) const {
  Rows rows;
  const auto add = [&](std::uint32_t pc, const Place& place) {
    const Row row = row_of(place, now);
    const auto zero = [](std::uint64_t n) { return n == 0; };
    if (std::all_of(row.counts.begin(), row.counts.end(), zero) &&
        std::all_of(row.cycles.begin(), row.cycles.end(), zero))
      return;
    rows.emplace_hint(rows.end(), pc, row);
  };
  for (const auto& [page, places] : pages_)
    for (std::uint32_t i = 0; i < kPageInstructions; ++i) add(page * kPageBytes + 4 * i, (*places)[i]);
  add(kNoPc, nowhere_);
  return rows;
}

}  // namespace spica::simt_core
