# SPDX-License-Identifier: Apache-2.0
# How kernels are compiled and linked: in the build of Spica, and in the build of whoever uses the package.
#   spica_kernel(<name> [PUBLISHED | PLAIN | FIRMWARE] SOURCES ... [DEFINES ...] [LINES_ONLY] [WITH ...] [LINK ...])  ->  <build>/sw/<name>.elf, part of the target `kernels`;
#                                                       outside Spica <current build folder>/<name>.elf
# and the target kernel_<name>, which has the path as its property SPICA_ELF.
# PUBLISHED: it stands for a published kernel, which was built by a clang with -Os. Cycles depend on the compiler, so it is
# built by clang 19 with -Os whatever else is installed, or not at all: then <name>.missing says which packages it takes.
# PLAIN: in plain C++, by `spica cc` (docs/howto/plain-cpp-kernels.md).
# FIRMWARE: for the hart of the command processor (docs/howto/firmware.md).
# For a machine with another shared memory than 64 KB: DEFINES PLATFORM_SHARED_SIZE=0x20000 (one of
# spica_shared_sizes); the kernel is then linked with a library that prints to that machine's print buffer.
# LINES_ONLY: debug information has lines and functions but no variables: large kernels compile in two thirds of the time.
# WITH: kernels whose objects are linked, too, without compiling them again; spica_kernel() of theirs comes first.
# LINK: further options of the linker, as in LINK -Wl,--defsym=__program_base=0x90000000 (sw/lib/kernel.ld); not with PLAIN.
# It may be called from any folder that CMake enters after this file was read.
# The flags are in gcc.flags and clang.flags, so that a kernel can also be built by hand
# (docs/howto/write-a-kernel.md). Paths in the debug information are relative to the root of Spica, so an
# ELF of ours does not depend on where it was built.
set(spica_shared_sizes 0x4000 0x10000 0x18000 0x20000 0x40000)

get_property(help CACHE SPICA_SW_COMPILER PROPERTY HELPSTRING)
if(help STREQUAL "compiler of the kernels: gcc or clang")  # of a build folder whose default was gcc
  unset(SPICA_SW_COMPILER CACHE)
endif()
set(SPICA_SW_COMPILER clang CACHE STRING "compiler of the kernels: clang or gcc")
set_property(CACHE SPICA_SW_COMPILER PROPERTY STRINGS clang gcc)
find_program(SPICA_RISCV_GCC riscv64-unknown-elf-gcc)
include(${CMAKE_CURRENT_LIST_DIR}/find_llvm.cmake)
# Older ones do not know the names of the custom opcodes in .insn.
spica_find_llvm(SPICA_RISCV_CLANG clang 19 20 21)
spica_find_llvm(SPICA_RISCV_LLD ld.lld 19 20 21)
spica_find_llvm(SPICA_PUBLISHED_CLANG clang 19)
spica_find_llvm(SPICA_PUBLISHED_LLD ld.lld 19)

# spica_kernel_tools(<root of Spica> <folder of the compiled library> <folder of the kernels, or "">): finds the compiler
# and keeps what the functions below need in other folders. Sets spica_kernel_problem: what is missing, or "".
function(spica_kernel_tools root library folder)
  set(spica_kernel_problem "" PARENT_SCOPE)
  if(SPICA_SW_COMPILER STREQUAL "gcc")
    if(NOT SPICA_RISCV_GCC)
      set(spica_kernel_problem "riscv64-unknown-elf-gcc not found: apt install gcc-riscv64-unknown-elf" PARENT_SCOPE)
      return()
    endif()
    set(compiler ${SPICA_RISCV_GCC})
  elseif(NOT SPICA_SW_COMPILER STREQUAL "clang")
    message(FATAL_ERROR "SPICA_SW_COMPILER is '${SPICA_SW_COMPILER}', allowed are clang and gcc")
  elseif(NOT SPICA_RISCV_CLANG OR NOT SPICA_RISCV_LLD)
    set(others ${SPICA_RISCV_CLANG_OTHER} ${SPICA_RISCV_LLD_OTHER})
    list(JOIN others ", " others)
    string(REGEX REPLACE "^(.+)$" " (\\1)" others "${others}")
    set(spica_kernel_problem "clang 19 and ld.lld 19 not found${others}: apt install clang-19 lld-19" PARENT_SCOPE)
    return()
  else()
    set(compiler ${SPICA_RISCV_CLANG})
    set(link_with --ld-path=${SPICA_RISCV_LLD})
  endif()

  set(flags_file ${root}/sw/${SPICA_SW_COMPILER}.flags)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${flags_file})
  file(READ ${flags_file} flags)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  list(APPEND flags -I${root}/sw/lib/include -I${root}
    -fdebug-prefix-map=${root}=. -fdebug-prefix-map=${root}/= -fmacro-prefix-map=${root}/=)
  set(c_flags ${flags})
  list(REMOVE_ITEM c_flags -fno-rtti -fno-threadsafe-statics)  # gcc warns of them in C

  set(published_problem "")
  if(NOT EXISTS "${SPICA_PUBLISHED_CLANG}" OR NOT EXISTS "${SPICA_PUBLISHED_LLD}")
    set(published_problem "it stands for a published kernel and is built by clang 19 only: apt install clang-19 lld-19")
  endif()
  file(READ ${root}/sw/clang.flags published)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${root}/sw/clang.flags)
  string(REPLACE "-O2" "-Os" published "${published}")
  separate_arguments(published UNIX_COMMAND "${published}")
  list(PREPEND published ${SPICA_PUBLISHED_CLANG})
  list(APPEND published -I${root}/sw/lib/include -I${root}
    -fdebug-prefix-map=${root}=. -fdebug-prefix-map=${root}/= -fmacro-prefix-map=${root}/=)

  set(linker_script ${root}/sw/lib/kernel.ld)
  foreach(fact "root;${root}" "library;${library}" "folder;${folder}" "compile_cxx;${compiler};${flags}"
      "compile_c;${compiler};${c_flags}" "link;${compiler};${flags};${link_with};-T;${linker_script}"
      "link_inputs;${linker_script};${flags_file}" "published_problem;${published_problem}" "compile_published;${published}"
      "link_published;${published};--ld-path=${SPICA_PUBLISHED_LLD};-T;${linker_script}")
    list(POP_FRONT fact name)
    set_property(GLOBAL PROPERTY SPICA_SW_${name} "${fact}")
  endforeach()
endfunction()

# Compiles the sources into objects in `folder` and sets `result` to their list. `published`: as of spica_kernel().
function(spica_sw_objects result folder defines published)
  foreach(fact root compile_cxx compile_c compile_published)
    get_property(${fact} GLOBAL PROPERTY SPICA_SW_${fact})
  endforeach()
  if(published)
    set(compile_cxx ${compile_published})
  endif()
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(name ${folder} NAME)
  set(objects "")
  foreach(source IN LISTS ARGN)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(file ${source} NAME)
    set(object ${folder}/${file}.o)
    set(compile ${compile_cxx})
    if(file MATCHES "\\.[cS]$")
      set(compile ${compile_c})
    endif()
    add_custom_command(OUTPUT ${object}
      COMMAND ${compile} ${defines} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d
      WORKING_DIRECTORY ${root}
      COMMENT "sw: compile ${name}/${file}" VERBATIM)
    list(APPEND objects ${object})
    if(NOT TARGET kernels)
      spica_add_compile_command(${root} ${source} ${compile} ${defines} -c ${source} -o ${object})
    endif()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# Of somebody's kernels, for editors: <build folder>/compile_commands.json, unless CMake writes one of its own.
function(spica_add_compile_command folder source)
  if(CMAKE_EXPORT_COMPILE_COMMANDS)
    return()
  endif()
  set(words "")
  foreach(word IN LISTS ARGN)
    string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" word "${word}")
    list(APPEND words "\"${word}\"")
  endforeach()
  list(JOIN words ", " words)
  get_property(commands GLOBAL PROPERTY SPICA_SW_compile_commands)
  if(commands)
    string(APPEND commands ",\n")
  endif()
  string(APPEND commands "{\"directory\": \"${folder}\", \"file\": \"${source}\", \"arguments\": [${words}]}")
  set_property(GLOBAL PROPERTY SPICA_SW_compile_commands "${commands}")
  file(WRITE ${CMAKE_BINARY_DIR}/compile_commands.json "[\n${commands}\n]\n")
endfunction()

function(spica_kernel_target name elf)
  add_custom_target(kernel_${name} ALL DEPENDS ${elf})
  set_target_properties(kernel_${name} PROPERTIES SPICA_ELF ${elf})
  if(TARGET kernels)  # Spica's own
    add_dependencies(kernel_${name} sw_lib)  # one builder of the library, also under make
    add_dependencies(kernels kernel_${name})
  endif()
endfunction()

# The rules of a kernel in plain C++. A single source is compiled and linked at once: what calls its functions is known then.
function(spica_plain_rules root elf folder defines)
  set(program spica::program)
  set(plugin "")
  if(TARGET spica_program)  # in Spica's own build
    set(program spica_program)
    set(plugin sw_lib $<TARGET_NAME_IF_EXISTS:spica_lanes>)
  endif()
  set(inputs ${ARGN})
  list(LENGTH ARGN count)
  foreach(source IN LISTS ARGN)
    get_filename_component(file ${source} NAME)
    set(output ${folder}/${file}.o)
    set(only -c)
    if(count EQUAL 1)
      set(output ${elf})
      set(only "")
    endif()
    list(TRANSFORM inputs REPLACE "^${source}$" ${output})
    set(dependencies ${folder}/${file}.d)
    add_custom_command(OUTPUT ${output}
      COMMAND ${program} cc ${defines} -MD -MF ${dependencies} -MT ${output} ${only} ${source} -o ${output}
      DEPENDS ${source} ${program} ${plugin} DEPFILE ${dependencies}
      COMMENT "sw: compile ${file}" VERBATIM)
    if(NOT TARGET kernels)
      spica_add_compile_command(${root} ${source} ${SPICA_RISCV_CLANG} @${root}/sw/clang.flags ${defines}
        -I${root}/sw/lib/include -I${root} -c ${source} -o ${output})
    endif()
  endforeach()
  if(count GREATER 1)
    add_custom_command(OUTPUT ${elf} COMMAND ${program} cc ${defines} ${inputs} -o ${elf}
      DEPENDS ${inputs} ${program} COMMENT "sw: link ${elf}" VERBATIM)
  endif()
endfunction()

function(spica_kernel name)
  cmake_parse_arguments(ARG "PUBLISHED;PLAIN;FIRMWARE;LINES_ONLY" "" "SOURCES;DEFINES;WITH;LINK" ${ARGN})
  if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS OR (ARG_PUBLISHED AND ARG_PLAIN) OR (ARG_FIRMWARE AND (ARG_PUBLISHED OR ARG_PLAIN)) OR (ARG_PLAIN AND (ARG_LINK OR ARG_WITH OR ARG_LINES_ONLY)))
    message(FATAL_ERROR "spica_kernel(${name}): expected [PUBLISHED | PLAIN | FIRMWARE] SOURCES files... [DEFINES NAME[=value]...] [LINES_ONLY] [WITH kernels...] [LINK options...], not '${ARGN}'")
  endif()
  foreach(fact root library folder link link_inputs link_published published_problem)
    get_property(${fact} GLOBAL PROPERTY SPICA_SW_${fact})
  endforeach()
  if(NOT link)
    message(FATAL_ERROR "spica_kernel(${name}): ${spica_kernel_problem}")
  endif()
  set(objects_folder ${folder}/objects)
  if(NOT folder)
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
    set(objects_folder ${folder}/spica_kernels)
  endif()
  set(elf ${folder}/${name}.elf)
  if(ARG_PUBLISHED AND published_problem)
    message(WARNING "kernel ${name} is not built: ${published_problem}")
    file(WRITE ${folder}/${name}.missing "${published_problem}\n")
    return()
  endif()
  if(ARG_PUBLISHED)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(link ${link_published})
    file(REMOVE ${folder}/${name}.missing)
  endif()
  set(size 0x10000)
  if(ARG_DEFINES MATCHES "PLATFORM_SHARED_SIZE=(0x[0-9a-fA-F]+)")
    set(size ${CMAKE_MATCH_1})
  endif()
  get_property(library_objects GLOBAL PROPERTY SPICA_SW_objects_${size})
  if(NOT library_objects)
    message(FATAL_ERROR "${name}: there is no library for ${size} bytes of shared memory, only for ${spica_shared_sizes}")
  endif()
  list(TRANSFORM library_objects PREPEND ${library}/)
  if(ARG_FIRMWARE)
    set(script ${root}/sw/firmware/firmware.ld)
    list(TRANSFORM link REPLACE "^${root}/sw/lib/kernel.ld$" ${script})
    list(APPEND link_inputs ${script})
    list(PREPEND library_objects ${library}/firmware/start.S.o)
  endif()
  list(TRANSFORM ARG_DEFINES PREPEND -D)
  if(ARG_LINES_ONLY)
    list(APPEND ARG_DEFINES -g1)
  endif()
  if(ARG_PLAIN)
    file(MAKE_DIRECTORY ${objects_folder}/${name})
    list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
    spica_plain_rules(${root} ${elf} ${objects_folder}/${name} "${ARG_DEFINES}" ${ARG_SOURCES})
    spica_kernel_target(${name} ${elf})
    return()
  endif()
  spica_sw_objects(objects ${objects_folder}/${name} "${ARG_DEFINES}" ${ARG_PUBLISHED} ${ARG_SOURCES})
  set_property(GLOBAL PROPERTY SPICA_SW_objects_of_${name} ${objects})
  foreach(other IN LISTS ARG_WITH)
    get_property(others GLOBAL PROPERTY SPICA_SW_objects_of_${other})
    if(NOT others)
      message(FATAL_ERROR "spica_kernel(${name}): WITH ${other}: there is no such kernel before it")
    endif()
    list(APPEND objects ${others})
    list(APPEND others_built kernel_${other})
  endforeach()
  if(ARG_PUBLISHED)
    set(check_inputs ${root}/sw/check_kernel_stacks.py ${root}/sw/kernel_code.py)
    set(check COMMAND ${Python3_EXECUTABLE} -B ${root}/sw/check_kernel_stacks.py ${elf} ${objects})
  endif()
  add_custom_command(OUTPUT ${elf}
    COMMAND ${link} ${ARG_LINK} ${objects} ${library_objects} -o ${elf}
    ${check}
    DEPENDS ${objects} ${check_inputs} ${library_objects} ${link_inputs}
    WORKING_DIRECTORY ${root}
    COMMENT "sw: link ${name}.elf" VERBATIM)
  spica_kernel_target(${name} ${elf})
  if(others_built)
    add_dependencies(kernel_${name} ${others_built})  # one builder of the objects, also under make
  endif()
endfunction()
