// SPDX-License-Identifier: Apache-2.0
// Input and output files of Accelergy, version 0.4 (repository Accelergy-Project/accelergy, README.md and
// accelergy/raw_inputs_2_dicts.py): a machine as an architecture, its events as action counts, its energies as an
// energy reference table.
#pragma once

#include <map>
#include <string>

#include "models/power/energy_model.h"
#include "platform/observe/energy/recorder.h"

namespace spica::energy {

/// The counts of each block as action counts: subtrees are the parts of the machine, components its blocks, actions the
/// events. `title` is a comment.
std::string action_counts_yaml(const power::Activity& activity, const Span& span, const std::string& title);

/// The blocks as components, each with the class of its type and with its properties as attributes. Technology, voltage
/// and cycle time are attributes of all.
std::string architecture_yaml(const power::Activity& activity, const power::OperatingPoint& point);

/// The classes used in the architecture: a library of primitive components.
std::string classes_yaml(const power::Activity& activity);

/// Nominal energies in pJ, by component.
std::string ert_yaml(const power::Activity& activity, const power::EnergyModel& model);

/// Areas in um2, by component; blocks that are not in `mm2` are omitted.
std::string art_yaml(const power::Activity& activity, const std::map<std::string, double>& mm2);

/// The name of a block in all of these files: "spica.cluster_0.core_1".
std::string component_name(const std::string& block);
/// The class name of a block type: "spica_core".
std::string class_name(const base::BlockType& type);
/// The action name of an event: "fetch".
std::string action_name(const power::EventKind& kind);

}  // namespace spica::energy
