// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/payload/warp_access.h"

namespace spica::protocol {

/// Asked by a core whether a load of a fragment (wmma32.load) from shared memory is needed. It is not if another warp
/// of the core has performed the same load.
///
/// The core reports, in issue order, all events that can make a value stale (MemoryHintsIf). An implementation must
/// respect them: a load returns a value that it could have read from memory after the last fence, barrier, atomic or
/// store to shared memory of its warp.
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
  /// A warp whose fragment of that number holds the loaded value, or will when its own load completes. From then on the
  /// fragment of the loading warp is an alias of it. kNone: the load is performed, and later loads can find it.
  virtual unsigned find(const Load& load) = 0;
  /// Cycles from a successful find() to the first use of the fragment, if its values are present.
  virtual unsigned latency() const = 0;
  /// A fragment of a warp is about to be overwritten.
  virtual void overwrite(unsigned warp, unsigned fragment) = 0;
};

}  // namespace spica::protocol
