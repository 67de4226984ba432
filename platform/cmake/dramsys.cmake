# SPDX-License-Identifier: Apache-2.0
# DRAMSys as a back end of main memory, main_memory.back_end=dramsys (docs/howto/connect-a-memory-simulator.md). Off unless asked for,
# and nothing is ever downloaded.
set(SPICA_DRAMSYS OFF CACHE STRING "DRAMSys: OFF, the folder of its sources, or ON: an installed package DRAMSys")
if(NOT SPICA_DRAMSYS)
  return()
endif()
if(IS_DIRECTORY "${SPICA_DRAMSYS}")
  set(FETCHCONTENT_FULLY_DISCONNECTED ON)  # what it needs is given by FETCHCONTENT_SOURCE_DIR_..., or installed
  add_subdirectory(${SPICA_DRAMSYS} ${PROJECT_BINARY_DIR}/dramsys EXCLUDE_FROM_ALL)
else()
  find_package(DRAMSys CONFIG REQUIRED)
endif()
if(NOT TARGET DRAMSys::DRAMSys)
  message(FATAL_ERROR "SPICA_DRAMSYS=${SPICA_DRAMSYS} has no target DRAMSys::DRAMSys; DRAMSys 5.5 has one")
endif()
