// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"

namespace spica::base {

std::uint32_t Objects::number(const void* object) const {
  if (object == nullptr) return 0;
  const auto found = numbers_.find(object);
  if (found == numbers_.end())
    throw cereal::Exception("a pointer to an object that no block of this machine has");
  return found->second;
}

void* Objects::at(std::uint32_t number) const {
  if (number > objects_.size()) throw cereal::Exception("the number of a pointer matches no object");
  return number == 0 ? nullptr : objects_[number - 1];
}

}  // namespace spica::base
