// SPDX-License-Identifier: Apache-2.0
// One stack overflow per case; with `bug` = 0 the same code stays inside its stack.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>

struct Arguments {
  uint32_t which, bug;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0};

#define NOINLINE __attribute__((noinline))

static volatile unsigned sink;
static unsigned own_stack[1024];

static NOINLINE unsigned down(unsigned n) { /* recursion */
  volatile unsigned here = n;
  if (n == 0) return here;
  return down(n - 1) + here;
}

static NOINLINE unsigned even(unsigned n);
static NOINLINE unsigned odd(unsigned n) { /* mutual */
  volatile unsigned here[8] = {n};
  if (n == 0) return 1;
  return even(n - 1) + here[0];
}
static NOINLINE unsigned even(unsigned n) {
  volatile unsigned here[8] = {n};
  if (n == 0) return 0;
  return odd(n - 1) + here[0];
}

static NOINLINE unsigned large(unsigned n) { /* large */
  volatile unsigned char bytes[24000];
  bytes[n] = 1;
  return bytes[n];
}
static NOINLINE unsigned fits(unsigned n) {
  volatile unsigned char bytes[6000];
  bytes[n] = 1;
  return bytes[n];
}

static NOINLINE unsigned variable(unsigned n) { /* variable */
  auto* bytes = static_cast<volatile unsigned char*>(__builtin_alloca(n));
  bytes[n / 2] = 1;
  return bytes[n / 2];
}

/// The last bytes of a stack are its own.
static NOINLINE unsigned to_the_end(unsigned bug) { /* to_the_end */
  unsigned sp;
  __asm__ volatile("mv %0, sp" : "=r"(sp));
  const unsigned left =
      sp - (PLATFORM_STACK_TOP - simt_hart() * PLATFORM_STACK_STRIDE - PLATFORM_STACK_BYTES);
  __asm__ volatile("sub sp, sp, %0\n\tsw x0, 0(sp)\n\tadd sp, sp, %0" : : "r"(left + 16 * bug) : "memory");
  return left;
}

/// A stack of the program's own is no overflow.
static NOINLINE unsigned on_own_stack(unsigned n) {
  unsigned result;
  __asm__ volatile(
      "mv s1, sp\n\t"
      "mv sp, %1\n\t"
      "mv a0, %2\n\t"
      "call %3\n\t"
      "mv sp, s1\n\t"
      "mv %0, a0"
      : "=r"(result)
      : "r"(own_stack + 1024), "r"(n), "i"(down)
      : "s1", "ra", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6",
        "memory");
  return result;
}

static void all_lanes(unsigned, void* n) { sink = down(reinterpret_cast<unsigned long>(n)); }

static void one_lane(unsigned id, void* bug) {
  SIMT_IF(id == 13)
  sink = down(bug != nullptr ? 100000 : 3);
  SIMT_END_IF
}

static void in_a_task(unsigned, void* bug) {
  sink = bug != nullptr ? large(simt_hide(3)) : fits(simt_hide(3));
}

__attribute__((interrupt)) static void handler() {
  sink = down(arguments.bug ? 100000 : 3);
  __asm__ volatile("csrr t0, mepc\n\taddi t0, t0, 4\n\tcsrw mepc, t0" ::: "t0");
}

/// Traps inside itself, again and again.
__attribute__((interrupt)) static void trapping_handler() {
  sink = down(3);
  if (arguments.bug) __asm__ volatile("ecall");
  __asm__ volatile("csrr t0, mepc\n\taddi t0, t0, 4\n\tcsrw mepc, t0" ::: "t0");
}

static void trap_to(void (*to)()) {
  __asm__ volatile("csrw mtvec, %0\n\tecall\n\tcsrw mtvec, x0" ::"r"(to) : "memory");
}

int main() {
  const unsigned bug = arguments.bug;
  auto* const argument = reinterpret_cast<void*>(static_cast<unsigned long>(bug));
  if (arguments.which < 8 && simt_core() != 0) return 0;
  switch (arguments.which) {
    case 0: sink = down(bug ? 100000 : 100); break;
    case 1: sink = even(bug ? 100000 : 50); break;
    case 2: sink = bug ? large(simt_hide(3)) : fits(simt_hide(3)); break;
    case 3: sink = variable(bug ? 40000 : 4000); break;
    case 4: sink = to_the_end(bug); break;
    case 5: trap_to(handler); break;
    case 6: trap_to(trapping_handler); break;
    case 7: sink = bug ? on_own_stack(20) + down(100000) : on_own_stack(20); break;
    case 8: spawn_tasks(64, all_lanes, reinterpret_cast<void*>(bug ? 100000ul : 100ul)); break;
    case 9: spawn_tasks(256, one_lane, argument); break;
    case 10: spawn_tasks(256, in_a_task, argument); break;
  }
  return 0;
}
