// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/request_info.h"

namespace spica::matrix_unit {

/// What takes the words that cores write to CSR 0xACC.
class CommandIf : public virtual sc_core::sc_interface {
 public:
  /// A word that core `core` of the cluster wrote, unit number (bits 7:5) cleared.
  virtual void command(unsigned core, std::uint32_t word, const protocol::Origin& origin) = 0;
  /// The busy bit as `cycle` leaves it.
  virtual bool busy(base::Cycle cycle) const = 0;
};

/// The same in the fast mode, where all is done when the word has been taken.
class LooseCommandIf : public CommandIf {
 public:
  /// The first cycle in which the unit has nothing to do.
  virtual base::Cycle idle_from() const = 0;
};

}  // namespace spica::matrix_unit
