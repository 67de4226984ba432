// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/simt_core/pipeline/units/execution_unit.h"

namespace spica::simt_core {

class LoadStoreUnit;

/// The part of a style of tensor cores that is inside the core: which instructions it takes and when they issue. It has
/// the ports to and from the tensor core, which are ports of the core, because it is made while the core is.
///
/// This one is that of a core without tensor core: it refuses all instructions.
class TensorUnit : public ExecutionUnit {
 public:
  using ExecutionUnit::ExecutionUnit;

  bool offer(const Candidate& c) override { return refuse(c, no_tensor_core(c.instruction)); }
  /// The next part of the instruction of warp `w` that has begun, if it can issue. True: it was the last one.
  virtual bool resume(unsigned, base::Cycle) { return false; }
  /// `warps` (a bit each), and those whose memory accesses they wait for.
  virtual std::uint32_t with_leaders(std::uint32_t warps) const { return warps; }
  /// Before the run, when all ports are bound.
  virtual void connect() {}
  void tick(base::Cycle) override {}
  bool done() const override { return true; }
};

/// Where a tensor unit is made.
struct TensorSite {
  const Stages& stages;
  Agenda& agenda;
  unsigned number;  // among the units of the core
  const std::vector<LoadStoreUnit*>& load_store;  // warp w uses unit w modulo their number
};
/// Empty: the core has no tensor core.
using TensorUnitMaker = std::function<std::unique_ptr<TensorUnit>(const TensorSite&)>;

/// The maker of a class of units that has such a constructor.
template <class Unit>
TensorUnitMaker make_tensor_unit() {
  return [](const TensorSite& site) { return std::make_unique<Unit>(site); };
}

}  // namespace spica::simt_core
