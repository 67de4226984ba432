# SPDX-License-Identifier: Apache-2.0
# Packages, by the target `package` or by cpack in the build folder.
#
# DEB: spica, the program with all it reads and the kernels' library; libspica-dev, what find_package(spica) needs; spica-opencl,
# the OpenCL driver, which the system's loader finds.
# TXZ: spica-VERSION-linux-ARCHITECTURE.tar.xz, for any Linux that has the C library of the system it was built on, or a later one:
# the program with the other libraries that it needs, their licences, the chart library, and the Python package.
include(packages)
set(SPICA_MAINTAINER "Spica developers <spica@localhost>" CACHE STRING "maintainer of the Debian packages")
set(CPACK_PACKAGE_NAME spica)
set(CPACK_PACKAGE_VENDOR Spica)
set(CPACK_PACKAGE_CONTACT ${SPICA_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(python_component "")
if(SPICA_PYTHON_PACKAGE)
  set(python_component python3-spica)
endif()
set(opencl_component "")
if(TARGET spica_opencl)
  set(opencl_component spica-opencl)
endif()
set(CPACK_COMPONENTS_ALL spica libspica-dev ${python_component} ${opencl_component})
set(CPACK_GENERATOR DEB TXZ)
install(RUNTIME_DEPENDENCY_SET spica_needs COMPONENT archive DESTINATION lib/spica
  PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread))\\.so" DIRECTORIES /usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
install(CODE [[
  file(GLOB files RELATIVE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/spica" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/spica/*.so*")
  foreach(file IN LISTS files)
    execute_process(COMMAND dpkg-query -S "/usr/lib/*-linux-gnu/${file}" "/lib/*-linux-gnu/${file}" OUTPUT_VARIABLE found ERROR_QUIET)
    if(found MATCHES "^([^:,]+)")
      file(INSTALL "/usr/share/doc/${CMAKE_MATCH_1}/copyright" DESTINATION "${CMAKE_INSTALL_PREFIX}/share/doc/spica/${CMAKE_MATCH_1}")
    endif()
  endforeach()
]] COMPONENT archive)
if(EXISTS ${SPICA_CHART_JS})
  install(FILES ${SPICA_CHART_JS} DESTINATION ${share} COMPONENT archive)
  install(FILES /usr/share/doc/libjs-chart.js/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/spica/libjs-chart.js COMPONENT archive OPTIONAL)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_COMPONENT_SPICA_DESCRIPTION "virtual platform of a GPU cluster
 Runs bare-metal RISC-V kernels on a SystemC model of GPU clusters.")
set(CPACK_DEBIAN_SPICA_PACKAGE_NAME spica)
set(CPACK_DEBIAN_SPICA_PACKAGE_SECTION electronics)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian_depends.cmake.in ${PROJECT_BINARY_DIR}/debian_depends.cmake @ONLY)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/debian_depends.cmake)
set(CPACK_DEBIAN_SPICA_PACKAGE_RECOMMENDS "clang-19, lld-19, libjs-chart.js")
set(CPACK_DEBIAN_SPICA_PACKAGE_SUGGESTS gdb-multiarch)

set(CPACK_COMPONENT_LIBSPICA-DEV_DESCRIPTION "virtual platform of a GPU cluster, as libraries
 Headers, static libraries, CMake package and pkg-config files.")
set(CPACK_DEBIAN_LIBSPICA-DEV_PACKAGE_NAME libspica-dev)
set(CPACK_DEBIAN_LIBSPICA-DEV_PACKAGE_SECTION libdevel)
spica_package(boost inc:boost/pfr.hpp)
set(CPACK_DEBIAN_LIBSPICA-DEV_PACKAGE_DEPENDS "spica (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), \
libsystemc-dev, libfmt-dev, libyaml-cpp-dev, libdw-dev, libelf-dev, nlohmann-json3-dev, nettle-dev, libcereal-dev, ${boost}, pkgconf")

set(CPACK_COMPONENT_PYTHON3-SPICA_DESCRIPTION "virtual platform of a GPU cluster, in Python
 Runs kernels with numpy arrays as operands and results.")
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_NAME python3-spica)
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_DEPENDS "spica (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), \
python3 (>= 3.9), python3-numpy")

set(CPACK_COMPONENT_SPICA-OPENCL_DESCRIPTION "virtual platform of a GPU cluster, as an OpenCL device
 Driver for the OpenCL loader: OpenCL programs run on the model.")
set(CPACK_DEBIAN_SPICA-OPENCL_PACKAGE_NAME spica-opencl)
set(CPACK_DEBIAN_SPICA-OPENCL_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SPICA-OPENCL_PACKAGE_DEPENDS "spica (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), \
ocl-icd-libopencl1 | libopencl1, libc6, libstdc++6, clang-19, lld-19")
set(CPACK_DEBIAN_SPICA-OPENCL_PACKAGE_PROVIDES opencl-icd)
include(CPack)
