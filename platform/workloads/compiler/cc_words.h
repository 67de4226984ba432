// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spica::compiler {

/// What the words for a compiler ask for.
struct CcWords {
  bool links = true;  // no -c, -S, -E, -M, -MM, -fsyntax-only
  bool has_linker_script = false;  // -T
  bool is_c = false;  // all sources are C
  bool is_whole_program = false;  // it links one source, and nothing else
  std::string first_file;
  std::vector<std::string> cuda_files;  // .cu
  std::string optimisation;  // the last -O
  std::string link_time;  // the last -flto
  std::string shared_size = "0x10000";  // -DPLATFORM_SHARED_SIZE, as the library's folders are named
};

CcWords look_at(const std::vector<std::string>& words);

}  // namespace spica::compiler
