// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/pfr/core.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <type_traits>

namespace spica::base {

/// The state of a machine on its way to a file or to memory, or back. A block names what it consists of once, for both
/// ways: `checkpoint(a_, b_)`. What is loaded comes from a machine of the same parameters.
///
/// Numbers, enumerations, containers of the standard library, plain structs (field by field) and classes with a member
/// `template <class Archive> void serialize(Archive&)` can be named. Bytes are the same on every host.
class Checkpoint {
 public:
  /// Saves to a stream, or loads from one; both throw cereal::Exception when it ends too early.
  explicit Checkpoint(std::ostream& to) { out_.emplace(to); }
  explicit Checkpoint(std::istream& from) { in_.emplace(from); }

  bool loads() const { return in_.has_value(); }

  template <class... Values>
  void operator()(Values&... values) {
    if (out_) (*out_)(values...);
    else (*in_)(values...);
  }
  /// `count` bytes as they are.
  void bytes(unsigned char* data, std::size_t count) {
    if (out_) (*out_)(cereal::binary_data(data, count));
    else (*in_)(cereal::binary_data(data, count));
  }

 private:
  std::optional<cereal::PortableBinaryOutputArchive> out_;
  std::optional<cereal::PortableBinaryInputArchive> in_;
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
