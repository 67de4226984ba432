// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "models/protocol/payload/fragment_access.h"
#include "models/simt_core/fast/memories.h"
#include "models/simt_core/warp/executor.h"

namespace spica::simt_core::fast {

/// The environment of a fast-mode tensor unit.
struct TensorSite {
  const Params& params;
  const CoreIdentity& identity;
  const protocol::AddressMap& map;
  CoreState& state;
  Executor& executor;
  const Memories& memories;
  /// Reports the instruction to observers before it takes effect.
  std::function<void(const isa::Instruction&, std::uint32_t pc, const protocol::FragmentAccess*)>
      notify_issue;
};

/// Like simt_core::TensorUnit, without timing: an instruction completes at once.
class TensorUnit {
 public:
  explicit TensorUnit(const TensorSite& site) : site_(site) {}
  virtual ~TensorUnit() = default;
  TensorUnit(const TensorUnit&) = delete;
  TensorUnit& operator=(const TensorUnit&) = delete;

  virtual Effect execute(const Executor::At& at, const isa::Instruction& instruction) {
    return site_.executor.refuse(no_tensor_core(instruction), at, instruction);
  }

 protected:
  const TensorSite site_;
};

/// Empty: the core has no tensor core.
using TensorUnitMaker = std::function<std::unique_ptr<TensorUnit>(const TensorSite&)>;

template <class Unit>
TensorUnitMaker make_tensor_unit() {
  return [](const TensorSite& site) { return std::make_unique<Unit>(site); };
}

}  // namespace spica::simt_core::fast
