// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/simt_core/pipeline/units/execution_unit.h"

namespace spica::simt_core {

class LoadStoreUnit;

/// The core's part of a tensor-core style: the instructions it accepts, and when they issue. It owns the ports to the
/// tensor core, which become ports of the core because it is created in the core's constructor.
///
/// The base class is that of a core without tensor core: it refuses all instructions.
class TensorUnit : public ExecutionUnit {
 public:
  using ExecutionUnit::ExecutionUnit;

  bool offer(const Candidate& c) override { return refuse(c, no_tensor_core(c.instruction)); }
  /// Issues the next part of the instruction of warp `w` in progress, if possible. True: it was the last one.
  virtual bool resume(unsigned, base::Cycle) { return false; }
  /// `warps` (one bit each), and the warps for whose memory accesses they wait.
  virtual std::uint32_t with_leaders(std::uint32_t warps) const { return warps; }
  /// Before the run, when all ports are bound.
  virtual void connect() {}
  void tick(base::Cycle) override {}
  bool done() const override { return true; }
};

/// The environment of a tensor unit.
struct TensorSite {
  const Stages& stages;
  Agenda& agenda;
  unsigned number;  // number among the units of the core
  const std::vector<LoadStoreUnit*>& load_store;  // warp w uses unit w modulo their number
};
/// Empty: the core has no tensor core.
using TensorUnitMaker = std::function<std::unique_ptr<TensorUnit>(const TensorSite&)>;

/// The maker of a unit class with such a constructor.
template <class Unit>
TensorUnitMaker make_tensor_unit() {
  return [](const TensorSite& site) { return std::make_unique<Unit>(site); };
}

}  // namespace spica::simt_core
