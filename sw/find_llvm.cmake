# SPDX-License-Identifier: Apache-2.0
# Programs of LLVM: Debian has clang-19, Fedora and Arch have clang, of one version or the other, and folders of older ones.

# spica_find_llvm(<variable> <program> <versions...>): the cache variable becomes the path of the program in the first of these major
# versions that is there, as <program>-<version> or <program>; of the second kind it must say so itself. <variable>_OTHER is
# the last one that was found in another version, with that version, or "".
function(spica_find_llvm variable program)
  set_property(GLOBAL PROPERTY SPICA_LLVM_OTHER "")
  foreach(version IN LISTS ARGN)
    set_property(GLOBAL PROPERTY SPICA_LLVM_VERSION ${version})
    find_program(${variable} NAMES ${program}-${version} ${program} VALIDATOR spica_is_llvm_version
      PATHS /usr/lib64/llvm${version}/bin /usr/lib/llvm${version}/bin /usr/lib/llvm-${version}/bin)
  endforeach()
  get_property(other GLOBAL PROPERTY SPICA_LLVM_OTHER)
  set(${variable}_OTHER "${other}" PARENT_SCOPE)
endfunction()

function(spica_is_llvm_version result program)
  get_property(wanted GLOBAL PROPERTY SPICA_LLVM_VERSION)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE said ERROR_QUIET)
  if(NOT said MATCHES "([0-9]+)\\.[0-9]+\\.[0-9]+")
    set(CMAKE_MATCH_1 unknown)
  endif()
  if(NOT CMAKE_MATCH_1 STREQUAL wanted)
    set(${result} FALSE PARENT_SCOPE)
    set_property(GLOBAL PROPERTY SPICA_LLVM_OTHER "${program} is version ${CMAKE_MATCH_1}")
  endif()
endfunction()
