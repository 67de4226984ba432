// SPDX-License-Identifier: Apache-2.0
// A library that was built with another version of Spica, whose headers say so.
#include <spica/version.h>
#undef SPICA_VERSION_MAJOR
#undef SPICA_VERSION_MINOR
#undef SPICA_VERSION_PATCH
#define SPICA_VERSION_MAJOR 0
#define SPICA_VERSION_MINOR 1
#define SPICA_VERSION_PATCH 7
#include <spica/platform/machine/soc/block.h>

namespace {

struct Block final : sc_core::sc_module {
  explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {}
};
SPICA_BLOCK(Block, "old", "is from another time")

}  // namespace
