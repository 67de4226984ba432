# SPDX-License-Identifier: Apache-2.0
# spica_plugin(NAME SOURCES...): libNAME.so with blocks of your own (SPICA_BLOCK), for `plugins` in a configuration. It takes
# the code of Spica from the program that loads it.
function(spica_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:spica::soc,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${name} PRIVATE spica::systemc)
  target_compile_features(${name} PRIVATE cxx_std_17)
endfunction()
