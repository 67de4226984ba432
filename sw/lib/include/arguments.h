/* SPDX-License-Identifier: Apache-2.0
 *
 * The argument block: a structure at PLATFORM_ARGS, with default values in the ELF that the loader
 * may overwrite before the start. Volatile, so that the compiler does not rely on the
 * defaults: struct Arguments { uint32_t n; ... }; KERNEL_ARGUMENTS(Arguments, arguments) = {1024,
 * ...}; */
#pragma once

#include <stdint.h>

#define KERNEL_ARGUMENTS(type, name) __attribute__((section(".args"), used)) volatile type name

/* Addresses in argument blocks have 64 bits, of which 32 are used. */
#define ARGUMENT_POINTER(type, address) ((type*)(uintptr_t)(address))
