/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the command processor, shared by the model and by programs: plain C, numbers only. 4-byte accesses. Each queue
 * has a block of COMMAND_PROCESSOR_QUEUE_BYTES; its packets are a ring in memory (models/protocol/host_queues/packets.h). */
#pragma once

#define COMMAND_PROCESSOR_QUEUES 32
#define COMMAND_PROCESSOR_QUEUE_BYTES 0x20
#define COMMAND_PROCESSOR_BLOCK_BYTES 0x420 /* all queues, and what is behind them */

#define COMMAND_PROCESSOR_BASE 0x00     /* RW: address of the ring, a multiple of 64 */
#define COMMAND_PROCESSOR_PACKETS 0x04  /* RW: packets that the ring has room for */
#define COMMAND_PROCESSOR_DOORBELL 0x08 /* RW: packets written so far; the processor looks at the queue */
#define COMMAND_PROCESSOR_READ 0x0C     /* R: packets whose place may be used again */
#define COMMAND_PROCESSOR_CLUSTERS \
  0x10 /* RW: clusters that its kernels may run on, a bit each; all words 0: all */
#define COMMAND_PROCESSOR_CLUSTER_WORD 0x14 /* RW: n: CLUSTERS has clusters 32 n to 32 n + 31; 0 to 7 */

/* Behind the queues. */
#define COMMAND_PROCESSOR_MODEL \
  0x400 /* RW: address of the concurrency model (models/protocol/host_queues/concurrency_model.h); 0: none */

/* What a firmware sees, in the address space of the hart of the command processor only (docs/howto/firmware.md): a memory of
 * its own, main memory at its usual addresses, and these registers. A queue is its number, several are a bit each. A variant
 * of a kernel is 0 for that of the packet, and 1 to 5 for those that its table (models/protocol/host_queues/kernel_choice.h) has for
 * degrees 1, 2, 4, 8 and 16. */
#define FIRMWARE_MEMORY 0x70000000u
#define FIRMWARE_MEMORY_BYTES 0x10000u
#define FIRMWARE_REGISTERS 0x71000000u
#define FIRMWARE_REGISTERS_BYTES 0x3000u
#define FIRMWARE_VARIANTS 6
#define FIRMWARE_DEGREES 5

#define FIRMWARE_QUEUES 0x00 /* R: queues there are */
#define FIRMWARE_CLUSTERS 0x04 /* R: clusters of the machine */
#define FIRMWARE_POLICY 0x08 /* R: 0 sequential, 1 greedy, 2 predicted, 3 oracle */
#define FIRMWARE_MODEL 0x0C /* R: COMMAND_PROCESSOR_MODEL */
#define FIRMWARE_RUNNING 0x10 /* R: kernels that have been launched and have not ended */
#define FIRMWARE_UNREAD 0x14 /* R: queues whose next packet is about to be read */
#define FIRMWARE_NEW 0x18 /* R, and then 0: queues at whose head a kernel has come */
#define FIRMWARE_GIVEN \
  0x1C /* R, and then 0: queues whose head has left: all its work groups are with clusters */
#define FIRMWARE_ENDED 0x20 /* R, and then 0: queues of which a kernel has ended */
#define FIRMWARE_SLEEP 0x24 /* W: the hart rests until NEW, GIVEN or ENDED is not 0 */
#define FIRMWARE_LAUNCH 0x28 /* W: queue + 256 * variant: launches the kernel at its head */
#define FIRMWARE_PRODUCTS \
  0x40 /* R: matrix products that run, launched as variant 1; those of variant 2 in the next word, ... */

/* The heads of the queues, 0x100 bytes each. */
#define FIRMWARE_HEADS 0x1000
#define FIRMWARE_HEAD_BYTES 0x100
#define FIRMWARE_STATE 0x00 /* R: */
#define FIRMWARE_KERNEL 1u /*   a kernel is at the head, and has not been launched */
#define FIRMWARE_FREE 2u /*   all before it in its queue let it begin */
#define FIRMWARE_PRODUCT 4u /*   it is a matrix product with kernels for several at once */
#define FIRMWARE_LIKE_LAST 8u /*   and has the table of the product that was launched last */
#define FIRMWARE_IN_QUEUE 0x04 /* R: kernels of the queue that run */
#define FIRMWARE_M 0x10 /* R: sizes of the product */
#define FIRMWARE_N 0x14
#define FIRMWARE_K 0x18
#define FIRMWARE_GROUPS 0x20 /* R: work groups, a word for each variant */
#define FIRMWARE_OCCUPANCY 0x40 /* R: work groups that an empty cluster holds */
#define FIRMWARE_CYCLES 0x60 /* R: cycles that were measured; 0: not known */
#define FIRMWARE_PACKET 0x80 /* R: the packet, 16 words */
