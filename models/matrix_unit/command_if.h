// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/payload/request_info.h"

namespace spica::matrix_unit {

/// Receives the words that cores write to CSR 0xACC.
class CommandIf : public virtual sc_core::sc_interface {
 public:
  /// A word written by core `core` of the cluster, unit number (bits 7:5) cleared.
  virtual void command(unsigned core, std::uint32_t word, const protocol::Origin& origin) = 0;
  /// The busy bit at the end of `cycle`.
  virtual bool busy(base::Cycle cycle) const = 0;
};

/// The same for the fast mode, in which a word is completely executed when command() returns.
class LooseCommandIf : public CommandIf {
 public:
  /// The first cycle in which the unit is idle.
  virtual base::Cycle idle_from() const = 0;
};

}  // namespace spica::matrix_unit
