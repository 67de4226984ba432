// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/host_queues/kernel_choice.h"

namespace spica::protocol {

unsigned degree_index(std::uint64_t products) {
  unsigned index = 0;
  while (index + 1 < kDegrees && degree_of(index + 1) <= products) ++index;
  return index;
}

namespace {

/// Calls `visit` with each word of the table, in order.
template <class Choice, class Visit>
void for_each_word(Choice& choice, Visit&& visit) {
  visit(choice.m);
  visit(choice.n);
  visit(choice.k);
  for (auto& variant : choice.variants) {
    visit(variant.object);
    for (auto& extent : variant.block) visit(extent);
    for (auto& extent : variant.grid) visit(extent);
    visit(variant.shared_bytes);
    visit(variant.cycles);
  }
}

}  // namespace

KernelChoice::Bytes KernelChoice::encode() const {
  Bytes bytes{};
  unsigned at = 0;
  for_each_word(*this, [&](std::uint32_t word) {
    for (unsigned i = 0; i < 4; ++i) bytes[at++] = static_cast<unsigned char>(word >> 8 * i);
  });
  return bytes;
}

KernelChoice KernelChoice::decode(const Bytes& bytes) {
  KernelChoice choice;
  unsigned at = 0;
  for_each_word(choice, [&](std::uint32_t& word) {
    word = 0;
    for (unsigned i = 0; i < 4; ++i) word |= std::uint32_t{bytes[at++]} << 8 * i;
  });
  return choice;
}

}  // namespace spica::protocol
