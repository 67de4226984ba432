// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "models/protocol/ports/accelerator_if.h"

namespace spica::simt_core::fast {

/// Holds the command words that an instruction writes to CSR 0xACC until it has issued. Units of the fast mode work as
/// soon as they receive a word, but observers must see the instruction first.
class HeldCommands final : public protocol::AcceleratorIf {
 public:
  protocol::AcceleratorIf* to = nullptr;

  void command(unsigned, std::uint32_t word, const protocol::Origin& origin) override {
    words_.emplace_back(word, origin);
  }
  std::uint32_t busy() const override { return to->busy(); }
  void clear() { words_.clear(); }
  void pass_on(unsigned core) {
    for (const auto& [word, origin] : words_) to->command(core, word, origin);
    words_.clear();
  }

 private:
  std::vector<std::pair<std::uint32_t, protocol::Origin>> words_;
};

}  // namespace spica::simt_core::fast
