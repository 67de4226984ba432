// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/invariant.h"
#include "models/cluster/completed_params.h"
#include "models/cluster/kinds.h"
#include "models/command_processor/command_processor_regs.h"
#include "models/simt_core/fast/hart.h"
#include "models/tensor_core/styles.h"

namespace spica::cluster {

namespace {

console::ConsoleParams putchar_params(const ClusterParams& p) {
  console::ConsoleParams result = p.console;
  result.base = p.memory_map.putchar_base;
  result.size = p.memory_map.putchar_bytes;
  return result;
}

std::string master_end(const ClusterParams& params, const ClusterPlace& place, const std::string& master) {
  const std::vector<std::string> all = params.peripheral_masters(place.host_port);
  const auto found = std::find(all.begin(), all.end(), master);
  SPICA_INVARIANT(found != all.end());
  return fmt::format("{}peripheral_bus.in_{}", place.box, found - all.begin());
}

/// Adds blocks and links of one box.
class Builder {
 public:
  Builder(assembly::Plan& plan, const ClusterParams& params, const ClusterPlace& place)
      : plan_(plan),
        p_(completed(params, place)),
        place_(place),
        wide_ports_(p_.wide_ports(place.host_port)),
        tensor_core_(tensor_core::parts_of(p_.tensor_style())) {}

  void add() {
    link_wide_ports();
    add_blocks();
    for (std::size_t core = 0; core < p_.cores; ++core) link_core(core);
    for (std::size_t n = 0; n < p_.data_caches(); ++n) link_data_cache(n);
    link_path();
    for (std::size_t unit = 0; unit < p_.matrix_units.size(); ++unit) link_unit(unit);
    link_peripherals();
  }

 private:
  std::string name(const char* block, std::size_t number) const {
    return fmt::format("{}{}_{}", place_.box, block, number);
  }
  std::string name(const char* block) const { return place_.box + block; }
  std::string tensor_core(std::size_t core) const { return name(tensor_core_->block.name.c_str(), core); }
  /// The level 1 data cache of a core, or its coalescer.
  std::string of_core(const char* block, std::size_t core) const {
    return p_.mio.shared_data_path ? name(block) : name(block, core);
  }
  /// One of the coalescers of a cache: of several the first has no number.
  std::string coalescer(std::size_t core, std::size_t number) const {
    return number == 0 ? of_core("coalescer", core) : name("coalescer", number);
  }
  void link(const std::string& from, const std::string& to) { plan_.link(from, to); }
  template <class Params>
  void add_each(const char* block, const char* kind, const Params& params) {
    for (std::size_t core = 0; core < p_.cores; ++core) plan_.add(name(block, core), kind, params);
  }

  /// That of a host is linked by the owner of the cluster.
  void link_wide_ports() {
    for (std::size_t port = 0; port < wide_ports_.size(); ++port)
      if (wide_ports_[port].from != kHostEnd)
        link(place_.box + wide_ports_[port].from, fmt::format("{}.wide_in_{}", name("shared_memory"), port));
  }

  /// In tick order: from memory towards the cores.
  void add_blocks() {
    if (p_.shared_icache.present)
      plan_.add(name("shared_icache"), "cache", static_cast<const cache::Params&>(p_.shared_icache));
    add_each("icache", "cache", p_.icache);
    for (std::size_t n = 0; n < p_.data_caches(); ++n) plan_.add(of_core("dcache", n), "cache", p_.dcache);
    for (std::size_t n = 0; n < p_.data_caches(); ++n)
      for (std::size_t i = 0; i < p_.coalescers(); ++i) plan_.add(coalescer(n, i), "coalescer", p_.coalescer);
    plan_.add(name("shared_memory"), "shared_memory", p_.shared_memory);
    if (p_.mio.present) plan_.add(name("mio"), "mio", p_.mio);
    if (p_.multicast.present) plan_.add(name("multicast"), "multicast", p_.multicast);
    for (std::size_t unit = 0; unit < p_.matrix_units.size(); ++unit) {
      dma::DmaParams dma = p_.dma;
      dma.accumulator_row_bytes = p_.matrix_units[unit].accumulator_row_bytes();
      plan_.add(name("dma", unit), "dma", dma);
    }
    for (std::size_t unit = 0; unit < p_.matrix_units.size(); ++unit)
      plan_.add(name("matrix_unit", unit), "matrix_unit", p_.matrix_units[unit]);
    plan_.add(name("accelerator"), "accelerator_node", p_.matrix_units.size());
    plan_.add(name("print_buffer"), "console", p_.console);
    plan_.add(name("putchar"), "console", putchar_params(p_));
    plan_.add(name("peripheral_bus"), "peripheral_bus", p_.peripheral_bus);
    plan_.add(name("barrier"), "barrier", p_.barrier);
    for (std::size_t core = 0; tensor_core_ != nullptr && core < p_.cores; ++core)
      plan_.add(tensor_core(core), tensor_core_->block.name, p_.tensor_core);
    if (p_.core.offload.enabled) add_each("mma_offload", "mma_offload", p_.core.offload);
    if (p_.core.reuses_loads()) add_each("load_reuse", "load_reuse", p_.core.reuse);
    for (unsigned core = 0; core < p_.cores; ++core)
      plan_.add(name("core", core), "simt_core",
                CoreParams{p_.core, {place_.first_core + core, core, place_.all_cores}});
  }

  void link_shared_memory(std::size_t n) {
    const std::string core = name("core", n) + ".smem", path = fmt::format("{}.smem_in_{}", name("mio"), n);
    if (!p_.mio.present) return link(core, fmt::format("{}.core_in_{}", name("shared_memory"), n));
    if (!p_.multicast.present) return link(core, path);
    link(core, fmt::format("{}.in_{}", name("multicast"), n));
    link(fmt::format("{}.out_{}", name("multicast"), n), path);
    link(name("core", n) + ".hints", name("multicast") + ".hints");
  }

  /// From the shared path of the cores to the memories.
  void link_path() {
    if (!p_.mio.present) return;
    for (unsigned unit = 0; unit < p_.mio.count(); ++unit)
      link(fmt::format("{}.smem_{}", name("mio"), unit),
           fmt::format("{}.core_in_{}", name("shared_memory"), unit));
    for (unsigned unit = 0; p_.mio.shared_data_path && unit < p_.mio.full(); ++unit)
      link(fmt::format("{}.gmem_{}", name("mio"), unit), coalescer(0, unit) + ".in");
  }

  /// Each coalescer has ports of its own to the cache.
  void link_data_cache(std::size_t n) {
    const std::size_t ports = p_.dcache.ports / p_.coalescers();
    for (std::size_t port = 0; port < p_.dcache.ports; ++port)
      link(fmt::format("{}.out_{}", coalescer(n, port / ports), port % ports),
           fmt::format("{}.in_{}", of_core("dcache", n), port));
  }

  void link_core(std::size_t n) {
    const std::string core = name("core", n);
    const auto path = [&](const char* socket) { return fmt::format("{}.{}_{}", name("mio"), socket, n); };
    link(core + ".icache", name("icache", n) + ".in_0");
    if (p_.shared_icache.present)
      link(name("icache", n) + ".out", fmt::format("{}.in_{}", name("shared_icache"), n));
    link(core + ".gmem", p_.mio.shared_data_path ? path("gmem_in") : name("coalescer", n) + ".in");
    link_shared_memory(n);
    link(core + ".mmio", master_end(p_, place_, fmt::format("core_{}.mmio", n)));
    link(core + ".barrier", name("barrier") + ".in");
    link(fmt::format("{}.release_{}", name("barrier"), n), core + ".release");
    link(core + ".accelerator", name("accelerator"));
    link(core + ".fault", place_.fault);
    link(core + ".marker", "marker");
    if (tensor_core_ != nullptr) link_tensor_core(n);
    if (p_.core.reuses_loads()) {
      link(core + ".load_reuse", name("load_reuse", n) + ".in");
      link(core + ".hints", name("load_reuse", n) + ".hints");
    }
  }

  void link_tensor_core(std::size_t n) {
    const tensor_core::StyleParts& style = *tensor_core_;
    const std::string core = name("core", n), port = core + "." + style.port, tensor = tensor_core(n);
    if (!style.back.empty()) link(tensor + "." + style.back, core + "." + style.back_to);
    if (!p_.core.offload.enabled) return link(port, tensor + ".in");
    const std::string offload = name("mma_offload", n);
    link(port, offload + ".in");
    link(offload + ".out", tensor + ".in");
    link(core + ".lanes", offload + ".lanes");
  }

  void link_unit(std::size_t n) {
    const std::string unit = name("matrix_unit", n), dma = name("dma", n);
    link(unit + ".dma", dma + ".in");
    link(dma + ".accumulator", unit + ".accumulator");
    link(unit + ".fault", place_.fault);
    link(fmt::format("{}.out_{}", name("accelerator"), n), unit);
  }

  /// Windows are linked by their owners.
  void link_peripherals() {
    const std::vector<protocol::Region> all = peripherals(p_.memory_map, p_.map_inputs(place_.windows));
    for (std::size_t i = 0; i + place_.windows.size() < all.size(); ++i) {
      const bool is_unit = all[i].unit != protocol::Region::kNoUnit;
      link(fmt::format("{}.out_{}", name("peripheral_bus"), all[i].target),
           place_.box + all[i].name + (is_unit ? ".mmio" : ".in"));
    }
    link(name("print_buffer") + ".console", "console");
    link(name("putchar") + ".console", "console");
    link(name("accelerator") + ".fault", place_.fault);
  }

  assembly::Plan& plan_;
  const ClusterParams p_;
  const ClusterPlace& place_;
  const std::vector<WidePort> wide_ports_;
  const tensor_core::StyleParts* const tensor_core_;  // nullptr: the cores have none
};

}  // namespace

void add_cluster(assembly::Plan& plan, const ClusterParams& params, const ClusterPlace& place) {
  Builder(plan, params, place).add();
}

HostEnds cluster_host_ends(const ClusterParams& params, const ClusterPlace& place) {
  const std::vector<WidePort> ports = params.wide_ports(place.host_port);
  const auto port =
      std::find_if(ports.begin(), ports.end(), [](const WidePort& p) { return p.from == kHostEnd; });
  return {fmt::format("{}shared_memory.wide_in_{}", place.box, port - ports.begin()),
          master_end(params, place, kHostEnd)};
}

std::string window_end(const ClusterParams& params, const ClusterPlace& place, const std::string& window) {
  const std::vector<protocol::Region> all = peripherals(params.memory_map, params.map_inputs(place.windows));
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == window; });
  SPICA_INVARIANT(found != all.end());
  return fmt::format("{}peripheral_bus.out_{}", place.box, found->target);
}

void link_dispatcher(assembly::Plan& plan, const ClusterParams& params, const ClusterPlace& place,
                     unsigned cluster) {
  plan.link(fmt::format("dispatcher.barriers_{}", cluster), place.box + "barrier.shares");
  for (unsigned n = 0; n < params.cores; ++n) {
    const std::string core = fmt::format("{}core_{}", place.box, n);
    plan.link(fmt::format("dispatcher.warps_{}", place.first_core + n), core + ".groups");
    plan.link(core + ".group_ends", "dispatcher.ends");
  }
}

void add_hart(assembly::Plan& plan, const ClusterParams& params, unsigned cores, const std::string& fault) {
  const protocol::Region memory{"the memory of the command processor", FIRMWARE_MEMORY, FIRMWARE_MEMORY_BYTES,
                                protocol::Route::kGlobal};
  const protocol::Region registers{"the command processor", FIRMWARE_REGISTERS, FIRMWARE_REGISTERS_BYTES,
                                   protocol::Route::kPeripheral};
  plan.add("hart", "hart", simt_core::fast::HartParams{params.core, {cores, 0, cores}, memory, registers});
  plan.link("hart.bus", "command_processor.hart_bus");
  plan.link("hart.fault", fault);
  plan.link("command_processor.hart", "hart");
}

}  // namespace spica::cluster
