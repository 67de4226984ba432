// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/payload/slice_map.h"

#include "models/base/bits.h"
#include "models/base/invariant.h"

namespace spica::protocol {

namespace {

/// An irreducible polynomial over GF(2) of each degree, one bit for each coefficient.
constexpr std::array<unsigned, 9> kPolynomials{1, 0x3, 0x7, 0xB, 0x13, 0x25, 0x43, 0x83, 0x11B};
/// For ipoly_mod: large enough that its remainders, modulo any number of slices, are even to 2 %.
constexpr unsigned kWidePolynomial = 0x1053, kWideDegree = 12;
constexpr unsigned kQuotientBytes = 4;

/// The remainder of `value` times x^degree by a polynomial of that degree.
unsigned remainder(std::uint64_t value, unsigned polynomial, unsigned degree) {
  if (degree == 0) return 0;
  value <<= degree;
  for (unsigned bit = 63; bit >= degree; --bit)
    if ((value >> bit & 1) != 0) value ^= std::uint64_t{polynomial} << (bit - degree);
  return static_cast<unsigned>(value);
}

}  // namespace

SliceMap::SliceMap(std::uint64_t slices, std::uint64_t chunk_bytes, SliceHash hash)
    : slices_(static_cast<unsigned>(slices)),
      virtual_slices_(hash == SliceHash::kIpolyFolded ? base::next_power_of_two(slices_) : slices_),
      power_of_two_((virtual_slices_ & (virtual_slices_ - 1)) == 0),
      bits_(static_cast<unsigned>(__builtin_ctz(base::next_power_of_two(virtual_slices_)))),
      chunk_shift_(static_cast<unsigned>(__builtin_ctzll(chunk_bytes))),
      hash_(hash) {
  SPICA_INVARIANT(slices != 0 && slices <= kMost && (hash != SliceHash::kIpoly || power_of_two_));
  if (hash == SliceHash::kNone || hash == SliceHash::kXor) return;
  const bool wide = hash == SliceHash::kIpolyMod;
  const unsigned degree = wide ? kWideDegree : bits_;
  remainders_.resize(kQuotientBytes);
  for (unsigned byte = 0; byte < kQuotientBytes; ++byte)
    for (unsigned value = 0; value < 256; ++value)
      remainders_[byte][value] = static_cast<std::uint16_t>(
          remainder(std::uint64_t{value} << 8 * byte, wide ? kWidePolynomial : kPolynomials[bits_], degree));
}

SliceMap::Split SliceMap::split(base::Address address) const {
  const std::uint64_t chunk = std::uint64_t{address} >> chunk_shift_;
  if (power_of_two_) return {chunk >> bits_, static_cast<unsigned>(chunk & (virtual_slices_ - 1))};
  return {chunk / virtual_slices_, static_cast<unsigned>(chunk % virtual_slices_)};
}

/// Of a quotient, below 2^bits; of ipoly_mod below 2^kWideDegree.
unsigned SliceMap::hash(std::uint64_t quotient) const {
  unsigned result = 0;
  if (hash_ == SliceHash::kXor) {
    for (; bits_ != 0 && quotient != 0; quotient >>= bits_)
      result ^= static_cast<unsigned>(quotient & ((1u << bits_) - 1));
    return result;
  }
  for (const auto& remainders : remainders_) {
    result ^= remainders[quotient & 0xFF];
    quotient >>= 8;
  }
  return result;
}

unsigned SliceMap::place(unsigned rest, std::uint64_t quotient) const {
  if (hash_ == SliceHash::kNone) return rest;
  if (power_of_two_ && hash_ != SliceHash::kIpolyMod) return rest ^ hash(quotient);
  return (rest + hash(quotient)) % virtual_slices_;
}

SliceMap::Home SliceMap::home(base::Address address) const {
  if (slices_ == 1) return {0, address};
  const Split chunk = split(address);
  const unsigned virtual_slice = place(chunk.rest, chunk.quotient);
  const unsigned slice = fold(virtual_slice);
  const std::uint64_t number = chunk.quotient * copies(slice) + (virtual_slice != slice);
  const std::uint64_t inside = address & ((std::uint64_t{1} << chunk_shift_) - 1);
  return {slice, number << chunk_shift_ | inside};
}

base::Address SliceMap::address(const Home& home) const {
  if (slices_ == 1) return home.offset;
  const std::uint64_t number = home.offset >> chunk_shift_;
  const unsigned copies = this->copies(home.slice);
  const std::uint64_t quotient = number / copies;
  const unsigned virtual_slice = home.slice + (number % copies != 0 ? slices_ : 0);
  const unsigned added = hash_ == SliceHash::kNone ? 0 : hash(quotient);
  const unsigned rest = power_of_two_ && hash_ != SliceHash::kIpolyMod
                            ? virtual_slice ^ added
                            : (virtual_slice + virtual_slices_ - added % virtual_slices_) % virtual_slices_;
  const std::uint64_t inside = home.offset & ((std::uint64_t{1} << chunk_shift_) - 1);
  return (quotient * virtual_slices_ + rest) << chunk_shift_ | inside;
}

}  // namespace spica::protocol
