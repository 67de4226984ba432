// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace spica::base {

/// The objects that pointers in a checkpoint can name, by number. A pointer is saved as the number of its object, and
/// loaded as the object that has this number now. Blocks add their objects in the same order when saving and loading
/// (Block::objects()); 0 is nullptr.
class Objects {
 public:
  void add(void* object) {
    objects_.push_back(object);
    numbers_[object] = static_cast<std::uint32_t>(objects_.size());
  }
  /// Throws cereal::Exception if the object has not been added.
  std::uint32_t number(const void* object) const;
  void* at(std::uint32_t number) const;

 private:
  std::vector<void*> objects_;
  std::unordered_map<const void*, std::uint32_t> numbers_;
};

/// Saves or loads a pointer to an object that was added as a `Root`: its own type or a base class.
template <class Root, class Archive, class T>
void point(Archive& archive, T*& pointer);

}  // namespace spica::base

/// Lets a checkpoint save pointers to `Type`, whose objects are added as `Root`. Use outside of namespaces.
#define SPICA_CHECKPOINT_POINTER(Type, Root)         \
  namespace cereal {                                 \
  template <class Archive>                           \
  void serialize(Archive& archive, Type*& pointer) { \
    spica::base::point<Root>(archive, pointer);      \
  }                                                  \
  }
