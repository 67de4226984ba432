// SPDX-License-Identifier: Apache-2.0
// What Accelergy reads and writes, version 0.4 (repository Accelergy-Project/accelergy, README.md and
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

/// The blocks as components, each of the class of its type, with its properties as attributes; technology, voltage and
/// the length of a cycle are attributes of all.
std::string architecture_yaml(const power::Activity& activity, const power::OperatingPoint& point);

/// The classes that the architecture names: a library of primitive components.
std::string classes_yaml(const power::Activity& activity);

/// Nominal energies in pJ, by component.
std::string ert_yaml(const power::Activity& activity, const power::EnergyModel& model);

/// Areas in um2, by component; those that are not among `mm2`, by block, are left out.
std::string art_yaml(const power::Activity& activity, const std::map<std::string, double>& mm2);

/// Name of a block in all of these: "spica.cluster_0.core_1".
std::string component_name(const std::string& block);
/// Name of a type of block as a class: "spica_core".
std::string class_name(const base::BlockType& type);
/// Name of an event as an action: "fetch".
std::string action_name(const power::EventKind& kind);

}  // namespace spica::energy
