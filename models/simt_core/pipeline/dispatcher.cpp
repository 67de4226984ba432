// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/dispatcher.h"

#include <algorithm>

#include "models/simt_core/pipeline/units/arithmetic_unit.h"
#include "models/simt_core/pipeline/units/special_unit.h"

namespace spica::simt_core {

Dispatcher::Dispatcher(const Stages& stages, protocol::InitiatorSocket& gmem, protocol::InitiatorSocket& smem,
                       protocol::InitiatorSocket& mmio)
    : ports_(stages.core.core, gmem, smem, mmio),
      tensor_(stages, agenda_),
      decoupled_tensor_(stages, agenda_) {
  const Params& params = stages.core.params;
  for (const UnitKind kind : {UnitKind::kLoadStore, UnitKind::kSfu, UnitKind::kAlu, UnitKind::kFpu}) {
    std::vector<ExecutionUnit*> units;
    for (unsigned i = 0; i < params.units_of(kind); ++i) {
      if (kind == UnitKind::kLoadStore) {
        units_.push_back(std::make_unique<LoadStoreUnit>(stages, agenda_, ports_, i));
        load_store_.push_back(static_cast<LoadStoreUnit*>(units_.back().get()));
      } else if (kind == UnitKind::kSfu) {
        units_.push_back(std::make_unique<SpecialUnit>(stages, agenda_));
      } else {
        units_.push_back(std::make_unique<ArithmeticUnit>(stages, agenda_));
        arithmetic_.push_back(units_.back().get());
      }
      units.push_back(units_.back().get());
    }
    for (unsigned w = 0; w < params.warps; ++w)
      unit_of_[static_cast<std::size_t>(kind)][w] = units[w % units.size()];
  }
  unit_of_[static_cast<std::size_t>(UnitKind::kTensor)].fill(&tensor_);
}

void Dispatcher::connect(protocol::TensorCoreIf* tensor, protocol::DecoupledTensorIf* decoupled) {
  if (tensor != nullptr) tensor_.connect(*tensor);
  if (decoupled == nullptr) return;
  decoupled_tensor_.connect(*decoupled);
  unit_of_[static_cast<std::size_t>(UnitKind::kTensor)].fill(&decoupled_tensor_);
}

void Dispatcher::run(base::Cycle now) {
  agenda_.first = base::kNever;
  // Which of several load/store units sends first changes every cycle.
  if (load_store_.size() > 1) std::swap(units_[0], units_[1]);
  for (const std::unique_ptr<ExecutionUnit>& unit : units_) {
    if (unit->due() <= now) unit->tick(now);
    else agenda_.first = std::min(agenda_.first, unit->due());
  }
  if (decoupled_tensor_.due() <= now) decoupled_tensor_.tick(now);
  else agenda_.first = std::min(agenda_.first, decoupled_tensor_.due());
}

bool Dispatcher::at_rest() const {
  return std::all_of(units_.begin(), units_.end(), [](const auto& unit) { return unit->done(); });
}

std::uint64_t Dispatcher::load_cycles() const {
  std::uint64_t cycles = 0;
  for (const LoadStoreUnit* unit : load_store_) cycles += unit->load_cycles();
  return cycles;
}

void Dispatcher::reset() {
  agenda_.first = base::kNever;
  ports_.reset();
  for (const std::unique_ptr<ExecutionUnit>& unit : units_) unit->reset();
  tensor_.reset();
  decoupled_tensor_.reset();
}

void Dispatcher::dump_state(std::ostream& out) const {
  for (const std::unique_ptr<ExecutionUnit>& unit : units_) unit->dump_state(out);
}

}  // namespace spica::simt_core
