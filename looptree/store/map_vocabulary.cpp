// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/store/map_vocabulary.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>

#include <unistd.h>

#include "looptree/common/error.hpp"

namespace looptree {
namespace {

/// The name of a file that is gone at the end of the scope.
class TemporaryFile {
 public:
  TemporaryFile() : name_((std::filesystem::temp_directory_path() / "looptree-XXXXXX").string()) {
    const int file = mkstemp(name_.data());
    if (file < 0) {
      throw Error(ErrorKind::io, name_ + ": expected to make a temporary file, found: " +
                                     std::generic_category().message(errno));
    }
    ::close(file);
  }
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

MapVocabulary described(const Vocabulary& vocabulary) {
  MapVocabulary result;
  result.hash = vocabulary.content_hash();
  result.words = vocabulary.size();
  result.word_weights = occurrence_weights(vocabulary);
  return result;
}

Vocabulary read(const Map& map) {
  if (const auto file = map.embedded_vocabulary()) {
    return Vocabulary::from_bytes(std::as_bytes(std::span(*file)));
  }
  const std::string& path = map.vocabulary().path;
  if (path.empty()) {
    throw Error(ErrorKind::not_found, map.path().string() +
                                          ": expected a vocabulary in the map or beside it, found "
                                          "none; load the one it was made with by hand");
  }
  return Vocabulary::load(path);
}

}  // namespace

MapVocabulary embedded_vocabulary(const Vocabulary& vocabulary) {
  const TemporaryFile file;
  vocabulary.save(file.name(), VocabularyFormat::looptree);
  std::ifstream stream(file.name(), std::ios::binary);
  MapVocabulary result = described(vocabulary);
  result.file.assign(std::istreambuf_iterator<char>(stream), {});
  return result;
}

MapVocabulary referenced_vocabulary(const Vocabulary& vocabulary,
                                    const std::filesystem::path& path) {
  MapVocabulary result = described(vocabulary);
  result.path = std::filesystem::absolute(path).string();
  return result;
}

Vocabulary load_vocabulary(const Map& map) {
  Vocabulary vocabulary = read(map);
  if (vocabulary.content_hash() == map.vocabulary().hash) return vocabulary;
  throw Error(ErrorKind::invalid_argument,
              map.path().string() + ": expected the vocabulary the map was made with, found " +
                  "another" +
                  (map.vocabulary().path.empty() ? "" : " at " + map.vocabulary().path) +
                  "; the words of the two mean different things");
}

}  // namespace looptree
