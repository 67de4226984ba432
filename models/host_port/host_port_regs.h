/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the host port, shared by the model and by a host's driver: plain C, numbers only. 4-byte accesses,
 * little endian, at host.registers_base. What is written to a read-only register is refused. */
#pragma once

#define HOST_PORT_BLOCK_BYTES 0x1000

#define HOST_PORT_ID 0x00                /* R: HOST_PORT_ID_VALUE */
#define HOST_PORT_STATUS 0x04            /* R: bits below */
#define HOST_PORT_ENTRY 0x08             /* RW: where all cores start */
#define HOST_PORT_LAUNCH 0x0C /* W: doorbell, any value; refused while running and after a fault */
#define HOST_PORT_RESET 0x10 /* W: the machine as built, any value; global memory keeps its bytes */
#define HOST_PORT_INTERRUPT_ENABLE 0x14 /* RW: bit 0 */
#define HOST_PORT_INTERRUPT_PENDING 0x18 /* R: bit 0; set by an end or a fault. W: bit 0 clears it */
#define HOST_PORT_EXIT_CODE 0x1C /* R: gp of core 0, warp 0, lane 0 when the program ended */
#define HOST_PORT_CYCLES_LO 0x20 /* R: from the doorbell to the end or the fault; so far, while running */
#define HOST_PORT_CYCLES_HI 0x24 /* R */
#define HOST_PORT_FAULT_KIND 0x28 /* R: 0 none, else 1 + place in protocol::FaultKind */
#define HOST_PORT_FAULT_PC 0x2C /* R: of the instruction; 0 when no core is at fault */
#define HOST_PORT_FAULT_ADDRESS 0x30 /* R: data address or branch target; 0: none */
#define HOST_PORT_FAULT_ORIGIN 0x34 /* R: core << 16 | warp << 8 */
#define HOST_PORT_CORES 0x38 /* R: cores of all clusters */
#define HOST_PORT_CLUSTERS 0x3C /* R */
#define HOST_PORT_REGISTERS_END 0x40

#define HOST_PORT_ID_VALUE 0x53504943 /* "SPIC" */

#define HOST_PORT_STATUS_RUNNING 0x1
#define HOST_PORT_STATUS_DONE 0x2
#define HOST_PORT_STATUS_FAULTED 0x4
