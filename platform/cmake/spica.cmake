# SPDX-License-Identifier: Apache-2.0
# Build rules shared by all folders: one library per folder, one test program per folder of tests.

set(CMAKE_CXX_STANDARD 17)  # Debian's SystemC exports the C++17 symbol and links with nothing else
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3")  # keeps assert(): a broken invariant must never pass silently

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(SystemCLanguage CONFIG QUIET)  # a user's own SystemC build; Debian ships pkg-config files
if(NOT TARGET SystemC::systemc)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc tlm)
endif()
add_library(spica_systemc INTERFACE)
if(TARGET SystemC::systemc)
  target_link_libraries(spica_systemc INTERFACE SystemC::systemc)
else()
  target_link_libraries(spica_systemc INTERFACE PkgConfig::SYSTEMC)
endif()
target_compile_definitions(spica_systemc INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)

add_library(spica_options INTERFACE)
target_include_directories(spica_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(spica_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>  # std::stable_sort of libstdc++ itself; g++ warns about uses in Spica
  $<$<BOOL:${SPICA_WERROR}>:-Werror>)

# Third-party headers that are slow to read and used by most files are compiled once. None of Spica's are among them, and
# a file still includes what it uses: it must compile without this, too. nlohmann/json.hpp is only in platform/json: g++ would instantiate
# its parser in every file, wanted or not.
set(precompiled_headers <systemc> <tlm> <filesystem> <functional> <map> <memory> <optional> <unordered_map>)
if(SPICA_PRECOMPILED_HEADERS)
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
    # It must be allowed to keep such files, to remember what is in the 100 MB that each of them reads, and
    # that one checkout is as good as another.
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
  endif()
  add_library(spica_precompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp)
  target_link_libraries(spica_precompiled PRIVATE spica_options spica_systemc fmt::fmt)
  target_precompile_headers(spica_precompiled PRIVATE ${precompiled_headers} ${CMAKE_CURRENT_LIST_DIR}/fmt_compiled.h)
  # clang notes the time of each header in what it compiles; a compiler cache would never hit.
  target_compile_options(spica_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endif()

# Compiles a target with the precompiled headers of `owner`. What the command lines define must agree.
function(spica_precompile target owner)
  if(SPICA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Compiles `batch` files of a target as one: what they all include and instantiate is compiled once. Their file-local
# names must differ; a change in one of them compiles all. Batches are small, so that no compiler needs 400 MB.
function(spica_unite target batch)
  if(SPICA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

# spica_compile_options(<file> <options...>): of one file beyond its library's. They need not go with the precompiled
# headers.
function(spica_compile_options file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# spica_library(<folder> [SOURCES ...] [LINKS ...] [BATCH files]): the target spica_<folder>. BATCH: see spica_unite.
# LINKS names other folders (base, protocol, ...) or imported targets. No sources: header-only.
function(spica_library name)
  cmake_parse_arguments(ARG "" "BATCH" "SOURCES;LINKS" ${ARGN})
  set(links spica_options)
  foreach(link IN LISTS ARG_LINKS)
    if(link MATCHES "::" OR link MATCHES "^(yaml-cpp|spica_systemc)$")
      list(APPEND links ${link})
    else()
      list(APPEND links spica_${link})
    endif()
  endforeach()
  if(ARG_SOURCES)
    add_library(spica_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(spica_${name} PUBLIC ${links})
    if(ARG_LINKS)  # else it knows no SystemC
      target_link_libraries(spica_${name} PRIVATE spica_systemc fmt::fmt)
      spica_precompile(spica_${name} spica_precompiled)
    endif()
    if(ARG_BATCH)
      spica_unite(spica_${name} ${ARG_BATCH})
    endif()
  else()
    add_library(spica_${name} INTERFACE)
    target_link_libraries(spica_${name} INTERFACE ${links})
  endif()
endfunction()

# spica_test(<program> LABEL <unit|block|cluster|kernel> [SOURCES ...] [LINKS ...] [TIMEOUT s] [BATCH files]):
# one Catch2 program; every TEST_CASE becomes one ctest test and runs in a process of its own, because
# SystemC elaborates once per process.
function(spica_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT;BATCH" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(NOT ARG_BATCH)
    set(ARG_BATCH 4)
  endif()
  set(links "")
  foreach(link IN LISTS ARG_LINKS)
    if(link MATCHES "::" OR link MATCHES "^spica_")
      list(APPEND links ${link})
    else()
      list(APPEND links spica_${link})
    endif()
  endforeach()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE spica_options spica_test_support ${links})
  spica_precompile(${name} spica_test_support)
  spica_unite(${name} ${ARG_BATCH})
  if(ARG_LABEL MATCHES "^(unit|block)$")
    add_dependencies(unit_and_block_tests ${name})
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${ARG_LABEL}: "
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1)
endfunction()

# spica_python_tests(<title> [FILES ...] [ENVIRONMENT ...]): one ctest test for each test method of the files
# <file>_test.py beside the caller, called "kernel: <title>: <method in words>"; FILE in the title stands for the
# file's name. The methods are found when CMake configures.
function(spica_python_tests title)
  cmake_parse_arguments(ARG "" "TIMEOUT" "FILES;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set(environment "SPICA_BINARY=$<TARGET_FILE:spica_program>" "SPICA_ROOT=${PROJECT_SOURCE_DIR}"
    "SPICA_KERNELS=${PROJECT_BINARY_DIR}/sw" ${ARG_ENVIRONMENT} PYTHONDONTWRITEBYTECODE=1)
  foreach(file IN LISTS ARG_FILES)
    string(REPLACE FILE ${file} group ${title})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file}_test.py)
    file(STRINGS ${file}_test.py lines REGEX "^    def test_|^class ")
    foreach(line IN LISTS lines)
      if(line MATCHES "^class ([A-Za-z0-9]+)")
        set(class ${CMAKE_MATCH_1})
      elseif(line MATCHES "def (test_[a-z0-9_]+)")
        set(method ${CMAKE_MATCH_1})
        string(REGEX REPLACE "^test_" "" words ${method})
        string(REPLACE "_" " " words ${words})
        add_test(NAME "kernel: ${group}: ${words}"
          COMMAND Python3::Interpreter -m unittest ${file}_test.${class}.${method}
          WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        set_tests_properties("kernel: ${group}: ${words}" PROPERTIES LABELS kernel TIMEOUT ${ARG_TIMEOUT}
          ENVIRONMENT "${environment}")
      endif()
    endforeach()
  endforeach()
endfunction()
