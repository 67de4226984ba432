// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/dispatcher.h"

#include <algorithm>

#include "models/simt_core/pipeline/units/arithmetic_unit.h"
#include "models/simt_core/pipeline/units/special_unit.h"

namespace spica::simt_core {

Dispatcher::Dispatcher(const Stages& stages, protocol::InitiatorPort& gmem, protocol::InitiatorPort& smem,
                       protocol::InitiatorPort& mmio, const TensorUnitMaker& tensor)
    : ports_(stages.core.core, stages.core.hints, gmem, smem, mmio) {
  const Params& params = stages.core.params;
  for (const UnitKind kind : {UnitKind::kLoadStore, UnitKind::kSfu, UnitKind::kAlu, UnitKind::kFpu}) {
    const std::size_t first = units_.size();
    for (unsigned i = 0; i < params.units_of(kind); ++i) add(kind, stages, i);
    const std::size_t count = units_.size() - first;
    for (unsigned w = 0; w < params.warps; ++w)
      unit_of_[static_cast<std::size_t>(kind)][w] = units_[first + w % count].get();
  }
  const auto number = static_cast<unsigned>(units_.size());
  auto unit = tensor ? tensor({stages, agenda_, number, load_store_})
                     : std::make_unique<TensorUnit>(stages, agenda_, number);
  tensor_ = unit.get();
  units_.push_back(std::move(unit));
  unit_of_[static_cast<std::size_t>(UnitKind::kTensor)].fill(tensor_);
}

void Dispatcher::add(UnitKind kind, const Stages& stages, unsigned i) {
  const auto number = static_cast<unsigned>(units_.size());
  switch (kind) {
    case UnitKind::kLoadStore: {
      auto unit = std::make_unique<LoadStoreUnit>(stages, agenda_, ports_, number, i);
      load_store_.push_back(unit.get());
      units_.push_back(std::move(unit));
      break;
    }
    case UnitKind::kSfu: units_.push_back(std::make_unique<SpecialUnit>(stages, agenda_, number)); break;
    default: units_.push_back(std::make_unique<ArithmeticUnit>(stages, agenda_, number));
  }
}

void Dispatcher::run(base::Cycle now) {
  agenda_.first = base::kNever;
  std::uint32_t rest = agenda_.planned;
  // Of two load/store units the other one sends first in the next cycle.
  if (load_store_.size() == 2 && now % 2 != 0 && (rest & 3) == 3) {
    run(*units_[1], now);
    run(*units_[0], now);
    rest &= ~3u;
  }
  for (; rest != 0; rest &= rest - 1) run(*units_[static_cast<unsigned>(__builtin_ctz(rest))], now);
}

bool Dispatcher::at_rest() const {
  return std::all_of(units_.begin(), units_.end() - 1, [](const auto& unit) { return unit->done(); });
}

std::uint64_t Dispatcher::load_cycles() const {
  std::uint64_t cycles = 0;
  for (const LoadStoreUnit* unit : load_store_) cycles += unit->load_cycles();
  return cycles;
}

void Dispatcher::reset() {
  agenda_ = {};
  ports_.reset();
  for (const std::unique_ptr<ExecutionUnit>& unit : units_) unit->reset();
}

void Dispatcher::dump_state(std::ostream& out) const {
  for (const std::unique_ptr<ExecutionUnit>& unit : units_) unit->dump_state(out);
}

}  // namespace spica::simt_core
