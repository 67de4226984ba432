// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/main_memory/back_end.h"

namespace spica::main_memory {

/// Creates a DRAMSys back end, a module below the memory. Defined in dramsys_back_end.cpp if the build has DRAMSys,
/// otherwise in without_dramsys.cpp, where it must not be called.
std::unique_ptr<BackEnd> make_dramsys_back_end(const BackEndContext& context);

}  // namespace spica::main_memory
