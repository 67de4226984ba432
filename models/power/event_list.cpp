// SPDX-License-Identifier: Apache-2.0
// The list of everything that costs energy. One entry: name, block type, counters, unit, place in the tree,
// counter per program counter, meaning.
#include "models/power/event.h"

namespace spica::power {

namespace {

using Sources = std::vector<EventSource>;

std::vector<EventKind> make_event_kinds() {
  // clang-format off: a row for each kind
  return {
      // -- SIMT core, by stage
      {"core.fetch", "core", Sources{{"fetches"}}, "instruction", "fetch", {"fetches"},
       "warp selected, request sent, word received"},
      {"core.decode", "core", Sources{{"decodes"}}, "instruction", "decode", {"decodes"},
       "word decoded and put into the instruction buffer"},
      {"core.issue", "core", Sources{{"issues"}}, "instruction or micro-op", "issue/scheduling", {"issues"},
       "scoreboard checked and updated, warp chosen; a tensor instruction does so for each micro-op"},
      {"core.register_read", "core", Sources{{"register_reads", 1, "lanes"}}, "word", "issue/register_file",
       {"register_reads", 1, "lanes"}, "operand words read from the register file, whole rows"},
      {"core.register_write", "core", Sources{{"register_writes", 1, "lanes"}}, "word",
       "issue/register_file", {"register_writes", 1, "lanes"}, "result words written to the register file, whole rows"},
      {"core.dispatch", "core", Sources{{"dispatches"}}, "instruction or micro-op", "dispatch", {"issues"},
       "operands moved through a dispatch buffer to an execution unit"},
      {"core.commit", "core", Sources{{"commits"}}, "instruction or micro-op", "commit", {"issues"},
       "result arbitrated and written back, scoreboard released"},
      {"core.alu", "core", Sources{{"alu_lanes"}}, "lane operation", "execute/alu", {"alu_lanes"},
       "integer, compare and branch operations"},
      {"core.multiply", "core", Sources{{"multiply_lanes"}}, "lane operation", "execute/multiplier",
       {"multiply_lanes"}, "integer multiplications"},
      {"core.divide", "core", Sources{{"divide_lanes"}}, "lane operation", "execute/divider", {"divide_lanes"},
       "integer divisions and remainders"},
      {"core.fma", "core", Sources{{"fma_lanes"}}, "lane operation", "execute/fpu", {"fma_lanes"},
       "floating-point add, multiply and fused operations"},
      {"core.fpu_other", "core", Sources{{"fpu_other_lanes"}}, "lane operation", "execute/fpu",
       {"fpu_other_lanes"}, "floating-point compare, convert, sign, move"},
      {"core.fpu_divide", "core", Sources{{"fpu_divide_lanes"}}, "lane operation", "execute/fpu",
       {"fpu_divide_lanes"}, "floating-point division and square root"},
      {"core.address", "core", Sources{{"memory_lanes"}}, "lane operation", "execute/load_store",
       {"memory_lanes"}, "addresses and data of loads, stores and atomics through the load/store queue"},
      {"core.control", "core", Sources{{"control_lanes"}}, "lane operation", "execute/control",
       {"control_lanes"}, "CSR, warp-control and fence operations"},

      // -- tensor core
      {"tensor_core.mac_fp32", "tensor_core", Sources{{"macs", 1, "is_fp32"}}, "MAC",
       "tensor_core/dot_product", {"tensor_micro_ops", 1, "fp32_macs_per_micro_op"},
       "multiply-accumulates of FP32 operands"},
      {"tensor_core.mac_fp16", "tensor_core", Sources{{"macs", 1, "is_fp16"}}, "MAC",
       "tensor_core/dot_product", {"tensor_micro_ops", 1, "fp16_macs_per_micro_op"},
       "multiply-accumulates of FP16 operands into FP32"},
      {"tensor_core.operand", "tensor_core", Sources{{"step_pairs", 6, "lanes"}}, "word",
       "tensor_core/operands", {"tensor_micro_ops", 3, "lanes"},
       "words through the operand FIFOs, three rows per micro-op"},
      {"tensor_core.result", "tensor_core", Sources{{"result_rows", 1, "lanes"}}, "word",
       "tensor_core/operands", {"tensor_micro_ops", 1, "lanes"}, "words through the result FIFO"},

      {"decoupled_tensor_core.mac_fp32", "decoupled_tensor_core", Sources{{"macs", 1, "is_fp32"}}, "MAC",
       "tensor_core/dot_product", {}, "multiply-accumulates of FP32 operands"},
      {"decoupled_tensor_core.mac_fp16", "decoupled_tensor_core", Sources{{"macs", 1, "is_fp16"}}, "MAC",
       "tensor_core/dot_product", {}, "multiply-accumulates of FP16 operands into FP32"},
      {"decoupled_tensor_core.operand", "decoupled_tensor_core",
       Sources{{"blocks_a", 1, "block_words"}, {"blocks_b", 1, "block_words"}}, "word",
       "tensor_core/operands", {}, "operand words from shared memory through the operand buffers"},
      {"decoupled_tensor_core.accumulator", "decoupled_tensor_core",
       Sources{{"accumulator_reads", 1, "lanes"}, {"result_rows", 1, "lanes"}}, "word",
       "tensor_core/operands", {}, "accumulator words between register file and unit"},

      // -- level 1 caches and coalescer
      {"icache.tag", "icache", Sources{{"read_hits"}, {"read_misses"}, {"read_merged"}}, "look-up",
       "l1_instruction/tags", {"fetches"}, "tag look-ups"},
      {"icache.read", "icache", Sources{{"read_hits"}, {"replays"}}, "access", "l1_instruction/data", {"fetches"},
       "instruction words read"},
      {"icache.fill", "icache", Sources{{"fills"}}, "line", "l1_instruction/refill", {}, "lines written on refill"},
      {"coalescer.lane", "coalescer", Sources{{"coalesced_lanes"}, {"single_requests"}}, "lane", "coalescer",
       {"global_lanes"}, "lane addresses compared and data aligned"},
      {"dcache.tag", "dcache",
       Sources{{"read_hits"}, {"read_misses"}, {"read_merged"}, {"write_hits"}, {"write_misses"},
               {"write_merged"}},
       "look-up", "l1_data/tags", {}, "tag look-ups"},
      {"dcache.read", "dcache", Sources{{"read_hits"}, {"replays"}}, "access", "l1_data/data", {},
       "data accesses that read"},
      {"dcache.write", "dcache", Sources{{"write_hits"}}, "access", "l1_data/data", {},
       "data accesses that write"},
      {"dcache.fill", "dcache", Sources{{"fills"}}, "line", "l1_data/refill", {}, "lines written on refill"},

      // -- shared memory, by client
      {"shared_memory.core_read", "shared_memory", Sources{{"core_words_read"}}, "word", "cores",
       {"shared_words_read"}, "words read by lanes"},
      {"shared_memory.core_write", "shared_memory", Sources{{"core_words_written"}}, "word", "cores",
       {"shared_words_written"}, "words written by lanes"},
      {"shared_memory.matrix_a_read", "shared_memory", Sources{{"matrix_a*_words_read"}}, "word",
       "matrix_unit", {}, "operand words of A read by matrix units"},
      {"shared_memory.matrix_b_read", "shared_memory", Sources{{"matrix_b*_words_read"}}, "word",
       "matrix_unit", {}, "operand words of B read by matrix units"},
      {"shared_memory.matrix_write", "shared_memory", Sources{{"matrix_write*_words_written"}}, "word",
       "matrix_unit", {}, "words written by matrix units"},
      {"shared_memory.tensor_read", "shared_memory", Sources{{"tensor_core*_words_read"}}, "word",
       "tensor_cores", {}, "operand words read by decoupled tensor cores"},
      {"shared_memory.dma_read", "shared_memory", Sources{{"dma*_words_read"}}, "word", "dma", {},
       "words read by DMA"},
      {"shared_memory.dma_write", "shared_memory", Sources{{"dma*_words_written"}}, "word", "dma", {},
       "words written by DMA"},

      // -- matrix unit and DMA
      {"matrix_unit.mac_fp32", "matrix_unit", Sources{{"macs", 1, "is_fp32"}}, "MAC", "pes", {},
       "multiply-accumulates of FP32 operands, with the pipeline registers of a processing element"},
      {"matrix_unit.mac_fp16", "matrix_unit", Sources{{"macs", 1, "is_fp16"}}, "MAC", "pes", {},
       "multiply-accumulates of FP16 operands into FP32"},
      {"matrix_unit.weight", "matrix_unit", Sources{{"preloads", 1, "block_words"}}, "word", "pes", {},
       "weights moved into the array"},
      {"matrix_unit.operand", "matrix_unit", Sources{{"rows_read_a", 1, "row_words"}, {"rows_read_b", 1, "row_words"}},
       "word", "operands", {}, "operand words through the interface to shared memory and the skew registers"},
      {"matrix_unit.accumulator_read", "matrix_unit",
       Sources{{"accumulator_rows_accumulated", 1, "dim"}, {"accumulator_rows_read", 1, "dim"}}, "word",
       "accumulator", {}, "words read to be added to, and by DMA"},
      {"matrix_unit.accumulator_write", "matrix_unit",
       Sources{{"accumulator_rows_added", 1, "dim"}, {"accumulator_rows_loaded", 1, "dim"}}, "word",
       "accumulator", {}, "words written by computes and by DMA"},
      {"matrix_unit.command", "matrix_unit",
       Sources{{"block_operations"}, {"preloads"}, {"loads"}, {"stores"}, {"mmio_commands"}, {"cisc_commands"}},
       "command", "control", {}, "commands unrolled, queued and issued"},
      {"dma.beat", "dma", Sources{{"read_beats"}, {"write_beats"}}, "beat", "beats", {},
       "bus beats through the DMA's buffers, addresses included"},
      {"dma.row", "dma", Sources{{"shared_writes"}, {"accumulator_accesses"}}, "row", "rows", {},
       "rows moved to shared memory, from or to the accumulator"},

      // -- small things of the cluster
      {"mmio.access", "peripheral_bus", Sources{{"reads"}, {"writes"}}, "access", "", {"peripheral_lanes"},
       "accesses of lanes to memory-mapped registers and the console"},
      {"barrier.arrival", "barrier", Sources{{"arrivals"}, {"releases"}}, "message", "", {},
       "arrivals and releases"},

      // -- outside of the clusters
      {"bus.byte", "bus", Sources{{"bytes_read"}, {"bytes_written"}}, "byte", "data", {},
       "data bytes carried by the system bus"},
      {"l2.tag", "l2",
       Sources{{"read_hits"}, {"read_misses"}, {"read_merged"}, {"write_hits"}, {"write_misses"},
               {"write_merged"}},
       "look-up", "tags", {}, "tag look-ups"},
      {"l2.read", "l2", Sources{{"bytes_read"}}, "byte", "data", {}, "bytes read"},
      {"l2.write", "l2", Sources{{"bytes_written"}}, "byte", "data", {}, "bytes written"},
      {"l2.refill", "l2", Sources{{"fills", 1, "line_bytes"}, {"write_backs", 1, "line_bytes"}}, "byte", "refill", {},
       "bytes of lines filled from memory or written back, on the chip"},

      // -- off chip, reported apart
      {"dram.activate", "main_memory", Sources{{"row_misses"}, {"row_conflicts"}}, "activate", "activate", {},
       "rows opened, each with the precharge that closes it"},
      {"dram.read", "main_memory", Sources{{"bytes_read"}}, "byte", "read", {}, "bytes read"},
      {"dram.write", "main_memory", Sources{{"bytes_written"}}, "byte", "write", {}, "bytes written"},
      {"dram.refresh", "main_memory", Sources{{"refreshes"}}, "refresh", "refresh", {}, "refreshes of a channel"},
  };
  // clang-format on
}

}  // namespace

const std::vector<EventKind>& event_kinds() {
  static const std::vector<EventKind> kinds = make_event_kinds();
  return kinds;
}

const std::vector<std::string_view>& free_blocks() {
  // Windows of a few registers, reached through mmio.access; a wire from CSR to matrix unit.
  static const std::vector<std::string_view> blocks{"accelerator", "print_buffer", "putchar"};
  return blocks;
}

const std::vector<IdleKind>& idle_kinds() {
  static const std::vector<IdleKind> kinds{
      {"core", "idle", "a SIMT core without its caches and tensor core"},
      {"tensor_core", "tensor_core/idle", "a tensor core"},
      {"decoupled_tensor_core", "tensor_core/idle", "a decoupled tensor core"},
      {"icache", "l1_instruction/idle", "a level 1 instruction cache"},
      {"dcache", "l1_data/idle", "a level 1 data cache"},
      {"shared_memory", "idle", "the shared memory of a cluster"},
      {"matrix_unit", "idle", "a matrix unit with its accumulator"},
      {"dma", "idle", "a DMA engine"},
      {"bus", "idle", "the system bus"},
      {"l2", "idle", "the level 2 cache"},
  };
  return kinds;
}

}  // namespace spica::power
