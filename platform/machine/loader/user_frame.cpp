// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/user_frame.h"

#include <string_view>

namespace spica::loader {

bool of_library(const std::string& file) {
  constexpr std::string_view kFolder = "sw/lib/";
  const std::size_t at = file.rfind(kFolder);
  if (at == std::string::npos || (at != 0 && file[at - 1] != '/')) return false;
  const std::string name = ':' + file.substr(at + kFolder.size()) + ':';
  return std::string_view(SPICA_LIBRARY_FILES).find(name) != std::string_view::npos;  // ":a.cpp:include/b.h:"
}

const Frame& user_frame(const Location& location) {
  if (!of_library(location.frame.file)) return location.frame;
  for (const Frame& frame : location.inlined_into)
    if (!of_library(frame.file)) return frame;
  return location.frame;
}

}  // namespace spica::loader
