// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/simt_core/pipeline/decoded.h"

namespace spica::simt_core {

/// Decodes each distinct instruction word once. Keyed by the word, so self-modifying code is handled; references stay
/// valid forever.
class DecodeTable {
 public:
  explicit DecodeTable(const Params& params = {})
      : params_(params), slots_(1024, nullptr), mask_(slots_.size() - 1) {
    last_.fill(&get(0));
  }

  /// The same for the word at `pc`, with a fast path for an unchanged word.
  const Decoded& get(std::uint32_t word, std::uint32_t pc) {
    const Decoded*& last = last_[pc / 4 % last_.size()];
    if (last->word != word) last = &get(word);
    return *last;
  }
  const Decoded& get(std::uint32_t word) {
    for (std::size_t i = hash(word);; ++i) {
      const Decoded*& slot = slots_[i & mask_];
      if (slot == nullptr) return insert(word);
      if (slot->word == word) return *slot;
    }
  }

  /// Adds its instructions to the objects of a checkpoint.
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    std::vector<std::uint32_t> words;
    if (!checkpoint.loads())
      for (const Decoded& each : instructions_) words.push_back(each.word);
    checkpoint(words);
    for (const std::uint32_t word : words)
      checkpoint.objects().add(
          const_cast<isa::Instruction*>(static_cast<const isa::Instruction*>(&get(word))));
  }

 private:
  static std::size_t hash(std::uint32_t word) { return (word * 0x9E3779B1u) >> 12; }

  const Decoded& insert(std::uint32_t word) {
    instructions_.emplace_back(isa::decode(word, params_.tensor_style), params_);
    if (2 * instructions_.size() > slots_.size()) {
      slots_.assign(2 * slots_.size(), nullptr);
      mask_ = slots_.size() - 1;
      for (const Decoded& each : instructions_) place(each);
    } else {
      place(instructions_.back());
    }
    return instructions_.back();
  }
  void place(const Decoded& instruction) {
    std::size_t i = hash(instruction.word);
    while (slots_[i & mask_] != nullptr) ++i;
    slots_[i & mask_] = &instruction;
  }

  const Params params_;
  std::array<const Decoded*, 1024> last_;  // by place in memory
  std::deque<Decoded> instructions_;
  std::vector<const Decoded*> slots_;
  std::size_t mask_;  // their number is a power of two
};

}  // namespace spica::simt_core
