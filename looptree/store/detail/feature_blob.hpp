// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include "looptree/common/ids.hpp"
#include "looptree/features/features.hpp"
#include "looptree/store/detail/bytes.hpp"

namespace looptree::detail {

/// Keypoints and descriptors of a frame as the map keeps them; docs/formats/map.md draws the bytes.
/// Exact: every number comes back to the bit.
Bytes encode_features(const Features& features, FrameId frame);

/// Throws Error(corruption) for anything encode_features() did not write.
Features decode_features(ByteView blob, FrameId frame);

}  // namespace looptree::detail
