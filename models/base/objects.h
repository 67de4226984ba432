// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace spica::base {

/// What pointers of a machine can point at, by number: a pointer is written as the number of its object, and read as
/// the object that has this number now. Blocks add theirs in the same order when they save and when they load
/// (Block::objects()); 0 is nullptr.
class Objects {
 public:
  void add(void* object) {
    objects_.push_back(object);
    numbers_[object] = static_cast<std::uint32_t>(objects_.size());
  }
  /// Throws cereal::Exception when it has not been added.
  std::uint32_t number(const void* object) const;
  void* at(std::uint32_t number) const;

 private:
  std::vector<void*> objects_;
  std::unordered_map<const void*, std::uint32_t> numbers_;
};

/// Saves or loads a pointer to an object that was added as a `Root`, which is what it is or is derived from.
template <class Root, class Archive, class T>
void point(Archive& archive, T*& pointer);

}  // namespace spica::base

/// Makes pointers to `Type`, whose objects are added as `Root`, part of what a checkpoint can name. Outside of
/// namespaces.
#define SPICA_CHECKPOINT_POINTER(Type, Root)         \
  namespace cereal {                                 \
  template <class Archive>                           \
  void serialize(Archive& archive, Type*& pointer) { \
    spica::base::point<Root>(archive, pointer);      \
  }                                                  \
  }
