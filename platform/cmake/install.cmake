# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Everything below the prefix finds the rest by its own place, so that it can be moved:
#   bin/spica                     the program
#   lib/spica/                    the plugin of clang for kernels in plain C++, where it was built
#   share/spica/                  what it reads: configs/, kernels/, sw/, runtime/ (the kernel library, compiled), with the
#                                 paths of the sources
#   include/spica/                spica.h, the API; the headers of the libraries with the paths of the sources
#   lib/, lib/cmake/, pkgconfig/  the libraries, find_package(spica), pkg-config files
include(CMakePackageConfigHelpers)
set(share ${CMAKE_INSTALL_DATADIR}/spica)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/spica)

# Libraries for users: all blocks, and of the platform spica_platform_rooms.
get_property(built GLOBAL PROPERTY SPICA_LIBRARIES)
set(libraries "")
set(folders "")
foreach(library IN LISTS built)
  get_target_property(folder spica_${library} SOURCE_DIR)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  string(REGEX REPLACE "^platform/" "" room ${folder})
  if(folder MATCHES "^models/" OR room IN_LIST spica_platform_rooms)
    list(APPEND libraries ${library})
    list(APPEND folders ${folder})
  endif()
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
  get_filename_component(floor ${folder} DIRECTORY)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spica/${floor}
    COMPONENT libspica-dev FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc")
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/earlier_protocol/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spica/models/protocol COMPONENT libspica-dev)
install(DIRECTORY ${PROJECT_BINARY_DIR}/earlier_paths/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spica/platform COMPONENT libspica-dev)
list(TRANSFORM libraries PREPEND spica_ OUTPUT_VARIABLE targets)
install(TARGETS ${targets} EXPORT spicaTargets ARCHIVE COMPONENT libspica-dev)
install(FILES ${spica_include}/spica/version.h ${PROJECT_SOURCE_DIR}/platform/bindings/client/spica.h
  ${PROJECT_SOURCE_DIR}/platform/bindings/client/device.h ${PROJECT_SOURCE_DIR}/platform/bindings/client/run.h
  ${PROJECT_SOURCE_DIR}/platform/bindings/api/accelerator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spica COMPONENT libspica-dev)

# The program, and what it reads.
set_target_properties(spica_program PROPERTIES EXPORT_NAME program)
install(TARGETS spica_program EXPORT spicaTargets RUNTIME_DEPENDENCY_SET spica_needs RUNTIME COMPONENT spica)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${share} COMPONENT spica)
if(TARGET spica_lanes)
  install(TARGETS spica_lanes LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/spica COMPONENT spica)
  install(TARGETS spica_opencl_module RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/spica COMPONENT spica)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/platform/observe/debug/spica.gdb DESTINATION ${share}/platform/observe/debug COMPONENT spica)

# Kernels, and all that is needed to build others. The headers of sw/lib include registers of blocks.
if(SPICA_KERNELS)
  include(${PROJECT_SOURCE_DIR}/sw/spica_kernel.cmake)  # the sizes of the libraries
  list(TRANSFORM spica_shared_sizes PREPEND ${PROJECT_BINARY_DIR}/sw/objects/lib_ OUTPUT_VARIABLE sized_libraries)
  get_property(kernels GLOBAL PROPERTY SPICA_KERNELS)
  install(FILES ${kernels} DESTINATION ${share}/kernels COMPONENT spica)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/sw DESTINATION ${share} COMPONENT spica
    PATTERN CMakeLists.txt EXCLUDE PATTERN ".clang-*" EXCLUDE)
  file(GLOB registers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*/*_regs.h)
  foreach(header IN LISTS registers)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${share}/${folder} COMPONENT spica)
  endforeach()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/sw/objects/lib ${PROJECT_BINARY_DIR}/sw/objects/plain ${PROJECT_BINARY_DIR}/sw/objects/firmware
    ${sized_libraries} DESTINATION ${share}/runtime
    COMPONENT spica FILES_MATCHING PATTERN "*.o" PATTERN "*.a")
  install(FILES ${PROJECT_BINARY_DIR}/sw/objects/opencl/opencl.bc DESTINATION ${share}/runtime/opencl COMPONENT spica OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/sw/objects/objects.cmake ${PROJECT_BINARY_DIR}/sw/objects/objects.txt DESTINATION ${share}/runtime COMPONENT spica)
endif()

# The package. Its files serve the build tree, too, where CMAKE_PREFIX_PATH is the build folder.
function(package_config folder)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/spicaConfig.cmake.in ${folder}/spicaConfig.cmake @ONLY)
  write_basic_package_version_file(${folder}/spicaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  file(COPY ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/dependencies.cmake ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/spica_plugin.cmake DESTINATION ${folder})
endfunction()
file(RELATIVE_PATH share_from_package /p/${package} /p/${share})
file(RELATIVE_PATH python_from_share /p/${share} /p/lib/python3/dist-packages)
set(PACKAGE_ROOT "\${CMAKE_CURRENT_LIST_DIR}/${share_from_package}")
set(PACKAGE_KERNELS ${PACKAGE_ROOT}/kernels)
set(PACKAGE_RUNTIME ${PACKAGE_ROOT}/runtime)
set(PACKAGE_PYTHON "${PACKAGE_ROOT}/${python_from_share}")
package_config(${PROJECT_BINARY_DIR}/package)
install(DIRECTORY ${PROJECT_BINARY_DIR}/package/ DESTINATION ${package} COMPONENT libspica-dev)
install(EXPORT spicaTargets NAMESPACE spica:: DESTINATION ${package} COMPONENT libspica-dev)

set(PACKAGE_ROOT ${PROJECT_SOURCE_DIR})
set(PACKAGE_KERNELS ${PROJECT_BINARY_DIR}/sw)
set(PACKAGE_RUNTIME ${PROJECT_BINARY_DIR}/sw/objects)
set(PACKAGE_PYTHON ${PROJECT_BINARY_DIR}/lib/python3/dist-packages)
package_config(${PROJECT_BINARY_DIR}/lib/cmake/spica)
export(EXPORT spicaTargets NAMESPACE spica:: FILE ${PROJECT_BINARY_DIR}/lib/cmake/spica/spicaTargets.cmake)

# spica_reachable(<result> <library>): the libraries that one links, itself included, in the order of linking.
function(spica_reachable result library)
  set(found ${library})
  list(REVERSE built)  # each comes before those that it links
  foreach(candidate IN LISTS built)
    foreach(user IN LISTS found)
      get_target_property(links spica_${user} INTERFACE_LINK_LIBRARIES)
      if(spica_${candidate} IN_LIST links)
        list(APPEND found ${candidate})
        break()
      endif()
    endforeach()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

file(RELATIVE_PATH prefix_from_pkgconfig /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
foreach(component "cluster:the blocks of a GPU cluster, SystemC modules" "soc:the whole machine as a SystemC module"
    "session:runs a program on a machine" "watchdog:finds hangs of a run and explains its end" "client:machines in processes of their own, <spica/run.h>"
    "api:the API <spica/spica.h>")
  string(REGEX MATCH "^([a-z]+):(.*)" match ${component})
  set(pc_name spica-${CMAKE_MATCH_1})
  set(pc_description "Spica, virtual platform of a GPU cluster: ${CMAKE_MATCH_2}")
  spica_reachable(pc_libraries ${CMAKE_MATCH_1})
  list(TRANSFORM pc_libraries PREPEND -lspica_)
  list(JOIN pc_libraries " " pc_libraries)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/spica.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${pc_name}.pc @ONLY)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/pkgconfig DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libspica-dev)

foreach(package spica libspica-dev python3-spica)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright COMPONENT ${package})
endforeach()
include(package)
