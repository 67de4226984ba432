// SPDX-License-Identifier: Apache-2.0
// Includes everything that a summary on a terminal needs.
#pragma once

#include "platform/base/text/number_format.h"
#include "platform/observe/report/percent_table.h"
#include "platform/observe/report/style.h"
#include "platform/observe/report/text_table.h"
