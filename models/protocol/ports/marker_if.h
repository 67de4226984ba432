// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/protocol/payload/marker.h"

namespace spica::protocol {

/// Implemented by the platform; a core calls it when it issues a marker instruction (kernels sgemm_tcore/kernel.cpp).
/// Markers do not affect the program and take no extra time.
class MarkerIf : public virtual sc_core::sc_interface {
 public:
  virtual void marked(Marker marker) = 0;
};

}  // namespace spica::protocol
