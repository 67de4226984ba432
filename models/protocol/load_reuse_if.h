// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/warp_access.h"

namespace spica::protocol {

/// Asked by a core whether a load of a fragment (wmma32.load) from shared memory has to be done: not where another of
/// its warps has done the same one.
///
/// The core says in the order of issue what may make a value old (MemoryHintsIf); whoever implements this keeps to it,
/// so that a load brings what it could have read in memory after the last fence, barrier, atomic or store to shared
/// memory of its warp.
class LoadReuseIf : public virtual sc_core::sc_interface {
 public:
  static constexpr unsigned kNone = ~0u;
  struct Load {
    std::uint8_t warp = 0, fragment = 0;
    std::uint8_t source = 0;  // register of the address
    std::uint8_t form = 0;  // number of the form, and whether the matrix lies by columns
    Operand operand = Operand::kNone;
    std::uint32_t base = 0, stride = 0;  // address, and distance of rows (columns) in elements
    bool same_as(const Load& other) const {
      return fragment == other.fragment && source == other.source && form == other.form &&
             operand == other.operand && base == other.base && stride == other.stride;
    }
  };
  /// A warp whose fragment of that number holds what the load would bring, or will when its own load is done: from now
  /// on the fragment of the loading warp is the same. kNone: the load is done, and known from now on.
  virtual unsigned find(const Load& load) = 0;
  /// Cycles from a find() that found to the first use of the fragment, where its values are there.
  virtual unsigned latency() const = 0;
  /// Something else will be written to a fragment of a warp.
  virtual void overwrite(unsigned warp, unsigned fragment) = 0;
};

}  // namespace spica::protocol
