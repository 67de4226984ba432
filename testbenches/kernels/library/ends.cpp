// SPDX-License-Identifier: Apache-2.0
// Ends of a program, chosen by MODE; library_test.py has what each must do.
#include <simt.h>
#include <spawn.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#if MODE == 9
thread_local int per_thread = 3;
#endif
static void said() { printf("handler on core %u\n", simt_core()); }
static void task(unsigned id, void*) {
#if MODE == 1
  SIMT_IF(id == 77) exit(5);
  SIMT_END_IF
#elif MODE == 2
  SIMT_IF(id == 77) _Exit(0);
  SIMT_END_IF
  while (true) asm volatile("nop");
#elif MODE == 3
  assert(id != 21);
#elif MODE == 4
  SIMT_IF(id == 33) abort();
  SIMT_END_IF
#elif MODE == 5
  int on_stack;
  SIMT_IF(id == 33) free(&on_stack);
  SIMT_END_IF
#elif MODE == 6
  void* p = malloc(10);
  free(p);
  SIMT_IF(id == 3) free(p);
  SIMT_END_IF
#elif MODE == 7
  exit(id == 9 ? -1 : 0);
#elif MODE == 8
  exit(0);
#elif MODE == 9
  per_thread += id;
#endif
      (void)
  id;
}
int main() {
  if (simt_core() == 0) atexit(said);
  simt_barrier(0, 1);
  spawn_tasks(spawn_threads(), task, nullptr);
  simt_barrier(0, 1);
  return simt_core() == 0 ? 42 : 0;
}
