// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/payload/marker.h"

namespace spica::protocol {

/// Chooses which units of a loop are done, and in which order; without it all are, in the order of the program.
class UnitSequenceIf {
 public:
  virtual ~UnitSequenceIf() = default;
  /// The value that the program gets: of kLoop the same one, of kUnit that of the unit to do.
  virtual std::uint32_t follow(const UnitMark& mark) = 0;
};

/// Implemented by the platform; a core calls it when it issues a marker instruction. Markers take no extra time.
class MarkerIf : public virtual sc_core::sc_interface {
 public:
  virtual void marked(Marker marker) = 0;
  /// As UnitSequenceIf::follow().
  virtual std::uint32_t marked_unit(const UnitMark& mark) { return mark.value; }
};

}  // namespace spica::protocol
