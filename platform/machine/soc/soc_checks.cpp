// SPDX-License-Identifier: Apache-2.0
// Values of parameters that each are in range and that no machine can have together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/port_set.h"
#include "models/protocol/payload/address_map.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/machine/soc/soc_plan.h"

namespace spica::soc {

namespace {

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostCores = 1024, kSharedPorts = 64;

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

/// What is for whoever puts the machine into a simulation of his own.
void check_edge(const SocParams& p, const cluster::ClusterParams::Report& report) {
  if (p.main_memory.external && p.run.mode == Mode::kFast)
    report({"main_memory.external", "run.mode"},
           "the fast mode reaches memory by a pointer before a foreign one is bound; use run.mode cycle");
  if (!p.host.present) return;
  const auto& host = p.host;
  const std::uint64_t windows = p.clusters * host.window_stride;
  if (p.cluster.memory_map.window_bytes > host.window_stride)
    report({"host.window_stride", "cluster.memory_map.window_bytes"},
           "windows must not overlap: window_stride at least " +
               std::to_string(p.cluster.memory_map.window_bytes));
  if (host.windows_base + windows > kAddresses)
    report({"host.windows_base", "host.window_stride"},
           "the windows end beyond the 32-bit address space; windows_base may be at most " +
               std::to_string(kAddresses - windows) + " here");
  if (overlap(host.registers_base, HOST_PORT_BLOCK_BYTES, host.windows_base, windows))
    report({"host.registers_base", "host.windows_base"}, "the registers must be outside of the windows");
  for (const bool registers : {true, false})
    if (overlap(registers ? host.registers_base : host.windows_base,
                registers ? HOST_PORT_BLOCK_BYTES : windows, p.main_memory.base, p.main_memory.size))
      report(
          {registers ? "host.registers_base" : "host.windows_base", "main_memory.base", "main_memory.size"},
          "must be outside of memory, which a host sees where the cores see it");
  if (p.cluster.shared_ports() >= kSharedPorts)
    report({"host.present", "cluster.cores"},
           "all 64 ports of shared memory are taken, and a host needs one");
  if (host.max_request > p.l2.line_bytes)
    report({"host.max_request", "l2.line_bytes"},
           "a request must fit into a level 2 line: at most " + std::to_string(p.l2.line_bytes));
}

/// Queues lead to work groups; the registers are where nothing else is but memory, which they shadow.
void check_command_processor(const SocParams& p, const cluster::ClusterParams::Report& report) {
  if (!p.command_processor.present) return;
  if (!p.dispatcher.present)
    report({"command_processor.present", "dispatcher.present"},
           "it gives kernels to the dispatcher: dispatcher.present must be true");
  if (p.command_processor.has_firmware() &&
      overlap(FIRMWARE_MEMORY, FIRMWARE_REGISTERS + FIRMWARE_REGISTERS_BYTES - FIRMWARE_MEMORY,
              p.main_memory.base, p.main_memory.size))
    report({"command_processor.firmware", "main_memory.base"},
           fmt::format(
               "the memory and registers of a firmware are at {:#x} to {:#x}, which overlaps main memory",
               FIRMWARE_MEMORY, FIRMWARE_REGISTERS + FIRMWARE_REGISTERS_BYTES - 1));
  const std::uint64_t base = p.command_processor.registers_base;
  const auto& map = p.cluster.memory_map;
  if (base + COMMAND_PROCESSOR_BLOCK_BYTES > kAddresses)
    report({"command_processor.registers_base"},
           fmt::format("the registers end beyond the 32-bit address space; at most {:#x}",
                       kAddresses - COMMAND_PROCESSOR_BLOCK_BYTES));
  else if (overlap(base, COMMAND_PROCESSOR_BLOCK_BYTES, map.shared_base, map.window_bytes) ||
           overlap(base, COMMAND_PROCESSOR_BLOCK_BYTES, map.putchar_base, map.putchar_bytes))
    report({"command_processor.registers_base", "cluster.memory_map.shared_base"},
           fmt::format("the registers overlap a window of the clusters; {:#x} is free",
                       std::max(map.shared_base + map.window_bytes, map.putchar_base + map.putchar_bytes)));
}

/// Registers of slots: at addresses that nothing else has but global memory, which they shadow.
void check_registers(const SocParams& p, const cluster::ClusterParams::Report& report) {
  for (std::size_t i = 0; i < p.slots.size(); ++i) {
    const SlotRegisters& registers = p.slots[i].registers;
    if (registers.bytes == 0) continue;
    const std::string key = "slots." + std::to_string(i) + ".registers.base";
    if (registers.base + registers.bytes > kAddresses)
      report({key}, "the registers end beyond the 32-bit address space");
    else if (const auto other = beneath(p, p.slots[i], registers.base); other.size != 0)
      report({key},
             fmt::format("the registers, {}, overlap {}, {}{}",
                         loader::range_text(registers.base, registers.bytes), other.name,
                         loader::range_text(other.base, other.size), is_free(free_address(p, p.slots[i]))));
  }
}

/// Names and kinds of slots, and what they are linked to.
void check_slots(const SocParams& p, const cluster::ClusterParams::Report& report) {
  if (p.slots.empty()) return;
  for (const SlotParams& slot : p.slots)
    if (slot.params == nullptr || (!slot.between.empty() && slot.between.size() != 2))
      return;  // said already
  check_registers(p, report);
  try {
    machine_plan(p);
  } catch (const SlotError& error) {
    report({"slots." + std::to_string(error.slot)}, error.what());
  }
}

std::vector<std::uint64_t> divisors(std::uint64_t number) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 1; i <= number; ++i)
    if (number % i == 0) all.push_back(i);
  return all;
}

/// What caches interleave must be memory, all of it.
void check_stacks(const SocParams& p, const cluster::ClusterParams::Report& report) {
  const auto& coalescer = p.cluster.coalescer;
  if (coalescer.local_stride == 0) return;
  const std::uint64_t threads = p.harts();
  const std::uint64_t end = p.main_memory.base + p.main_memory.size;
  if (coalescer.local_top <= p.main_memory.base || coalescer.local_top > end)
    report({"cluster.coalescer.local_top", "main_memory.base", "main_memory.size"},
           "the stacks must lie in memory: local_top at most " + std::to_string(end));
  else if (threads * coalescer.local_stride > coalescer.local_top - p.main_memory.base)
    report({"cluster.coalescer.local_stride", "cluster.coalescer.local_top"},
           "the stacks of " + std::to_string(threads) + " lanes must lie in memory: local_stride at most " +
               std::to_string((coalescer.local_top - p.main_memory.base) / threads / 4 * 4));
}

/// Slices of the level 2 cache and channels of memory fit to each other and to the hash.
void check_slices(const SocParams& p, const cluster::ClusterParams::Report& report) {
  const std::uint64_t slices = p.l2.slices, channels = p.main_memory.channels;
  if (!p.network.is_crossbar()) {
    if (slices > 1)
      report({"l2.slices", "network.kind"}, "a bus has one target: l2.slices=1, or network.kind=crossbar");
    return;
  }
  if (p.network.hash == protocol::SliceHash::kIpoly && (slices & (slices - 1)) != 0)
    report({"network.hash", "l2.slices"},
           "ipoly needs a power of two of slices; ipoly_folded and ipoly_mod take any number");
  if (p.l2.line_bytes * p.l2.banks > p.network.interleave_bytes)
    report({"network.interleave_bytes", "l2.line_bytes", "l2.banks"},
           fmt::format("consecutive bytes of a slice hold a line of each bank: interleave_bytes at least {}",
                       p.l2.line_bytes * p.l2.banks));
  if (slices == 1) return;
  if (p.main_memory.external)
    report({"main_memory.external", "l2.slices"}, "a memory outside the machine has one port: l2.slices=1");
  if (p.main_memory.maps_addresses())
    report({"main_memory.back_end", "l2.slices"},
           "DRAMSys maps addresses itself: l2.slices=1, dram or fixed");
  if (p.main_memory.uses_channels() && slices % channels != 0)
    report({"main_memory.channels", "l2.slices"},
           fmt::format("each channel serves the same number of slices; {} slices can have {} channels",
                       slices, fmt::join(divisors(slices), ", ")));
  if (p.main_memory.is_dram() && p.network.interleave_bytes < p.main_memory.dram.consecutive_in_bank())
    report({"network.interleave_bytes", "main_memory.dram.bank_bytes"},
           fmt::format("consecutive bytes of a slice hold those of a bank: interleave_bytes at least {}",
                       p.main_memory.dram.consecutive_in_bank()));
}

}  // namespace

std::vector<std::uint64_t> SocParams::possible_partitions() const {
  std::vector<std::uint64_t> possible;
  for (std::uint64_t parts = 1; parts <= clusters; ++parts)
    if (clusters % parts == 0 && l2.ways % parts == 0) possible.push_back(parts);
  return possible;
}

void SocParams::find_contradictions(const cluster::ClusterParams::Report& report) const {
  check_slots(*this, report);
  const std::uint64_t units = cluster.matrix_units.size();
  if (clusters * cluster.cores > kMostCores)
    report({"clusters", "cluster.cores"},
           fmt::format("a machine has at most {} cores: cluster.cores may be at most {} here", kMostCores,
                       kMostCores / clusters));
  const std::uint64_t requesters = clusters * cluster.bus_masters().size() + 3;  // debugger, queues, host
  if (!network.is_crossbar() && requesters > base::PortSet::kMost)
    report({"clusters", "network.kind"},
           fmt::format("a bus has at most {} requesters, {} for each cluster here: clusters at most {}, or "
                       "network.kind=crossbar",
                       base::PortSet::kMost, cluster.bus_masters().size(),
                       (base::PortSet::kMost - 3) / cluster.bus_masters().size()));
  if (l2.read_only())
    report({"l2.write_policy"}, "stores come to this cache; use write_back or write_through");
  if (clusters % l2.partitions != 0)
    report({"clusters", "l2.partitions"},
           fmt::format("each partition serves the same number of clusters; with {} cluster{} and {} ways, "
                       "l2.partitions can be {}",
                       clusters, clusters == 1 ? "" : "s", l2.ways, fmt::join(possible_partitions(), ", ")));
  for (const bool data : {true, false})
    if ((data ? cluster.dcache : cluster.icache).line_bytes > l2.line_bytes)
      report({data ? "cluster.dcache.line_bytes" : "cluster.icache.line_bytes", "l2.line_bytes"},
             "a level 1 line must fit into a level 2 line: at most " + std::to_string(l2.line_bytes));
  if (cluster.shared_icache.present && cluster.shared_icache.line_bytes > l2.line_bytes)
    report({"cluster.shared_icache.line_bytes", "l2.line_bytes"},
           "a line of the clusters' instruction cache must fit into a level 2 line: at most " +
               std::to_string(l2.line_bytes));
  if (units != 0 && cluster.dma.max_request > l2.line_bytes)
    report({"cluster.dma.max_request", "l2.line_bytes"},
           "a request of the DMA must fit into a level 2 line: l2.line_bytes at least " +
               std::to_string(cluster.dma.max_request));
  if (l2.slices == 1 && l2.line_bytes > main_memory.interleave_bytes)
    report({"l2.line_bytes", "main_memory.interleave_bytes"},
           "a level 2 line must lie in one DRAM channel: interleave_bytes at least " +
               std::to_string(l2.line_bytes));
  if (main_memory.base + main_memory.size > kAddresses)
    report({"main_memory.base", "main_memory.size"},
           "memory ends beyond the 32-bit address space; size may be at most " +
               std::to_string(kAddresses - main_memory.base) + " here");
  check_slices(*this, report);
  check_command_processor(*this, report);
  check_stacks(*this, report);
  check_edge(*this, report);
}

}  // namespace spica::soc
