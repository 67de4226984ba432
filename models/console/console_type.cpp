// SPDX-License-Identifier: Apache-2.0
// The description of a console for reports: type, properties, area.
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

base::AreaTerms Console::area() const {
  constexpr double kWordBits = 32;
  base::AreaTerms area;
  area.add_memory("buffer", base::Structure::kSramBit, 8 * static_cast<double>(params_.size), 1, kWordBits);
  return area;
}

namespace {
const base::KnownBlockType known(Console::block_type());
}

}  // namespace spica::console
