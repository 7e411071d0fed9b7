// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

namespace looptree::cli {

/// The end of the demo: the first block of its route by day, and once more at dusk and in the rain,
/// as a second drive through a map. Prints how much of it ORB and learned features recognise.
void show_other_light();

}  // namespace looptree::cli
