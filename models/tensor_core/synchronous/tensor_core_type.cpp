// SPDX-License-Identifier: Apache-2.0
// What the block says of itself, what it is made of, and how it is saved.
#include "models/base/checkpoint.h"
#include "models/numeric/mac_kinds.h"
#include "models/tensor_core/area_terms.h"
#include "models/tensor_core/synchronous/tensor_core.h"

namespace spica::tensor_core {

namespace {

using base::Structure;

std::vector<base::EnergyEvent> tensor_core_events() {
  auto events = numeric::mac_events("tensor_core", "tensor_core/dot_product", "tensor_micro_ops");
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  events.insert(events.end(), {
      {"tensor_core.operand", {{"step_pairs", 6, "lanes"}}, "word", "tensor_core/operands",
       {"tensor_micro_ops", 3, "lanes"}, "words through the operand FIFOs, three rows per micro-op"},
      {"tensor_core.result", {{"result_rows", 1, "lanes"}}, "word", "tensor_core/operands",
       {"tensor_micro_ops", 1, "lanes"}, "words through the result FIFO"},
  });
  // clang-format on
  return events;
}

base::BlockType synchronous_type() {
  base::BlockType type;
  type.name = "tensor_core";
  type.order = 20;
  type.inside = "core";
  type.units = "tensor_cores";
  type.events = tensor_core_events();
  type.idle = base::IdleEnergy{"tensor_core/idle", "a tensor core"};
  type.arithmetic = {"macs", "macs_per_cycle", "tensor cores"};
  type.timeline_accounts = {"dot_product"};
  return type;
}

}  // namespace

const base::BlockType& TensorCore::block_type() {
  static const base::BlockType type = synchronous_type();
  return type;
}
namespace {
const base::KnownBlockType known(TensorCore::block_type());
}

base::Properties TensorCore::properties() const {
  base::Properties properties{{"lanes", protocol::kTensorLanes},
                              {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
  numeric::add_mac_properties(properties, params_.format());
  const double macs = static_cast<double>(params_.macs_per_pair()) / 2;
  for (const numeric::MacKindInfo& kind : numeric::kMacKinds)
    properties.emplace_back(kind.of_micro_op, &kind == &numeric::mac_kind(params_.format()) ? macs : 0);
  return properties;
}

base::AreaTerms TensorCore::area() const {
  const TensorCoreParams& p = params_;
  const double row = protocol::kTensorLanes * kWordBits;
  base::AreaTerms area;
  numeric::add_mac_area(area, "dot_product", p.format(), number(p.macs_per_cycle()));
  area
      // A step pair: both halves of A, B and C; a finished one: two rows.
      .add("operands", Structure::kRegisterBit, number(p.operand_fifo) * 6 * row)
      .add("operands", Structure::kRegisterBit, number(p.result_fifo) * 2 * row)
      .add("control", Structure::kRegisterBit,
           (number(p.warps * p.metadata_queue) + number(p.warp_fifo)) * kMicroOpBits);
  return area;
}

bool TensorCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(micro_ops_, pairs_, stood_still_, inside_, uncomputed_, operands_, pair_left_, turn_,
             next_taken_, next_, stats_);
  return true;
}

}  // namespace spica::tensor_core
