// SPDX-License-Identifier: Apache-2.0
// Values of parameters that each are in range and that no cluster can have together.
#include "models/cluster/cluster_params.h"
#include "models/isa/mma_form.h"
#include "models/matrix_unit/matrix_unit_regs.h"
#include "models/protocol/payload/tensor_shape.h"
#include "models/tensor_core/styles.h"

namespace spica::cluster {

namespace {

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;
constexpr std::uint64_t kSharedPorts = 64;

/// Rounded up to the next address where the registers of a matrix unit may be.
std::uint64_t whole_blocks(std::uint64_t bytes) {
  return (bytes + MATRIX_UNIT_BLOCK_BYTES - 1) / MATRIX_UNIT_BLOCK_BYTES * MATRIX_UNIT_BLOCK_BYTES;
}

std::string at_most(std::uint64_t value) { return "at most " + std::to_string(value); }

void check_map(const ClusterParams& p, const ClusterParams::Report& report) {
  const MemoryMap& map = p.memory_map;
  const std::uint64_t registers = p.shared_memory.size + map.registers_offset;
  const std::uint64_t used = registers + p.matrix_units.size() * map.registers_bytes;
  if (used > map.window_bytes)
    report({"memory_map.window_bytes", "shared_memory.size"},
           "the window must hold shared memory, print buffer and matrix-unit registers: at least " +
               std::to_string(used) + " bytes");
  if (p.cores * map.print_bytes_per_core > map.registers_offset)
    report({"cores", "memory_map.print_bytes_per_core", "memory_map.registers_offset"},
           "the print buffer must end before the matrix-unit registers: registers_offset at least " +
               std::to_string(whole_blocks(p.cores * map.print_bytes_per_core)));
  if (map.shared_base % MATRIX_UNIT_BLOCK_BYTES != 0)
    report({"memory_map.shared_base"},
           "must be a multiple of 256, like " +
               std::to_string(map.shared_base / MATRIX_UNIT_BLOCK_BYTES * MATRIX_UNIT_BLOCK_BYTES));
  if (map.registers_offset % MATRIX_UNIT_BLOCK_BYTES != 0)
    report({"memory_map.registers_offset"},
           "must be a multiple of 256, like " + std::to_string(whole_blocks(map.registers_offset)));
  if (map.registers_bytes < MATRIX_UNIT_BLOCK_BYTES && !p.matrix_units.empty())
    report({"memory_map.registers_bytes"},
           "the registers of a matrix unit take " + std::to_string(MATRIX_UNIT_BLOCK_BYTES) + " bytes");
  const std::uint64_t window_end = map.shared_base + map.window_bytes;
  if (window_end > kAddresses)
    report({"memory_map.shared_base", "memory_map.window_bytes"},
           "the window ends beyond the 32-bit address space; shared_base may be " +
               at_most(kAddresses - map.window_bytes) + " here");
  const std::uint64_t putchar_end = map.putchar_base + map.putchar_bytes;
  if (map.putchar_base != 0 && putchar_end > map.shared_base && map.putchar_base < window_end)
    report({"memory_map.putchar_base", "memory_map.shared_base", "memory_map.window_bytes"},
           "the putchar window must not overlap the window of the cluster");
  if (putchar_end > kAddresses)
    report({"memory_map.putchar_base", "memory_map.putchar_bytes"},
           "the putchar window ends beyond the 32-bit address space; putchar_bytes may be " +
               at_most(kAddresses - map.putchar_base) + " here");
}

void check_tensor_core(const ClusterParams& p, const ClusterParams::Report& report) {
  if (p.tensor_core.present && !p.tensor_core.is_warp() && p.core.lanes != protocol::kTensorLanes)
    report(
        {"tensor_core.present", "core.lanes"},
        "a tensor core of this style works on warps of 8 lanes: cluster.core.lanes=8, or without tensor core "
        "cluster.tensor_core.present=false; styles volta, turing and ampere have warps of 32");
  if (p.tensor_core.is_warp() && p.core.lanes != isa::kMaxLanes)
    report({"tensor_core.style", "core.lanes"},
           "a tensor core of this style works on warps of 32 lanes: cluster.core.lanes=32");
  if (p.tensor_core.is_warp() != (p.core.tensor_registers != 0))
    report(
        {"tensor_core.style", "core.tensor_registers"},
        p.tensor_core.is_warp()
            ? "a tensor core of this style needs registers for fragments: cluster.core.tensor_registers=256"
            : "only tensor cores of the styles volta, turing and ampere have fragments: cluster.core.tensor_registers=0");
  if (p.tensor_core.is_warp() && p.core.gather_entries != 0)
    report({"tensor_core.style", "core.gather_entries"},
           "no result of a tensor core of the styles volta, turing and ampere waits in gather entries: "
           "cluster.core.gather_entries=0");
  if (p.core.offload.enabled && !p.tensor_core.is_warp())
    report(
        {"core.offload.enabled", "tensor_core.style"},
        "only multiply-adds of warp matrices can be offloaded: cluster.tensor_core.style=volta, turing or ampere");
  if (p.core.reuses_loads() && !p.tensor_core.is_warp())
    report({"core.load_reuse", "tensor_core.style"},
           "only loads of fragments are reused: cluster.tensor_core.style=volta, turing or ampere");
  if (p.core.reuses_loads() && p.core.units_of(simt_core::UnitKind::kLoadStore) != 1)
    report({"core.load_reuse", "core.units"},
           "a fence must find the loads of all warps of its core before it: one load/store unit");
  if (p.tensor_core.is_decoupled() &&
      p.shared_memory.words * p.shared_memory.word_bytes < protocol::kTensorBlockBytes)
    report({"tensor_core.style", "shared_memory.words"},
           "a decoupled tensor core reads blocks of 32 bytes, which must lie in one line");
}

}  // namespace

void ClusterParams::find_contradictions(const Report& report) const {
  check_map(*this, report);
  check_tensor_core(*this, report);
  const std::uint64_t line_bytes = shared_memory.words * shared_memory.word_bytes;
  for (std::size_t i = 0; i < matrix_units.size(); ++i)
    if (const std::uint64_t row = matrix_units[i].row_bytes(); row > line_bytes)
      report(
          {"matrix_units." + std::to_string(i) + ".dim", "shared_memory.words"},
          "a row of operands of the matrix unit must lie in one line of shared memory: cluster.shared_memory.words=" +
              std::to_string(row / shared_memory.word_bytes));
  const tensor_core::StyleParts* const style = tensor_core::parts_of(tensor_style());
  const std::uint64_t per_core = 1 + (style != nullptr ? style->wide.size() : 0);
  const std::uint64_t unit_ports = shared_ports() - cores * per_core;
  if (shared_ports() > kSharedPorts)
    report({"cores", "tensor_core.style"},
           "shared memory has 64 ports: 3 per matrix unit, 1 per core, 2 per decoupled tensor core; " +
               (unit_ports + per_core <= kSharedPorts
                    ? "cores may be " + at_most((kSharedPorts - unit_ports) / per_core)
                    : std::string("use fewer matrix units")) +
               " here");
  if (mio.present && shared_memory.unaligned != shared_memory::Unaligned::kCrossbar)
    report({"mio.present", "shared_memory.unaligned"},
           "the path of mio takes whole accesses: cluster.shared_memory.unaligned=crossbar");
  if (mio.writeback.present && core.load_store.lanes != simt_core::Lanes::kLockstep)
    report({"mio.writeback.present", "core.load_store.lanes"},
           "the write-back port takes answers of all lanes at once: cluster.core.load_store.lanes=lockstep");
  if (multicast.present && !mio.present)
    report({"multicast.present", "mio.present"},
           "multicasting needs a path to shared memory for all cores: cluster.mio.present=true");
  if (multicast.present && core.load_store.lanes != simt_core::Lanes::kLockstep)
    report({"multicast.present", "core.load_store.lanes"},
           "multicasting serves all lanes of two warps at once: cluster.core.load_store.lanes=lockstep");
  if (core.barriers > barrier.ids)
    report({"core.barriers", "barrier.ids"},
           "the synchronizer needs a row for each barrier id: ids at least " + std::to_string(core.barriers));
  if (dcache.write_policy == cache::WritePolicy::kReadOnly)
    report({"dcache.write_policy"}, "stores come to this cache; use write_through or write_back");
  if (4 * core.fetch_instructions > icache.line_bytes)
    report({"core.fetch_instructions", "icache.line_bytes"},
           "the instructions of a fetch must lie in a line of the instruction cache: " +
               at_most(icache.line_bytes / 4));
  if (shared_icache.present && icache.line_bytes > shared_icache.line_bytes)
    report({"icache.line_bytes", "shared_icache.line_bytes"},
           "a line of a core's instruction cache must fit into one of the cluster's: " +
               at_most(shared_icache.line_bytes));
  if (coalescer.line_bytes > dcache.line_bytes)
    report({"coalescer.line_bytes", "dcache.line_bytes"},
           "a coalesced request must fit into a line of the data cache: " + at_most(dcache.line_bytes));
}

}  // namespace spica::cluster
