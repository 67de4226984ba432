# SPDX-License-Identifier: Apache-2.0
# Build rules shared by all folders: one library per folder, one test program per folder of tests.

set(CMAKE_CXX_STANDARD 17)  # Debian's SystemC exports the C++17 symbol and links with nothing else
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3")  # keeps assert(): a broken invariant must never pass silently
# Of single files that must be fast, whatever the rest of their library gets. Not in a Debug build: with sanitizers, -O3 takes
# three times as long to compile.
set(spica_fast_code $<$<NOT:$<CONFIG:Debug>>:-O3>)

# Of code that runs once: fast compilation is worth more than fast code. g++ 13 and later take precompiled headers only where
# these two agree, which -O2 and above switch on; at -O1 they change nothing.
set(spica_small_code -O1)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13
    AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  list(APPEND spica_small_code -munroll-only-small-loops -mvzeroupper)
endif()
set(spica_small_code "$<$<CONFIG:Release>:${spica_small_code}>")

set(CMAKE_FIND_PACKAGE_NAME spica)  # what a package that is asked for would have
set(spica_FIND_REQUIRED TRUE)
include(dependencies)
if(DEFINED spica_FOUND AND NOT spica_FOUND)
  message(FATAL_ERROR "${spica_NOT_FOUND_MESSAGE}")
endif()
unset(CMAKE_FIND_PACKAGE_NAME)
unset(spica_FIND_REQUIRED)

# Of programs and tests. A library has the same for its own files only: who links it is not to get our warnings.
set(spica_warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>  # std::stable_sort of libstdc++ itself; g++ warns about uses in Spica
  $<$<BOOL:${SPICA_WERROR}>:-Werror>)
set(spica_definitions SC_INCLUDE_DYNAMIC_PROCESSES)  # SystemC headers of tests want it; one set of precompiled headers serves all
add_library(spica_options INTERFACE)
target_include_directories(spica_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(spica_options INTERFACE ${spica_warnings})
target_compile_definitions(spica_options INTERFACE ${spica_definitions})

# The headers as users have them, <spica/models/...>: in the build tree, links into the sources.
set(spica_include ${PROJECT_BINARY_DIR}/include)
foreach(folder platform models)  # of a build folder from before they had floors, and folders in protocol
  if(IS_SYMLINK ${spica_include}/spica/${folder})
    file(REMOVE ${spica_include}/spica/${folder})
  endif()
endforeach()
set(earlier_protocol ${PROJECT_BINARY_DIR}/earlier_protocol)
file(MAKE_DIRECTORY ${spica_include}/spica/platform ${spica_include}/spica/models/protocol ${PROJECT_BINARY_DIR}/earlier_paths ${earlier_protocol})
file(GLOB spica_folders RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/* ${PROJECT_SOURCE_DIR}/models/protocol/*)
list(FILTER spica_folders EXCLUDE REGEX "[.]|^models/protocol$")
foreach(folder IN LISTS spica_folders ITEMS platform/base platform/machine platform/observe platform/bindings)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${spica_include}/spica/${folder} SYMBOLIC)
endforeach()
# Where users' files have the headers of protocol since 0.1: <spica/models/protocol/sockets.h>.
file(GLOB protocol_headers RELATIVE ${PROJECT_SOURCE_DIR}/models/protocol ${PROJECT_SOURCE_DIR}/models/protocol/*/*.h)
foreach(header IN LISTS protocol_headers)
  get_filename_component(name ${header} NAME)
  foreach(folder ${spica_include}/spica/models/protocol ${earlier_protocol})
    file(CREATE_LINK ${header} ${folder}/${name} SYMBOLIC)
  endforeach()
endforeach()
# The rooms of the platform that users get: what a machine needs that runs a program.
set(spica_platform_rooms base/input base/text base/digest base/json base/config machine/loader machine/soc machine/session observe/report
  observe/watchdog bindings/client bindings/api)
# Where users' files have them since 0.1: <spica/platform/soc/block.h>.
foreach(room IN LISTS spica_platform_rooms)
  get_filename_component(name ${room} NAME)
  foreach(folder ${spica_include}/spica/platform ${PROJECT_BINARY_DIR}/earlier_paths)
    file(CREATE_LINK ${room} ${folder}/${name} SYMBOLIC)
  endforeach()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${spica_include}/spica/version.h @ONLY)

# Third-party headers that are slow to read and used by most files are compiled once. None of Spica's are among them, and
# a file still includes what it uses: it must compile without this, too. nlohmann/json.hpp is among them with clang only, which
# instantiates its templates once; g++ would instantiate a parser in every file, wanted or not.
set(precompiled_headers <filesystem> <functional> <map> <memory> <optional> <unordered_map>)
set(precompiled_systemc <systemc> <tlm>)
if(SPICA_PRECOMPILED_HEADERS)
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
    # It must be allowed to keep such files, to remember what is in the 100 MB that each of them reads, and
    # that one checkout is as good as another.
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
  endif()
  # One set for models; one for the platform, most of which has nothing to do with SystemC: g++ needs 75 MB for it in each
  # compilation. clang reads what a file uses.
  foreach(owner spica_precompiled spica_precompiled_platform)
    add_library(${owner} OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp)
    target_link_libraries(${owner} PRIVATE spica_options spica::systemc fmt::fmt)
    target_precompile_headers(${owner} PRIVATE ${precompiled_headers} <platform/cmake/fmt_compiled.h>)
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    target_link_libraries(spica_precompiled_platform PRIVATE nlohmann_json::nlohmann_json)
    target_precompile_headers(spica_precompiled_platform PRIVATE ${precompiled_systemc} <nlohmann/json.hpp>)
  endif()
  target_precompile_headers(spica_precompiled PRIVATE ${precompiled_systemc})
  # clang notes the time of each header in what it compiles; a compiler cache would never hit.
  set(pch_option "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  list(APPEND spica_warnings ${pch_option})
  target_compile_options(spica_options INTERFACE ${pch_option})
endif()

# Compiles a target with the precompiled headers of `owner`. What the command lines define must agree.
function(spica_precompile target owner)
  if(SPICA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# Compiles `batch` files of a target as one: what they all include and instantiate is compiled once. Their file-local
# names must differ; a change in one of them compiles all. Batches are small, so that g++ needs less than 450 MB; clang takes
# three times as many files in that, and a quarter less time than with as many as g++. The files with nlohmann/json.hpp come
# first in a list of sources, to be in as few batches as can be.
function(spica_unite target batch)
  if(SPICA_UNITY)
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
      math(EXPR batch "3 * ${batch}")
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
# Files of the target above that take as much memory as a batch, each alone.
function(spica_large)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Code that runs once in a run, not in each cycle.
function(spica_runs_once target)
  target_compile_options(${target} PRIVATE "${spica_small_code}")
endfunction()

# spica_compile_options(<file> <options...>): of one file beyond its library's. They need not go with the precompiled
# headers.
function(spica_compile_options file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# spica_library(<folder> [SOURCES ...] [LINKS ...] [USES ...] [BATCH files] [RUNS_ONCE] [SYSTEMC]): the target spica_<folder>, for
# users spica::<folder>. BATCH: see spica_unite, 4 by default; RUNS_ONCE: see spica_runs_once; SYSTEMC: a folder of the platform most of whose
# files include SystemC, as those of models do. LINKS names other folders (base, protocol,
# ...) or imported targets; USES names imported targets of headers that only the sources include, so that users need not
# have them. No sources: header-only.
function(spica_library name)
  cmake_parse_arguments(ARG "RUNS_ONCE;SYSTEMC" "BATCH" "SOURCES;LINKS;USES" ${ARGN})
  set(links "")
  foreach(link IN LISTS ARG_LINKS)
    if(link MATCHES "::" OR link STREQUAL "yaml-cpp")
      list(APPEND links ${link})
    else()
      list(APPEND links spica_${link})
    endif()
  endforeach()
  set(scope PUBLIC)
  if(ARG_SOURCES)
    add_library(spica_${name} STATIC ${ARG_SOURCES})
    target_compile_options(spica_${name} PRIVATE ${spica_warnings})
    if(ARG_LINKS)  # else it knows no SystemC
      target_link_libraries(spica_${name} PRIVATE spica::systemc fmt::fmt)
      target_compile_definitions(spica_${name} PRIVATE ${spica_definitions})
      set(platform ${PROJECT_SOURCE_DIR}/platform)
      cmake_path(IS_PREFIX platform ${CMAKE_CURRENT_SOURCE_DIR} is_platform)
      if(is_platform AND (NOT ARG_SYSTEMC OR CMAKE_CXX_COMPILER_ID STREQUAL Clang))
        spica_precompile(spica_${name} spica_precompiled_platform)
      else()
        spica_precompile(spica_${name} spica_precompiled)
      endif()
    endif()
    foreach(used IN LISTS ARG_USES)
      target_include_directories(spica_${name} SYSTEM PRIVATE $<TARGET_PROPERTY:${used},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
    if(NOT ARG_BATCH)
      set(ARG_BATCH 4)
    endif()
    spica_unite(spica_${name} ${ARG_BATCH})
    if(ARG_RUNS_ONCE)
      spica_runs_once(spica_${name})
    endif()
  else()
    add_library(spica_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(spica_${name} ${scope} ${links})
  target_compile_features(spica_${name} ${scope} cxx_std_17)
  target_include_directories(spica_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${spica_include}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spica>)
  set_target_properties(spica_${name} PROPERTIES EXPORT_NAME ${name})
  add_library(spica::${name} ALIAS spica_${name})
  set_property(GLOBAL APPEND PROPERTY SPICA_LIBRARIES ${name})  # each behind those that it links
endfunction()

# spica_link_archive(<folder> <library> <target>): Debian's shared libraries are bound as a whole whenever the program starts,
# which costs millions of instructions for what few commands use. So the archive where there is one, and none of its names
# among those that plugins see; else the imported target, which is also what users of an installed library link.
function(spica_link_archive folder library shared)
  find_library(SPICA_ARCHIVE_${library} lib${library}.a)
  if(SPICA_ARCHIVE_${library} AND CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_libraries(spica_${folder} PRIVATE $<INSTALL_INTERFACE:${shared}>
      $<BUILD_INTERFACE:${SPICA_ARCHIVE_${library}}> $<BUILD_INTERFACE:m>)
    target_link_options(spica_${folder} INTERFACE $<BUILD_INTERFACE:-Wl,--exclude-libs,lib${library}.a>)
  else()
    target_link_libraries(spica_${folder} PRIVATE ${shared})
  endif()
endfunction()

# spica_link_order(<program>): the two libraries with the most symbols first, because the start of the program looks up
# thousands of names in its libraries, in their order.
function(spica_link_order program)
  if(SPICA_SYSTEMC_LINK_LIBRARIES AND CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${program} PRIVATE ${SPICA_SYSTEMC_LINK_LIBRARIES} -lstdc++)
  endif()
endfunction()

# spica_test(<program> LABEL <unit|block|cluster|kernel> [SOURCES ...] [LINKS ...] [TIMEOUT s] [BATCH files]):
# one Catch2 program and one ctest test. It starts a process for each TEST_CASE (testbenches/support/main.cpp), because
# SystemC elaborates once per process. TIMEOUT is that of a TEST_CASE.
function(spica_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT;BATCH" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL Debug)  # without optimisation, perhaps with sanitizers
    math(EXPR ARG_TIMEOUT "5 * ${ARG_TIMEOUT}")
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
  spica_link_order(${name})
  spica_precompile(${name} spica_test_support)
  spica_unite(${name} ${ARG_BATCH})
  if(ARG_LABEL MATCHES "^(unit|block)$")
    add_dependencies(unit_and_block_tests ${name})
  endif()
  string(REGEX REPLACE "(_unit|_block)?_test$" "" title ${name})
  add_test(NAME "${ARG_LABEL}: ${title}" COMMAND ${name} --apart ${ARG_TIMEOUT})
  set_tests_properties("${ARG_LABEL}: ${title}" PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 1200
    ENVIRONMENT SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1)
endfunction()

# spica_python_tests(<title> [LABEL kernel] [PYTHON program] [FILES ...] [ENVIRONMENT ...] [PROPERTIES ...]): one ctest test for the test
# methods of each file <file>_test.py beside the caller, called "<label>: <title>"; FILE in the title stands for the file's
# name. They run in one process, which starts Python and prepares a class once, and names each method that fails. The
# methods are found when CMake configures. Those whose `def` ends with `# long` are a test of their own of the
# configuration Long, "<label>: <title>, long": only `ctest -C Long` runs it. TIMEOUT is in seconds for one method. Kernels
# that tests compile, and Python's compiled files, are kept in the build folder.
function(spica_python_tests title)
  cmake_parse_arguments(ARG "" "TIMEOUT;LABEL;PYTHON" "FILES;ENVIRONMENT;PROPERTIES" ${ARGN})
  if(NOT ARG_PYTHON)
    set(ARG_PYTHON Python3::Interpreter)
  endif()
  if(NOT ARG_LABEL)
    set(ARG_LABEL kernel)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set(environment "SPICA_BINARY=$<TARGET_FILE:spica_program>" "SPICA_ROOT=${PROJECT_SOURCE_DIR}"
    "SPICA_KERNELS=${PROJECT_BINARY_DIR}/sw" "SPICA_CACHE=${PROJECT_BINARY_DIR}/test_cache/kernels"
    "PYTHONPYCACHEPREFIX=${PROJECT_BINARY_DIR}/test_cache/python" ${ARG_ENVIRONMENT})
  foreach(file IN LISTS ARG_FILES)
    string(REPLACE FILE ${file} group ${title})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file}_test.py)
    file(STRINGS ${file}_test.py lines REGEX "^    def test_|^class ")
    set(methods "")
    set(long_methods "")
    foreach(line IN LISTS lines)
      if(line MATCHES "^class ([A-Za-z0-9]+)")
        set(class ${CMAKE_MATCH_1})
      elseif(line MATCHES "def (test_[a-z0-9_]+).*# long$")
        list(APPEND long_methods ${file}_test.${class}.${CMAKE_MATCH_1})
      elseif(line MATCHES "def (test_[a-z0-9_]+)")
        list(APPEND methods ${file}_test.${class}.${CMAKE_MATCH_1})
      endif()
    endforeach()
    foreach(kind IN ITEMS methods long_methods)
      if(NOT ${kind})
        continue()
      endif()
      set(test "${ARG_LABEL}: ${group}")
      set(when "")
      if(kind STREQUAL "long_methods")
        string(APPEND test ", long")
        set(when CONFIGURATIONS Long)
      endif()
      list(LENGTH ${kind} count)
      math(EXPR timeout "${ARG_TIMEOUT} + 30 * ${count}")
      add_test(NAME "${test}" ${when} COMMAND ${ARG_PYTHON} -m unittest -v ${${kind}}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      set_tests_properties("${test}" PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${timeout} COST ${count}
        ENVIRONMENT "${environment}" ${ARG_PROPERTIES})
    endforeach()
  endforeach()
endfunction()
