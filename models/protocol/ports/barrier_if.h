// SPDX-License-Identifier: Apache-2.0
// Handshake between the cores of a cluster and its barrier synchronizer (virgo tile/Barrier.scala).
#pragma once

#include <systemc>

namespace spica::protocol {

/// Implemented by the synchronizer; the cores call it through their `barrier` port.
class BarrierIf : public virtual sc_core::sc_interface {
 public:
  /// All participants of barrier `id` on core `core` (number within the cluster) have arrived.
  virtual void arrive(unsigned core, unsigned id) = 0;
};

/// Implemented by each core; the synchronizer calls it through its `release` ports.
class BarrierReleaseIf : public virtual sc_core::sc_interface {
 public:
  /// All cores have arrived at barrier `id`: the waiting warps continue. `without_some`: cores that have left
  /// it did not arrive.
  virtual void release(unsigned id, bool without_some) = 0;
};

}  // namespace spica::protocol
