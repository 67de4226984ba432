// SPDX-License-Identifier: Apache-2.0
// A library with a kind of block that another library (odd_blocks.cpp) has, too, and one that Spica has.
#include <spica/platform/machine/soc/block.h>

namespace {

struct Block final : sc_core::sc_module {
  explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {}
};
SPICA_BLOCK(Block, "plain", "has a twin")
SPICA_BLOCK(Block, "cache", "has a twin in Spica")

}  // namespace
