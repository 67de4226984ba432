// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster.h"

#include "models/cluster/memory_counters.h"

namespace spica::cluster {

ClusterParams ClusterParams::completed() const {
  ClusterParams p = *this;
  p.icache.ports = 1;
  p.dcache.ports = p.core.lanes + 1;
  p.coalescer.lanes = p.core.lanes;
  p.core.tensor_style = p.tensor_style();
  p.tensor_core.warps = p.core.warps;
  p.tensor_core.dispatch_depth = p.core.dispatch_depth;
  p.shared_memory.base = p.memory_map.shared_base;
  p.shared_memory.cores = p.cores;
  p.shared_memory.lanes = p.core.lanes;
  p.shared_memory.wide_ports.clear();
  for (std::size_t unit = 0; unit < p.matrix_units.size(); ++unit) {
    using shared_memory::WideClient;
    for (const WideClient client : {WideClient::kMatrixA, WideClient::kMatrixB, WideClient::kDma})
      p.shared_memory.wide_ports.push_back(client);
    p.matrix_units[unit].shared_bytes = p.shared_memory.size;
    p.matrix_units[unit].unit = unit;
  }
  if (p.tensor_core.is_decoupled())
    p.shared_memory.wide_ports.insert(p.shared_memory.wide_ports.end(), 2 * p.cores,
                                      shared_memory::WideClient::kTensorCore);
  if (p.host_port) p.shared_memory.wide_ports.push_back(shared_memory::WideClient::kHost);
  p.barrier.cores = p.cores;
  p.console.base = p.memory_map.shared_base + p.shared_memory.size;
  p.console.size = p.cores * p.memory_map.print_bytes_per_core;
  p.peripheral_bus.masters = p.cores + (p.host_port ? 1 : 0);
  p.peripheral_bus.targets = kFirstUnitTarget + p.matrix_units.size();
  return p;
}

namespace {

console::ConsoleParams putchar_params(const ClusterParams& p) {
  console::ConsoleParams result = p.console;
  result.base = p.memory_map.putchar_base;
  result.size = p.memory_map.putchar_bytes;
  return result;
}

}  // namespace

Cluster::Cluster(const sc_core::sc_module_name& name, const ClusterParams& params, unsigned first_core,
                 unsigned all_cores, const protocol::AddressMap& map, const base::ClockDomain& clock)
    : sc_module(name),
      params_(params.completed()),
      shared_memory("shared_memory", params_.shared_memory, clock),
      accelerator("accelerator", clock),
      peripheral_bus("peripheral_bus", params_.peripheral_bus, clock, map),
      print_buffer("print_buffer", params_.console, clock),
      putchar(std::make_unique<console::Console>("putchar", putchar_params(params_), clock)),
      barrier("barrier", params_.barrier, clock) {
  const ClusterParams& p = params_;
  cores.init(p.cores, [&](const char* instance, std::size_t i) {
    const auto core = static_cast<unsigned>(i);
    return new simt_core::SimtCore(instance, p.core, {first_core + core, core, all_cores}, map, clock);
  });
  if (p.tensor_core.synchronous())
    tensor_cores.init(p.cores, [&](const char* instance, std::size_t) {
      return new tensor_core::TensorCore(instance, p.tensor_core, clock);
    });
  if (p.tensor_core.is_decoupled())
    decoupled_tensor_cores.init(p.cores, [&](const char* instance, std::size_t) {
      return new tensor_core::DecoupledTensorCore(instance, p.tensor_core, clock);
    });
  icaches.init(p.cores, [&](const char* instance, std::size_t) {
    return new cache::Cache(instance, p.icache, clock);
  });
  dcaches.init(p.cores, [&](const char* instance, std::size_t) {
    return new cache::Cache(instance, p.dcache, clock);
  });
  coalescers.init(p.cores, [&](const char* instance, std::size_t) {
    return new coalescer::Coalescer(instance, p.coalescer, clock);
  });
  matrix_units.init(p.matrix_units.size(), [&](const char* instance, std::size_t i) {
    return new matrix_unit::MatrixUnit(instance, p.matrix_units[i], clock);
  });
  dmas.init(p.matrix_units.size(), [&](const char* instance, std::size_t i) {
    dma::DmaParams dma = p.dma;
    dma.accumulator_row_bytes = p.matrix_units[i].accumulator_row_bytes();
    return new dma::Dma(instance, dma, clock);
  });
  bind();
}

void Cluster::bind() {
  for (std::size_t i = 0; i < cores.size(); ++i) {
    simt_core::SimtCore& core = cores[i];
    core.icache.bind(icaches[i].in[0]);
    core.gmem.bind(coalescers[i].in);
    for (std::size_t port = 0; port < coalescers[i].out.size(); ++port)
      coalescers[i].out[port].bind(dcaches[i].in[port]);
    core.smem.bind(shared_memory.core_in[i]);
    core.mmio.bind(peripheral_bus.in[i]);
    core.barrier.bind(barrier.in);
    barrier.release[i].bind(core.release_port);
    core.accelerator.bind(accelerator);
    core.fault.bind(fault);
    show_instruction_cache(core.performance(), icaches[i]);
    show_data_cache(core.performance(), 0xB06, dcaches[i]);
    show_shared_memory(core.performance(), shared_memory);
    core.marker.bind(marker);
    if (params_.tensor_core.is_decoupled()) {
      tensor_core::DecoupledTensorCore& tensor = decoupled_tensor_cores[i];
      const std::size_t port = 3 * matrix_units.size() + 2 * i;
      core.decoupled_tensor.bind(tensor.in);
      tensor.registers.bind(core.tensor_registers);
      tensor.smem_a.bind(shared_memory.wide_in[port]);
      tensor.smem_b.bind(shared_memory.wide_in[port + 1]);
    }
    if (params_.tensor_core.synchronous()) {
      core.tensor.bind(tensor_cores[i].in);
      tensor_cores[i].result.bind(core.tensor_result);
    }
  }
  peripheral_bus.out[kPrintTarget].bind(print_buffer.in);
  peripheral_bus.out[kPutcharTarget].bind(putchar->in);
  print_buffer.console.bind(console);
  putchar->console.bind(console);
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit) {
    matrix_unit::MatrixUnit& matrix = matrix_units[unit];
    dma::Dma& dma = dmas[unit];
    peripheral_bus.out[kFirstUnitTarget + unit].bind(matrix.mmio);
    matrix.smem_a.bind(shared_memory.wide_in[3 * unit]);
    matrix.smem_b.bind(shared_memory.wide_in[3 * unit + 1]);
    dma.smem.bind(shared_memory.wide_in[3 * unit + 2]);
    matrix.dma.bind(dma.in);
    dma.accumulator.bind(matrix.accumulator);
    matrix.fault.bind(fault);
    accelerator.attach(matrix);
  }
  accelerator.fault.bind(fault);
}

std::vector<protocol::InitiatorSocket*> Cluster::masters() {
  std::vector<protocol::InitiatorSocket*> result;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    result.push_back(&icaches[i].out);
    result.push_back(&dcaches[i].out);
  }
  for (dma::Dma& dma : dmas) result.push_back(&dma.gmem);
  return result;
}

std::vector<base::Component*> Cluster::components() {
  std::vector<base::Component*> order;
  for (cache::Cache& cache : icaches) order.push_back(&cache);
  for (cache::Cache& cache : dcaches) order.push_back(&cache);
  for (coalescer::Coalescer& block : coalescers) order.push_back(&block);
  order.push_back(&shared_memory);
  for (dma::Dma& dma : dmas) order.push_back(&dma);
  for (matrix_unit::MatrixUnit& unit : matrix_units) order.push_back(&unit);
  order.push_back(&accelerator);
  order.push_back(&print_buffer);
  order.push_back(putchar.get());
  order.push_back(&peripheral_bus);
  order.push_back(&barrier);
  for (tensor_core::TensorCore& tensor : tensor_cores) order.push_back(&tensor);
  for (tensor_core::DecoupledTensorCore& tensor : decoupled_tensor_cores) order.push_back(&tensor);
  for (simt_core::SimtCore& core : cores) order.push_back(&core);
  return order;
}

}  // namespace spica::cluster
