// SPDX-License-Identifier: Apache-2.0
// A library without SPICA_BLOCK.
extern "C" int nothing() { return 0; }
