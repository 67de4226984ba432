// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <spica/cuda.h>

using time_t = long long;
