// SPDX-License-Identifier: Apache-2.0
// What the two kinds of tensor core say of themselves.
#include <array>

#include "models/numeric/mac_kinds.h"
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/tensor_core.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

namespace {

std::vector<base::EnergyEvent> tensor_core_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"tensor_core.mac_fp32", {{"macs", 1, "is_fp32"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp32_macs_per_micro_op"}, numeric::kMacText[0]},
      {"tensor_core.mac_fp16", {{"macs", 1, "is_fp16"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp16_macs_per_micro_op"}, numeric::kMacText[1]},
      {"tensor_core.mac_tf32", {{"macs", 1, "is_tf32"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "tf32_macs_per_micro_op"}, numeric::kMacText[2]},
      {"tensor_core.mac_bf16", {{"macs", 1, "is_bf16"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "bf16_macs_per_micro_op"}, numeric::kMacText[3]},
      {"tensor_core.mac_fp8", {{"macs", 1, "is_fp8"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp8_macs_per_micro_op"}, numeric::kMacText[4]},
      {"tensor_core.mac_fp6", {{"macs", 1, "is_fp6"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp6_macs_per_micro_op"}, numeric::kMacText[5]},
      {"tensor_core.mac_fp4", {{"macs", 1, "is_fp4"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp4_macs_per_micro_op"}, numeric::kMacText[6]},
      {"tensor_core.mac_int8", {{"macs", 1, "is_int8"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "int8_macs_per_micro_op"}, numeric::kMacText[7]},
      {"tensor_core.mac_int4", {{"macs", 1, "is_int4"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "int4_macs_per_micro_op"}, numeric::kMacText[8]},
      {"tensor_core.operand", {{"step_pairs", 6, "lanes"}}, "word", "tensor_core/operands",
       {"tensor_micro_ops", 3, "lanes"}, "words through the operand FIFOs, three rows per micro-op"},
      {"tensor_core.result", {{"result_rows", 1, "lanes"}}, "word", "tensor_core/operands",
       {"tensor_micro_ops", 1, "lanes"}, "words through the result FIFO"},
  };
  // clang-format on
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

std::vector<base::EnergyEvent> decoupled_tensor_core_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"decoupled_tensor_core.mac_fp32", {{"macs", 1, "is_fp32"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[0]},
      {"decoupled_tensor_core.mac_fp16", {{"macs", 1, "is_fp16"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[1]},
      {"decoupled_tensor_core.mac_tf32", {{"macs", 1, "is_tf32"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[2]},
      {"decoupled_tensor_core.mac_bf16", {{"macs", 1, "is_bf16"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[3]},
      {"decoupled_tensor_core.mac_fp8", {{"macs", 1, "is_fp8"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[4]},
      {"decoupled_tensor_core.mac_fp6", {{"macs", 1, "is_fp6"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[5]},
      {"decoupled_tensor_core.mac_fp4", {{"macs", 1, "is_fp4"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[6]},
      {"decoupled_tensor_core.mac_int8", {{"macs", 1, "is_int8"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[7]},
      {"decoupled_tensor_core.mac_int4", {{"macs", 1, "is_int4"}}, "MAC", "tensor_core/dot_product", {},
       numeric::kMacText[8]},
      {"decoupled_tensor_core.operand", {{"blocks_a", 1, "block_words"}, {"blocks_b", 1, "block_words"}},
       "word", "tensor_core/operands", {}, "operand words from shared memory through the operand buffers"},
      {"decoupled_tensor_core.accumulator_read", {{"accumulator_reads", 1, "lanes"}}, "word",
       "tensor_core/accumulator", {}, "accumulator words from the register file's port to the unit"},
      {"decoupled_tensor_core.accumulator_write", {{"result_rows", 1, "lanes"}}, "word",
       "tensor_core/accumulator", {}, "accumulator words from the unit to the core's write-back"},
  };
  // clang-format on
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

const base::BlockType& TensorCore::block_type() {
  static const base::BlockType type = synchronous_type();
  return type;
}
const base::BlockType& DecoupledTensorCore::block_type() {
  static const base::BlockType type = decoupled_type();
  return type;
}

namespace {
const base::KnownBlockType known_0(TensorCore::block_type()), known_1(DecoupledTensorCore::block_type());
}

base::Properties TensorCore::properties() const {
  constexpr std::array<std::string_view, numeric::kMacKinds> kOfMicroOp{
      "fp32_macs_per_micro_op", "fp16_macs_per_micro_op", "tf32_macs_per_micro_op",
      "bf16_macs_per_micro_op", "fp8_macs_per_micro_op",  "fp6_macs_per_micro_op",
      "fp4_macs_per_micro_op",  "int8_macs_per_micro_op", "int4_macs_per_micro_op"};
  base::Properties properties{{"lanes", protocol::kTensorLanes},
                              {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
  numeric::add_mac_properties(properties, params_.format());
  const auto kind = static_cast<unsigned>(numeric::mac_kind(params_.format()));
  for (unsigned i = 0; i < numeric::kMacKinds; ++i)
    properties.emplace_back(kOfMicroOp[i], i == kind ? static_cast<double>(params_.macs_per_pair()) / 2 : 0);
  return properties;
}

base::Properties DecoupledTensorCore::properties() const {
  base::Properties properties{{"lanes", protocol::kTensorLanes},
                              {"block_words", tile::kBlockBytes / 4},
                              {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
  numeric::add_mac_properties(properties, params_.format());
  return properties;
}

}  // namespace spica::tensor_core
