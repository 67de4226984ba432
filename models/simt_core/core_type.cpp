// SPDX-License-Identifier: Apache-2.0
// What a SIMT core says of itself.
#include "models/simt_core/core_type.h"

namespace spica::simt_core {

namespace {

std::vector<base::EnergyEvent> core_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"core.fetch", {{"fetches"}}, "instruction", "fetch", {"fetches"},
       "warp selected, request sent, word received"},
      {"core.decode", {{"decodes"}}, "instruction", "decode", {"decodes"},
       "word decoded and put into the instruction buffer"},
      {"core.issue", {{"issues"}}, "instruction or micro-op", "issue/scheduling", {"issues"},
       "scoreboard checked and updated, warp chosen; a tensor instruction does so for each micro-op"},
      {"core.register_read", {{"register_reads", 1, "lanes"}}, "word", "issue/register_file",
       {"register_reads", 1, "lanes"}, "operand words read from the register file, whole rows"},
      {"core.register_write", {{"register_writes", 1, "lanes"}}, "word", "issue/register_file",
       {"register_writes", 1, "lanes"}, "result words written to the register file, whole rows"},
      {"core.dispatch", {{"dispatches"}}, "instruction or micro-op", "dispatch", {"issues"},
       "operands moved through a dispatch buffer to an execution unit"},
      {"core.commit", {{"commits"}, {"accumulator_rows"}}, "instruction, micro-op or row", "commit",
       {"issues"}, "result arbitrated and written back, scoreboard released; so is each row that a decoupled "
       "tensor core writes"},
      {"core.alu", {{"alu_lanes"}}, "lane operation", "execute/alu", {"alu_lanes"},
       "integer, compare and branch operations"},
      {"core.multiply", {{"multiply_lanes"}}, "lane operation", "execute/multiplier", {"multiply_lanes"},
       "integer multiplications"},
      {"core.divide", {{"divide_lanes"}}, "lane operation", "execute/divider", {"divide_lanes"},
       "integer divisions and remainders"},
      {"core.fma", {{"fma_lanes"}}, "lane operation", "execute/fpu", {"fma_lanes"},
       "floating-point add, multiply and fused operations"},
      {"core.fpu_other", {{"fpu_other_lanes"}}, "lane operation", "execute/fpu", {"fpu_other_lanes"},
       "floating-point compare, convert, sign, move"},
      {"core.fpu_divide", {{"fpu_divide_lanes"}}, "lane operation", "execute/fpu", {"fpu_divide_lanes"},
       "floating-point division and square root"},
      {"core.address", {{"memory_lanes"}}, "lane operation", "execute/load_store", {"memory_lanes"},
       "addresses and data of loads, stores and atomics through the load/store queue"},
      {"core.async_word", {{"async_words"}}, "word", "execute/load_store", {},
       "words of asynchronous copies held between the answer of global memory and the store to shared memory"},
      {"core.control", {{"control_lanes"}}, "lane operation", "execute/control", {"control_lanes"},
       "CSR, warp-control and fence operations"},
  };
  // clang-format on
}

base::BlockType make_type() {
  base::BlockType type;
  type.name = "core";
  type.order = 10;
  type.units = "cores";
  type.events = core_events();
  type.idle = base::IdleEnergy{"idle", "a SIMT core without its caches and tensor core"};
  type.reasons = {
      {"register_port",
       "the register file, which the tensor core reads",
       {"core", "tensor_core", "decoupled_tensor_core", "warp_tensor_core"}},
      {"unit_busy", "an execution unit with a full queue"},
      {"alu_result", "integer results"},
      {"fpu_result", "floating-point results"},
      {"tensor", "the tensor core", {"tensor_core", "decoupled_tensor_core", "warp_tensor_core"}},
      {"shared_load", "loads from shared memory", {"shared_memory", "mio", "multicast"}},
      {"global_load", "loads from global memory", {"coalescer", "dcache"}},
      {"peripheral", "responses from the matrix unit's registers", {"matrix_unit", "peripheral_bus"}},
      {"memory_queue",
       "room in the load/store unit",
       {"core", "coalescer", "dcache", "shared_memory", "mio"}},
      {"drain", "earlier instructions of the warp before a CSR access or a barrier"},
      {"fetch", "instruction fetch", {"core", "icache"}},
      {"control", "branches to resolve"},
      {"fence", "memory accesses before a fence", {"shared_memory", "coalescer", "dcache"}},
      {"barrier", "other warps at a barrier", {"barrier", "core"}},
      {"no_warp", "a warp to run"}};
  type.limiter = {"The cores issue in", 100, "issue", "issued", {}};
  type.charts = {{"issue slots of {} cores", true, "issue"}};
  type.timeline_accounts = {"issue"};
  type.figures = {{"warp_instructions", {"warp_instructions"}},
                  {"register_file_accesses", {"register_reads", "register_writes"}}};
  return type;
}

}  // namespace

const base::BlockType& core_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(core_type());
}

}  // namespace spica::simt_core
