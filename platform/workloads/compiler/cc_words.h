// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spica::compiler {

/// The compiler options found in a list of words.
struct CcWords {
  bool links = true;  // no -c, -S, -E, -M, -MM, -fsyntax-only
  bool has_linker_script = false;  // -T
  bool has_language = false;  // -x
  bool is_c = false;  // all sources are C
  bool is_whole_program = false;  // links a single source and nothing else
  std::string first_file;
  std::vector<std::string> cuda_files;  // .cu
  std::string
      unsupported_file;  // first source in a language that is not compiled (C++ for OpenCL, HIP); empty: none
  std::string optimisation;  // the last -O
  std::string link_time;  // the last -flto
  std::string shared_size =
      "0x10000";  // value of -DPLATFORM_SHARED_SIZE, in the form of the library's folder names
};

CcWords look_at(const std::vector<std::string>& words);

}  // namespace spica::compiler
