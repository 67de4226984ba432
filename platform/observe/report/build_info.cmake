# SPDX-License-Identifier: Apache-2.0
# Writes the source with what the build is made of; runs in every build and touches the file only when
# something changed. Arguments: SOURCE (checkout), OUTPUT, VERSION, COMPILER, TYPE.
set(commit unknown)
set(dirty false)
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse HEAD
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${head})
    # Only tracked files: results and notes that lie about do not change the program.
    execute_process(COMMAND ${git} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(dirty true)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Generated in every build by platform/observe/report/build_info.cmake.
#include "platform/observe/report/build_info.h"

namespace spica::report {

const BuildInfo kBuildInfo{"@VERSION@", "@commit@", @dirty@, "@COMPILER@", "@TYPE@"};

}  // namespace spica::report
]])
