// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/pfr/core.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <type_traits>
#include <utility>

#include "models/base/objects.h"

namespace spica::base {

namespace detail {
/// True for the archives that checkpoints use; no other archive is supported.
template <class Archive>
struct WithObjects : Archive {
  template <class Stream>
  WithObjects(Stream& stream, Objects& all) : Archive(stream), objects(all) {}
  Objects& objects;
};
}  // namespace detail

template <class Root, class Archive, class T>
void point(Archive& archive, T*& pointer) {
  const Objects& objects = static_cast<detail::WithObjects<Archive>&>(archive).objects;
  std::uint32_t number = 0;
  if constexpr (Archive::is_saving::value) {
    number = objects.number(static_cast<const Root*>(pointer));
    archive(number);
  } else {
    archive(number);
    pointer = static_cast<T*>(static_cast<Root*>(objects.at(number)));
  }
}

/// The state of a machine while it is saved or loaded. A block names its members once for both directions:
/// `checkpoint(a_, b_)`. A checkpoint is loaded into a machine with the same parameters.
///
/// Accepts numbers, enumerations, standard containers, plain structs (field by field), classes with `template <class
/// Archive> void serialize(Archive&)`, and pointers to objects registered in Objects. The bytes are the same on every
/// host.
class Checkpoint {
 public:
  /// Saves to a stream, or loads from one. Both throw cereal::Exception if the stream ends early or cannot be written.
  explicit Checkpoint(std::ostream& to) : Checkpoint(to, own_) {}
  explicit Checkpoint(std::istream& from) : Checkpoint(from, own_) {}
  /// The same with Objects that several checkpoints share.
  Checkpoint(std::ostream& to, Objects& objects) : objects_(objects) { out_.emplace(to, objects); }
  Checkpoint(std::istream& from, Objects& objects) : objects_(objects) { in_.emplace(from, objects); }

  bool loads() const { return in_.has_value(); }
  Objects& objects() { return objects_; }

  template <class... Values>
  void operator()(Values&... values) {
    if (out_) static_cast<Out&>(*out_)(values...);
    else static_cast<In&>(*in_)(values...);
  }
  /// Each element of a container of fixed size.
  template <class Container>
  void each(Container& values) {
    for (auto& value : values) (*this)(value);
  }
  /// `count` bytes, unchanged.
  void bytes(unsigned char* data, std::size_t count) {
    if (out_) (*out_)(cereal::binary_data(data, count));
    else (*in_)(cereal::binary_data(data, count));
  }

 private:
  using Out = cereal::PortableBinaryOutputArchive;
  using In = cereal::PortableBinaryInputArchive;

  Objects own_;
  Objects& objects_;
  std::optional<detail::WithObjects<Out>> out_;
  std::optional<detail::WithObjects<In>> in_;
};

namespace detail {
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t n>
struct IsArray<std::array<T, n>> : std::true_type {};
template <class Archive, class T, class = void>
struct SerializesItself : std::false_type {};
template <class Archive, class T>
struct SerializesItself<Archive, T,
                        std::void_t<decltype(std::declval<T&>().serialize(std::declval<Archive&>()))>>
    : std::true_type {};
}  // namespace detail

}  // namespace spica::base

namespace cereal {

/// A plain struct: its fields in their order.
template <class Archive, class T,
          std::enable_if_t<std::is_class_v<T> && std::is_aggregate_v<T> &&
                               !spica::base::detail::IsArray<T>::value &&
                               !spica::base::detail::SerializesItself<Archive, T>::value,
                           int> = 0>
void serialize(Archive& archive, T& value) {
  boost::pfr::for_each_field(value, [&](auto& field) { archive(field); });
}

}  // namespace cereal
