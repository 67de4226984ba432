// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/fast_cluster.h"

#include <algorithm>

namespace spica::cluster {

namespace {

console::ConsoleParams window(console::ConsoleParams params, std::uint64_t base, std::uint64_t size) {
  params.base = base;
  params.size = size;
  return params;
}

}  // namespace

FastCluster::FastCluster(const sc_core::sc_module_name& name, const ClusterParams& params,
                         unsigned first_core, unsigned all_cores, const protocol::AddressMap& map,
                         const base::ClockDomain& clock, protocol::LooseTime& time,
                         const protocol::PointedMemory& global)
    : sc_module(name),
      params_(params.completed()),
      accelerator("accelerator", time),
      peripheral_bus("peripheral_bus", params_.peripheral_bus, clock, map),
      print_buffer("print_buffer", params_.console, clock),
      putchar(std::make_unique<console::Console>(
          "putchar",
          window(params_.console, params_.memory_map.putchar_base, params_.memory_map.putchar_bytes), clock)),
      shared_bytes_(params_.shared_memory.size),
      shared_{params_.memory_map.shared_base, params_.shared_memory.size, shared_bytes_.data(),
              &shared_reservations_},
      code_(map, global.data, global.base, static_cast<unsigned>((params_.core.lanes + 7) / 8 * 8),
            params_.core),
      barriers_(static_cast<unsigned>(params_.barrier.ids), static_cast<unsigned>(params_.cores)) {
  const ClusterParams& p = params_;
  cores.init(p.cores, [&](const char* instance, std::size_t i) {
    const auto core = static_cast<unsigned>(i);
    return new simt_core::fast::FastCore(instance, p.core, {first_core + core, core, all_cores}, map, time);
  });
  if (p.tensor_core.present)
    tensor_cores.init(p.cores, [&](const char* instance, std::size_t) {
      return new tensor_core::FastTensorCore(instance, p.tensor_core);
    });
  matrix_units.init(p.matrix_units.size(), [&](const char* instance, std::size_t i) {
    return new matrix_unit::FastMatrixUnit(instance, p.matrix_units[i], clock.period(), time);
  });
  dmas.init(p.matrix_units.size(), [&](const char* instance, std::size_t i) {
    dma::DmaParams dma = p.dma;
    dma.accumulator_row_bytes = p.matrix_units[i].accumulator_row_bytes();
    return new dma::FastDma(instance, dma, clock.period());
  });
  for (auto& core : cores) core.connect(code_, global, shared_);
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit) {
    matrix_units[unit].connect(shared_);
    dmas[unit].connect(global, shared_);
  }
  bind();
}

void FastCluster::bind() {
  for (std::size_t i = 0; i < cores.size(); ++i) {
    simt_core::fast::FastCore& core = cores[i];
    core.mmio.bind(peripheral_bus.in[i]);
    core.barrier.bind(*this);
    core.accelerator.bind(accelerator);
    core.fault.bind(fault);
    core.marker.bind(marker);
    if (params_.tensor_core.present) core.tensor.bind(tensor_cores[i].in);
  }
  peripheral_bus.out[kPrintTarget].bind(print_buffer.in);
  peripheral_bus.out[kPutcharTarget].bind(putchar->in);
  print_buffer.console.bind(console);
  putchar->console.bind(console);
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit) {
    matrix_unit::FastMatrixUnit& matrix = matrix_units[unit];
    peripheral_bus.out[kFirstUnitTarget + unit].bind(matrix.mmio);
    matrix.dma.bind(dmas[unit].in);
    dmas[unit].accumulator.bind(matrix.accumulator);
    matrix.fault.bind(fault);
    accelerator.attach(matrix);
  }
  accelerator.fault.bind(fault);
}

void FastCluster::reset() {
  for (auto& core : cores) core.reset();
  for (auto& unit : matrix_units) unit.reset();
  for (auto& dma : dmas) dma.reset();
  accelerator.reset();
  peripheral_bus.reset();
  print_buffer.reset();
  putchar->reset();
  barriers_.reset();
  std::fill(shared_bytes_.begin(), shared_bytes_.end(), static_cast<unsigned char>(0));
  shared_reservations_.clear();
}

void FastCluster::arrive(unsigned core, unsigned id) {
  barriers_.arrive(core, id % barriers_.ids(), 0);
  while (barriers_.any_complete()) {
    const unsigned complete = barriers_.release().id;
    for (auto& released : cores) released.release(complete);
  }
}

}  // namespace spica::cluster
