// SPDX-License-Identifier: Apache-2.0
// What a console says of itself.
#include "models/console/console.h"

namespace spica::console {

namespace {

base::BlockType make_type() {
  base::BlockType type;
  type.name = "console";
  type.order = 105;
  type.free = "a window of a few registers, reached through mmio.access";
  return type;
}

}  // namespace

const base::BlockType& Console::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(Console::block_type());
}

}  // namespace spica::console
