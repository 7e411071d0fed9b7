// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
// Where the drop-in's header is copied to.
#include "../../../../../integrations/stella_vslam/bow_database.h"
