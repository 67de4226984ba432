// SPDX-License-Identifier: Apache-2.0
// What the two kinds of tensor core say of themselves.
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/tensor_core.h"
#include "models/tensor_core/tile_layout.h"

namespace spica::tensor_core {

namespace {

std::vector<base::EnergyEvent> tensor_core_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"tensor_core.mac_fp32", {{"macs", 1, "is_fp32"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp32_macs_per_micro_op"}, "multiply-accumulates of FP32 operands"},
      {"tensor_core.mac_fp16", {{"macs", 1, "is_fp16"}}, "MAC", "tensor_core/dot_product",
       {"tensor_micro_ops", 1, "fp16_macs_per_micro_op"}, "multiply-accumulates of FP16 operands into FP32"},
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
       "multiply-accumulates of FP32 operands"},
      {"decoupled_tensor_core.mac_fp16", {{"macs", 1, "is_fp16"}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of FP16 operands into FP32"},
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
  type.reasons = {{"idle", "an instruction"},
                  {"waiting_a", "operands of A from shared memory"},
                  {"waiting_b", "operands of B from shared memory"},
                  {"waiting_accumulator", "accumulator rows from the register file"},
                  {"result_blocked", "the register file's write port"},
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
  const bool fp16 = params_.operand == Operand::kFp16;
  const double macs = static_cast<double>(params_.macs_per_pair()) / 2;
  return {{"lanes", protocol::kTensorLanes},
          {"is_fp32", fp16 ? 0 : 1},
          {"is_fp16", fp16 ? 1 : 0},
          {"fp32_macs_per_micro_op", fp16 ? 0 : macs},
          {"fp16_macs_per_micro_op", fp16 ? macs : 0},
          {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
}

base::Properties DecoupledTensorCore::properties() const {
  const bool fp16 = params_.operand == Operand::kFp16;
  return {{"lanes", protocol::kTensorLanes},
          {"block_words", tile::kBlockBytes / 4},
          {"is_fp32", fp16 ? 0 : 1},
          {"is_fp16", fp16 ? 1 : 0},
          {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
}

}  // namespace spica::tensor_core
