# SPDX-License-Identifier: Apache-2.0
# Debian packages, by `cpack -G DEB` in the build folder: spica, the program with all it reads and the kernels' library, and
# libspica-dev, what find_package(spica) needs.
include(packages)
set(SPICA_MAINTAINER "Spica developers <spica@localhost>" CACHE STRING "maintainer of the Debian packages")
set(CPACK_PACKAGE_NAME spica)
set(CPACK_PACKAGE_VENDOR Spica)
set(CPACK_PACKAGE_CONTACT ${SPICA_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL spica libspica-dev)
if(TARGET spica_python)
  list(APPEND CPACK_COMPONENTS_ALL python3-spica)
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_COMPONENT_SPICA_DESCRIPTION "virtual platform of a GPU cluster
 Runs bare-metal RISC-V kernels on a SystemC model of the Virgo GPU cluster.")
set(CPACK_DEBIAN_SPICA_PACKAGE_NAME spica)
set(CPACK_DEBIAN_SPICA_PACKAGE_SECTION electronics)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian_depends.cmake.in ${PROJECT_BINARY_DIR}/debian_depends.cmake @ONLY)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/debian_depends.cmake)
set(CPACK_DEBIAN_SPICA_PACKAGE_RECOMMENDS "gcc-riscv64-unknown-elf, clang-19, lld-19, libjs-chart.js")
set(CPACK_DEBIAN_SPICA_PACKAGE_SUGGESTS gdb-multiarch)

set(CPACK_COMPONENT_LIBSPICA-DEV_DESCRIPTION "virtual platform of a GPU cluster, as libraries
 Headers, static libraries, CMake package and pkg-config files.")
set(CPACK_DEBIAN_LIBSPICA-DEV_PACKAGE_NAME libspica-dev)
set(CPACK_DEBIAN_LIBSPICA-DEV_PACKAGE_SECTION libdevel)
spica_package(boost inc:boost/pfr.hpp)
set(CPACK_DEBIAN_LIBSPICA-DEV_PACKAGE_DEPENDS "spica (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), \
libsystemc-dev, libfmt-dev, libyaml-cpp-dev, libdw-dev, libelf-dev, nlohmann-json3-dev, nettle-dev, libcereal-dev, ${boost}, pkgconf")

string(REGEX REPLACE "^3\\.([0-9]+)$" "\\1" python_minor "${SPICA_PYTHON_VERSION}")
math(EXPR python_next "0${python_minor} + 1")
set(CPACK_COMPONENT_PYTHON3-SPICA_DESCRIPTION "virtual platform of a GPU cluster, in Python
 Runs kernels with numpy arrays as operands and results.")
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_NAME python3-spica)
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-SPICA_PACKAGE_DEPENDS "spica (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), \
python3 (>= ${SPICA_PYTHON_VERSION}), python3 (<< 3.${python_next}), python3-numpy, libstdc++6, libc6")
include(CPack)
