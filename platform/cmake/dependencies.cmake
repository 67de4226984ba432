# SPDX-License-Identifier: Apache-2.0
# What the libraries of Spica need of others. Its own build reads this, and so does whoever finds the package.
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
find_dependency(fmt)
find_dependency(yaml-cpp 0.7)
find_dependency(nlohmann_json)

find_package(SystemCLanguage CONFIG QUIET)  # a user's own SystemC build; Debian ships pkg-config files
if(NOT TARGET SystemC::systemc)
  pkg_check_modules(SPICA_SYSTEMC QUIET IMPORTED_TARGET systemc tlm)
endif()
pkg_check_modules(SPICA_ELFUTILS QUIET IMPORTED_TARGET libelf libdw)
pkg_check_modules(SPICA_NETTLE QUIET IMPORTED_TARGET nettle)

# spica_dependency(<target> <candidates...>): the target stands for the first candidate that exists.
function(spica_dependency target)
  foreach(candidate IN LISTS ARGN)
    if(TARGET ${candidate} AND NOT TARGET ${target})
      add_library(${target} INTERFACE IMPORTED)
      target_link_libraries(${target} INTERFACE ${candidate})
    endif()
  endforeach()
endfunction()
spica_dependency(spica::systemc SystemC::systemc PkgConfig::SPICA_SYSTEMC)
spica_dependency(spica::elfutils PkgConfig::SPICA_ELFUTILS)
spica_dependency(spica::nettle PkgConfig::SPICA_NETTLE)

foreach(dependency systemc:libsystemc-dev elfutils:libdw-dev nettle:nettle-dev)
  string(REPLACE ":" ";" dependency ${dependency})
  list(GET dependency 0 library)
  list(GET dependency 1 package)
  if(NOT TARGET spica::${library})
    set(spica_FOUND FALSE)
    set(spica_NOT_FOUND_MESSAGE "${library} was not found (Debian: ${package})")
  endif()
endforeach()
