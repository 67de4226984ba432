// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/params.h"
#include "models/base/types.h"

namespace spica::protocol {

/// How chunks of consecutive bytes are distributed over slices.
enum class SliceHash : std::uint8_t {
  kNone,         // chunk number modulo slices
  kXor,          // and the fields of the remaining bits folded into it
  kIpoly,        // remainder of a polynomial division (Rau, ISCA 1991); slices are a power of two
  kIpolyFolded,  // the same over the next power of two, whose upper part is folded onto the first slices
  kIpolyMod,     // chunk number plus a hash of the quotient, modulo slices
};
inline constexpr base::Choices kSliceHashes{base::Choice<SliceHash>{"none", SliceHash::kNone},
                                            base::Choice<SliceHash>{"xor", SliceHash::kXor},
                                            base::Choice<SliceHash>{"ipoly", SliceHash::kIpoly},
                                            base::Choice<SliceHash>{"ipoly_folded", SliceHash::kIpolyFolded},
                                            base::Choice<SliceHash>{"ipoly_mod", SliceHash::kIpolyMod}};

/// The home of each byte of memory: a slice, and an offset in it. One to one: every byte has one home, and the homes of
/// memory from address 0 on leave no gap in a slice.
class SliceMap {
 public:
  static constexpr std::uint64_t kMost = 256;
  struct Home {
    unsigned slice = 0;
    std::uint64_t offset = 0;
  };

  /// `slices`: 1 to kMost; kIpoly needs a power of two. `chunk_bytes`: a power of two.
  SliceMap(std::uint64_t slices, std::uint64_t chunk_bytes, SliceHash hash);

  unsigned slices() const { return slices_; }
  unsigned slice(base::Address address) const { return slices_ == 1 ? 0 : fold(virtual_slice(address)); }
  Home home(base::Address address) const;
  /// The inverse of home().
  base::Address address(const Home& home) const;

 private:
  /// Quotient and remainder of a chunk number by the virtual slices.
  struct Split {
    std::uint64_t quotient;
    unsigned rest;
  };
  Split split(base::Address address) const;
  unsigned virtual_slice(base::Address address) const {
    const Split chunk = split(address);
    return place(chunk.rest, chunk.quotient);
  }
  unsigned place(unsigned rest, std::uint64_t quotient) const;
  unsigned hash(std::uint64_t quotient) const;
  unsigned fold(unsigned virtual_slice) const {
    return virtual_slice < slices_ ? virtual_slice : virtual_slice - slices_;
  }
  /// Virtual slices that are folded onto this one.
  unsigned copies(unsigned slice) const { return slice + slices_ < virtual_slices_ ? 2 : 1; }

  const unsigned slices_, virtual_slices_;
  const bool power_of_two_;  // the number of virtual slices
  const unsigned bits_;  // of a virtual slice
  const unsigned chunk_shift_;
  const SliceHash hash_;
  std::vector<std::array<std::uint16_t, 256>> remainders_;  // of each value of each byte of a quotient
};

}  // namespace spica::protocol
