/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the command processor, shared by the model and by programs: plain C, numbers only. 4-byte accesses. Each queue
 * has a block of COMMAND_PROCESSOR_QUEUE_BYTES; its packets are a ring in memory (models/protocol/packets.h). */
#pragma once

#define COMMAND_PROCESSOR_QUEUES 32
#define COMMAND_PROCESSOR_QUEUE_BYTES 0x20
#define COMMAND_PROCESSOR_BLOCK_BYTES 0x420 /* all queues, and what is behind them */

#define COMMAND_PROCESSOR_BASE 0x00     /* RW: address of the ring, a multiple of 64 */
#define COMMAND_PROCESSOR_PACKETS 0x04  /* RW: packets that the ring has room for */
#define COMMAND_PROCESSOR_DOORBELL 0x08 /* RW: packets written so far; the processor looks at the queue */
#define COMMAND_PROCESSOR_READ 0x0C     /* R: packets whose place may be used again */
#define COMMAND_PROCESSOR_CLUSTERS 0x10 /* RW: clusters that its kernels may run on, a bit each; 0: all */

/* Behind the queues. */
#define COMMAND_PROCESSOR_MODEL \
  0x400 /* RW: address of the concurrency model (models/protocol/concurrency_model.h); 0: none */
