// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/object_table.h"

#include <fmt/format.h>

#include "platform/base/input/user_error.h"

namespace spica::session {

std::uint32_t ObjectTable::add(const protocol::KernelObject& object) {
  if (free_.empty() && used_ == count_)
    throw input::UserError(fmt::format(
        "the programs have more than {} kernels: remove programs that are no longer used", count_));
  std::uint32_t address = 0;
  if (free_.empty()) {
    address = base_ + used_++ * protocol::kKernelObjectBytes;
  } else {
    address = free_.back();
    free_.pop_back();
  }
  const protocol::KernelObject::Bytes bytes = object.encode();
  machine_.write(address, bytes.data(), bytes.size());
  return address;
}

}  // namespace spica::session
