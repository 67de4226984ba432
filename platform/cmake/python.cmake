# SPDX-License-Identifier: Apache-2.0
# Python itself. The first `python3` in PATH may be a script that starts it: that of pyenv takes five times as long as
# Python, and tests and kernels start it more than a thousand times.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE Python3_EXECUTABLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_property(TARGET Python3::Interpreter PROPERTY IMPORTED_LOCATION ${Python3_EXECUTABLE})
endif()
