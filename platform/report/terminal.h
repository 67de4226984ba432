// SPDX-License-Identifier: Apache-2.0
// All that a summary on a terminal is made of.
#pragma once

#include "platform/report/number_format.h"
#include "platform/report/percent_table.h"
#include "platform/report/style.h"
#include "platform/report/text_table.h"
