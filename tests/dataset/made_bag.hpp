// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <bzlib.h>
#include <lz4frame.h>
#include <zstd.h>

// Bags written from their published formats, by nothing that reads them.
namespace looptree::test {

using Bytes = std::vector<std::uint8_t>;

/// Appends numbers and strings, little-endian; with `cdr`, aligned as ROS 2 does.
class Writer {
 public:
  explicit Writer(bool cdr = false) : cdr_(cdr) {
    if (cdr_) bytes = {0, 1, 0, 0};
  }
  Writer& number(std::uint64_t value, std::size_t width) {
    while (cdr_ && (bytes.size() - 4) % width != 0) bytes.push_back(0);
    for (std::size_t i = 0; i < width; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    return *this;
  }
  Writer& u16(std::uint64_t v) { return number(v, 2); }
  Writer& u32(std::uint64_t v) { return number(v, 4); }
  Writer& u64(std::uint64_t v) { return number(v, 8); }
  Writer& f64(double v) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &v, 8);
    return u64(raw);
  }
  Writer& text(const std::string& v) {
    u32(v.size() + (cdr_ ? 1 : 0));
    bytes.insert(bytes.end(), v.begin(), v.end());
    if (cdr_) bytes.push_back(0);
    return *this;
  }
  Writer& raw(std::span<const std::uint8_t> v) {
    bytes.insert(bytes.end(), v.begin(), v.end());
    return *this;
  }
  Writer& sized(std::span<const std::uint8_t> v) { return u32(v.size()).raw(v); }
  Writer& header(std::uint64_t ns) {
    if (!cdr_) u32(7);
    return u32(ns / 1'000'000'000U).u32(ns % 1'000'000'000U).text("camera");
  }

  Bytes bytes;

 private:
  bool cdr_;
};

inline Bytes image_message(bool cdr, std::uint64_t ns, std::uint32_t width, std::uint32_t height,
                           const std::string& encoding, std::uint32_t step, const Bytes& pixels) {
  Writer w(cdr);
  w.header(ns).u32(height).u32(width).text(encoding).number(0, 1).u32(step).sized(pixels);
  return w.bytes;
}

inline Bytes compressed_message(bool cdr, std::uint64_t ns, const Bytes& jpeg) {
  Writer w(cdr);
  w.header(ns).text("jpeg").sized(jpeg);
  return w.bytes;
}

inline Bytes camera_message(bool cdr, double fx, const std::string& model,
                            const std::vector<double>& d) {
  Writer w(cdr);
  w.header(1).u32(48).u32(64).text(model).u32(d.size());
  for (const double v : d) w.f64(v);
  for (const double v : {fx, 0., 32., 0., fx, 24., 0., 0., 1.}) w.f64(v);
  for (const double v : {1., 0., 0., 0., 1., 0., 0., 0., 1.}) w.f64(v);
  for (const double v : {fx - 5, 0., 31., 0., 0., fx - 5, 23., 0., 0., 0., 1., 0.}) w.f64(v);
  return w.bytes;
}

inline Bytes packed(const std::string& kind, const Bytes& plain) {
  if (kind == "lz4") {
    Bytes out(LZ4F_compressFrameBound(plain.size(), nullptr));
    out.resize(LZ4F_compressFrame(out.data(), out.size(), plain.data(), plain.size(), nullptr));
    return out;
  }
  if (kind == "zstd") {
    Bytes out(ZSTD_compressBound(plain.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
    return out;
  }
  if (kind == "bz2") {
    auto size = static_cast<unsigned>(plain.size() * 2 + 600);
    Bytes out(size);
    BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                             const_cast<char*>(reinterpret_cast<const char*>(plain.data())),
                             static_cast<unsigned>(plain.size()), 9, 0, 0);
    out.resize(size);
    return out;
  }
  return plain;
}

struct MadeMessage {
  std::uint16_t topic;
  std::uint64_t time_ns;
  Bytes data;
};
struct MadeTopic {
  std::string name;
  std::string type;
};
struct BagStyle {
  std::string compression;    ///< "", lz4, zstd, bz2
  bool indexed = true;        ///< places of messages behind each chunk, and all topics at the end
  std::size_t per_chunk = 3;  ///< messages; 0: none lie in chunks (MCAP alone)
};

inline void mcap_record(Bytes& to, std::uint8_t kind, const Bytes& content) {
  Writer w;
  w.number(kind, 1).u64(content.size()).raw(content);
  to.insert(to.end(), w.bytes.begin(), w.bytes.end());
}

inline Bytes made_mcap(const std::vector<MadeTopic>& topics,
                       const std::vector<MadeMessage>& messages, const BagStyle& style) {
  const Bytes magic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
  Bytes file = magic;
  mcap_record(file, 0x01, Writer().text("ros2").text("test").bytes);
  const auto describe = [&](Bytes& to) {
    for (std::size_t i = 0; i < topics.size(); ++i) {
      mcap_record(to, 0x03,
                  Writer().u16(i + 1).text(topics[i].type).text("ros2msg").text("...").bytes);
      mcap_record(to, 0x04,
                  Writer().u16(i).u16(i + 1).text(topics[i].name).text("cdr").u32(0).bytes);
    }
  };
  const auto message_of = [](const MadeMessage& m) {
    return Writer().u16(m.topic).u32(0).u64(m.time_ns).u64(m.time_ns).raw(m.data).bytes;
  };
  if (style.per_chunk == 0) describe(file);
  for (std::size_t start = 0; start < messages.size();) {
    if (style.per_chunk == 0) {
      mcap_record(file, 0x05, message_of(messages[start++]));
      continue;
    }
    Bytes chunk;
    if (start == 0) describe(chunk);
    Bytes indexes;
    std::size_t end = start;
    for (; end < messages.size() && end < start + style.per_chunk; ++end) {
      const Writer entry = Writer().u64(messages[end].time_ns).u64(chunk.size());
      mcap_record(indexes, 0x07, Writer().u16(messages[end].topic).sized(entry.bytes).bytes);
      mcap_record(chunk, 0x05, message_of(messages[end]));
    }
    const Bytes small = packed(style.compression, chunk);
    mcap_record(file, 0x06,
                Writer()
                    .u64(messages[start].time_ns)
                    .u64(messages[end - 1].time_ns)
                    .u64(chunk.size())
                    .u32(0)
                    .text(style.compression)
                    .u64(small.size())
                    .raw(small)
                    .bytes);
    if (style.indexed) file.insert(file.end(), indexes.begin(), indexes.end());
    start = end;
  }
  mcap_record(file, 0x0f, Writer().u32(0).bytes);
  if (style.indexed) describe(file);
  mcap_record(file, 0x02, Writer().u64(0).u64(0).u32(0).bytes);
  file.insert(file.end(), magic.begin(), magic.end());
  return file;
}

inline void ros1_field(Writer& to, const std::string& name, const Bytes& value) {
  Writer field;
  field.raw(Bytes(name.begin(), name.end())).number('=', 1).raw(value);
  to.sized(field.bytes);
}

/// Fields of a header, and data.
inline void ros1_record(Bytes& to, const std::vector<std::pair<std::string, Bytes>>& fields,
                        const Bytes& data) {
  Writer header;
  for (const auto& [name, value] : fields) ros1_field(header, name, value);
  Writer record;
  record.sized(header.bytes).sized(data);
  to.insert(to.end(), record.bytes.begin(), record.bytes.end());
}

inline Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

inline Bytes made_ros1_bag(const std::vector<MadeTopic>& topics,
                           const std::vector<MadeMessage>& messages, const BagStyle& style) {
  Bytes file = bytes_of("#ROSBAG V2.0\n");
  ros1_record(file,
              {{"op", {3}},
               {"index_pos", Writer().u64(style.indexed ? 1 : 0).bytes},
               {"conn_count", Writer().u32(topics.size()).bytes},
               {"chunk_count", Writer().u32(1).bytes}},
              Bytes(100, ' '));
  const auto describe = [&](Bytes& to) {
    for (std::size_t i = 0; i < topics.size(); ++i) {
      Writer about;
      ros1_field(about, "topic", bytes_of(topics[i].name));
      ros1_field(about, "type", bytes_of(topics[i].type));
      ros1_record(
          to, {{"op", {7}}, {"conn", Writer().u32(i).bytes}, {"topic", bytes_of(topics[i].name)}},
          about.bytes);
    }
  };
  const auto stamp = [](std::uint64_t ns) {
    return Writer().u32(ns / 1'000'000'000U).u32(ns % 1'000'000'000U).bytes;
  };
  for (std::size_t start = 0; start < messages.size();) {
    Bytes chunk;
    if (start == 0) describe(chunk);
    Bytes indexes;
    std::size_t end = start;
    for (; end < messages.size() && end < start + style.per_chunk; ++end) {
      const MadeMessage& m = messages[end];
      ros1_record(indexes,
                  {{"op", {4}},
                   {"ver", Writer().u32(1).bytes},
                   {"conn", Writer().u32(m.topic).bytes},
                   {"count", Writer().u32(1).bytes}},
                  Writer().raw(stamp(m.time_ns)).u32(chunk.size()).bytes);
      ros1_record(chunk,
                  {{"op", {2}}, {"conn", Writer().u32(m.topic).bytes}, {"time", stamp(m.time_ns)}},
                  m.data);
    }
    const std::string kind = style.compression.empty() ? "none" : style.compression;
    ros1_record(
        file,
        {{"op", {5}}, {"compression", bytes_of(kind)}, {"size", Writer().u32(chunk.size()).bytes}},
        packed(style.compression, chunk));
    if (style.indexed) file.insert(file.end(), indexes.begin(), indexes.end());
    start = end;
  }
  if (style.indexed) describe(file);
  return file;
}

}  // namespace looptree::test
