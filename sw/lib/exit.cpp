// SPDX-License-Identifier: Apache-2.0
// Ends of a program other than the return from main: exit() with a code, _Exit(), and what is called at the end.
#include <stdlib.h>

#include "lock.h"
#include "simt.h"

extern "C" {
void simt_end_warp_now(int code) __attribute__((noreturn));
void simt_exit_functions();
void simt_exit_program(int code) __attribute__((noreturn));
void simt_wait_alone();
int __cxa_atexit(void (*function)(void*), void* argument, void* image);
void* __dso_handle = nullptr;  // which shared library: there are none
extern volatile unsigned tohost[2];
}

namespace {

struct Entry {
  void (*function)(void*);
  void* argument;
};
constexpr unsigned kEntries = 256;
Entry entries[kEntries];
unsigned count, ended;  // ended: cores other than 0
Lock lock;

// In reverse order; one of them may add others.
void call_all() {
  while (count != 0) {
    const Entry entry = entries[--count];
    entry.function(entry.argument);
  }
}

// Core 0 waits until every other core has ended: they may use what is about to be destroyed.
void end_last(void* code) {
  if (simt_warp() == 0) {
    simt_wait_alone();
    simt_fence();
    if (simt_core() != 0) {
      __atomic_fetch_add(&ended, 1u, __ATOMIC_ACQ_REL);
    } else {
      while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) != simt_cores() - 1) {
      }
      call_all();
    }
  }
  simt_end_warp_now(*static_cast<int*>(code));
}

void end_warp(int code) {
  simt_each_lane(end_last, &code);  // does not come back from the first lane
}

// Only where atexit() or __cxa_atexit() is used: they name it, nothing else keeps it.
struct Hook {
  void (*end_warp)(int);
  void (*call_all)();
};
__attribute__((section(".exit_hook"))) volatile Hook hook = {end_warp, call_all};

struct Registration {
  Entry entry;
  int result;
};

void add(void* argument) {
  auto& registration = *static_cast<Registration*>(argument);
  lock.take();
  const bool room = count < kEntries && hook.call_all != nullptr;
  if (room) entries[count++] = registration.entry;
  lock.give();
  registration.result = room ? 0 : -1;
}

unsigned leaving, telling;
alignas(64) volatile unsigned long long host_call[8];
constexpr unsigned kExitCall = 93;

// The first lane that comes is heard, and the end comes to all others wherever they are.
[[noreturn]] void notify_host(void* code) {
  if (__atomic_exchange_n(&telling, 1u, __ATOMIC_ACQ_REL) == 0) {
    host_call[0] = kExitCall;
    host_call[1] = static_cast<unsigned>(*static_cast<int*>(code));
    simt_fence();  // also: what was printed comes first
    tohost[0] = reinterpret_cast<unsigned>(host_call);
    tohost[1] = 0;
  }
  for (;;) __asm__ volatile("nop");
}

void leave(void* code) {
  if (*static_cast<int*>(code) == 0) return;
  if (__atomic_exchange_n(&leaving, 1u, __ATOMIC_ACQ_REL) == 0) {
    simt_exit_functions();
    notify_host(code);
  }
  for (;;) __asm__ volatile("nop");
}

}  // namespace

extern "C" {

int __cxa_atexit(void (*function)(void*), void* argument, void*) {
  Registration registration = {{function, argument}, 0};
  simt_each_lane(add, &registration);
  return registration.result;
}

int atexit(void (*function)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, nullptr);  // argument ignored
}

void simt_exit_program(int code) {
  simt_each_lane(leave, &code);
  __builtin_unreachable();
}

void _Exit(int code) {
  simt_each_lane(notify_host, &code);
  __builtin_unreachable();
}

}  // extern "C"
