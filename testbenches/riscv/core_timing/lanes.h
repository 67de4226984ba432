// SPDX-License-Identifier: Apache-2.0
// Behind `prologue`: addresses in shared memory that the lanes of a warp cannot use together.
.macro next_words        # s10: each lane on the word of the next lane: one after the other
 addi t0,s4,1
 andi t0,t0,7
 slli t0,t0,2
 slli t1,s3,9
 add t0,t0,t1
 li s10,0xFF000000
 add s10,s10,t0
.endm
.macro last_lane_late    # s11: lane 7 on the word of lane 6, behind it
 slti t0,s4,7
 xori t0,t0,1
 slli t0,t0,2
 sub s11,s2,t0
.endm
