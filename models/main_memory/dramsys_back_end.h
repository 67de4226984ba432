// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/main_memory/back_end.h"

namespace spica::main_memory {

/// A DRAMSys that keeps the times, a module of its own below the memory. Defined twice: dramsys_back_end.cpp where a
/// DRAMSys was found, without_dramsys.cpp where none was; there it must not be called.
std::unique_ptr<BackEnd> make_dramsys_back_end(const BackEndContext& context);

}  // namespace spica::main_memory
