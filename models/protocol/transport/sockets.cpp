// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/sockets.h"

namespace spica::protocol {

template class InitiatorSocketOf<tlm::tlm_base_protocol_types>;
template class TargetSocketOf<tlm::tlm_base_protocol_types>;
template class InitiatorSocketOf<WarpProtocol>;
template class TargetSocketOf<WarpProtocol>;
template class InitiatorSocketOf<MoveProtocol>;
template class TargetSocketOf<MoveProtocol>;
template class InitiatorSocketOf<AccumulatorProtocol>;
template class TargetSocketOf<AccumulatorProtocol>;

}  // namespace spica::protocol
