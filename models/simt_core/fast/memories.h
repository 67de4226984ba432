// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/payload/address_map.h"
#include "models/protocol/transport/pointed_memory.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

/// The memories of a fast-mode core, and the windows through which its loops access them.
class Memories {
 public:
  /// `row`: bytes of a row of words of all lanes.
  void connect(const protocol::PointedMemory& global, const protocol::PointedMemory& shared,
               const protocol::AddressMap& map, std::uint32_t row);
  const protocol::PointedMemory& global() const { return global_; }
  const protocol::PointedMemory& shared() const { return shared_; }
  /// Sets the windows that the loops may currently access.
  void open_windows(Slice& slice) const;

 private:
  protocol::PointedMemory global_, shared_;
  Window global_window_, shared_window_;
};

}  // namespace spica::simt_core::fast
