// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "looptree/store/map.hpp"
#include "looptree/store_export.hpp"
#include "looptree/vocabulary/vocabulary.hpp"

namespace looptree {

/// A vocabulary to embed in a new map: the map is then complete in one file. Throws Error(io) if
/// there is no space for a copy in the folder of temporary files. Cost: a copy of the vocabulary.
LOOPTREE_STORE_EXPORT MapVocabulary embedded_vocabulary(const Vocabulary& vocabulary);

/// A vocabulary that stays where it is: the map only knows its hash and where it was. `path` is
/// kept as an absolute path.
LOOPTREE_STORE_EXPORT MapVocabulary referenced_vocabulary(const Vocabulary& vocabulary,
                                                          const std::filesystem::path& path);

/// The vocabulary of a map: the embedded one, or the file it refers to. Throws Error(not_found) if
/// the file is gone, and Error(invalid_argument) if its content hash is not the map's.
LOOPTREE_STORE_EXPORT Vocabulary load_vocabulary(const Map& map);

}  // namespace looptree
