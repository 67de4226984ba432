// SPDX-License-Identifier: Apache-2.0
// The library that owns the precompiled headers needs a source.
