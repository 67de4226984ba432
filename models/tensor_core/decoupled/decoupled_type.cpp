// SPDX-License-Identifier: Apache-2.0
// What the block says of itself, what it is made of, and how it is saved.
#include "models/base/checkpoint.h"
#include "models/numeric/mac_kinds.h"
#include "models/tensor_core/area_terms.h"
#include "models/tensor_core/decoupled/decoupled_tensor_core.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

namespace {

using base::Structure;

std::vector<base::EnergyEvent> decoupled_tensor_core_events() {
  auto events = numeric::mac_events("decoupled_tensor_core", "tensor_core/dot_product");
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  events.insert(events.end(), {
      {"decoupled_tensor_core.operand", {{"blocks_a", 1, "block_words"}, {"blocks_b", 1, "block_words"}},
       "word", "tensor_core/operands", {}, "operand words from shared memory through the operand buffers"},
      {"decoupled_tensor_core.accumulator_read", {{"accumulator_reads", 1, "lanes"}}, "word",
       "tensor_core/accumulator", {}, "accumulator words from the register file's port to the unit"},
      {"decoupled_tensor_core.accumulator_write", {{"result_rows", 1, "lanes"}}, "word",
       "tensor_core/accumulator", {}, "accumulator words from the unit to the core's write-back"},
  });
  // clang-format on
  return events;
}

base::BlockType decoupled_type() {
  base::BlockType type;
  type.name = "decoupled_tensor_core";
  type.order = 30;
  type.inside = "core";
  type.units = "tensor_cores";
  type.events = decoupled_tensor_core_events();
  type.idle = base::IdleEnergy{"tensor_core/idle", "a decoupled tensor core"};
  type.parameters = "tensor_core";
  type.reasons = {
      {"idle", "an instruction", {"core"}},
      {"waiting_a", "operands of A from shared memory", {"shared_memory", "decoupled_tensor_core"}},
      {"waiting_b", "operands of B from shared memory", {"shared_memory", "decoupled_tensor_core"}},
      {"waiting_accumulator", "accumulator rows from the register file", {"decoupled_tensor_core", "core"}},
      {"result_blocked", "the register file's write port", {"core"}},
      {"draining", "the last sums to leave the array"}};
  type.limiter = {"The tensor cores compute for", 20, "dot_product", "computing", {"macs"}};
  type.arithmetic = {"macs", "macs_per_cycle", "tensor cores"};
  type.charts = {{"{} decoupled tensor cores", true, "dot_product"}};
  type.timeline_accounts = {"dot_product"};
  return type;
}

}  // namespace

const base::BlockType& DecoupledTensorCore::block_type() {
  static const base::BlockType type = decoupled_type();
  return type;
}
namespace {
const base::KnownBlockType known(DecoupledTensorCore::block_type());
}

base::Properties DecoupledTensorCore::properties() const {
  base::Properties properties{{"lanes", protocol::kTensorLanes},
                              {"block_words", tile::kBlockBytes / 4},
                              {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
  numeric::add_mac_properties(properties, params_.format());
  return properties;
}

base::AreaTerms DecoupledTensorCore::area() const {
  const TensorCoreParams& p = params_;
  const DecoupledParams& d = p.decoupled;
  const double row = protocol::kTensorLanes * kWordBits, block = 8.0 * tile::kBlockBytes;
  base::AreaTerms area;
  numeric::add_mac_area(area, "dot_product", p.format(), number(p.macs_per_cycle()));
  area
      // Of A and of B each: answers that wait, and two block buffers.
      .add_array("operands", Structure::kRegisterBit, 2 * (number(d.response_queue) + 2) * block, 2, block)
      .add("operands", Structure::kFlopBit, 2 * number(d.source_ids) * kWordBits)
      .add_array("accumulator", Structure::kRegisterBit, number(d.accumulator_rows) * row, 1, row)
      .add("control", Structure::kRegisterBit, number(d.instruction_queue) * kMicroOpBits)
      .add("control", Structure::kController, 1);
  return area;
}

void DecoupledTensorCore::objects(base::Checkpoint& checkpoint) { pool_.add_to(checkpoint); }

bool DecoupledTensorCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(smem_a, smem_b, pool_, front_end_, asked_[kA], asked_[kB], streams_[kA], streams_[kB],
             accumulators_, started_, reading_, computing_, writing_, reads_, port_taken_, reader_free_,
             pipeline_, stood_still_, inside_, stats_);
  return true;
}

}  // namespace spica::tensor_core
