// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/payload/issue_reason.h"

namespace spica::simt_core {

using protocol::issue_reason_names;
using protocol::IssueReason;

}  // namespace spica::simt_core
