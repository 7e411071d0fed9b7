// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "looptree/evaluate/run_folder.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "looptree/commit.hpp"
#include "looptree/common/error.hpp"
#include "looptree/common/write_error.hpp"
#include "looptree/evaluate/detail/csv.hpp"
#include "looptree/version.hpp"

namespace looptree::evaluate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A file that is complained about once, when it is closed.
class Output {
 public:
  explicit Output(fs::path path) : path_(std::move(path)), file_(path_) {}
  template <typename Value>
  Output& operator<<(const Value& value) {
    file_ << value;
    return *this;
  }
  /// In full, and the same in every locale.
  Output& operator<<(double value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    file_.write(digits.data(), end - digits.data());
    return *this;
  }
  void close() {
    file_.close();
    if (!file_) {
      throw write_error(path_);
    }
  }

 private:
  fs::path path_;
  std::ofstream file_;
};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text;
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text.data(), length};
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

Json to_json(const std::vector<Metric>& metrics) {
  Json object = Json::object();
  for (const Metric& metric : metrics) object[metric.name] = metric.value;
  return object;
}

std::vector<Metric> metrics_from(const Json& object) {
  std::vector<Metric> metrics;
  for (const auto& [name, value] : object.items()) metrics.push_back({name, value.get<double>()});
  return metrics;
}

void write_json(const fs::path& path, const Json& json) {
  Output file(path);
  file << json.dump(2) << '\n';
  file.close();
}

Json config_json(const EvaluationResult& result, const RunConfig& config) {
  const Machine machine = this_machine();
  Json options = Json::object();
  for (const auto& [name, value] : config.options) options[name] = value;
  return {{"looptree", LOOPTREE_VERSION},
          {"commit", machine.commit},
          {"date", utc_now()},
          {"protocol", result.protocol},
          {"dataset", config.dataset},
          {"command", config.command},
          {"seed", config.seed},
          {"options", options},
          {"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"system", machine.system}}},
          {"compiler", machine.compiler},
          {"build", machine.build}};
}

Json metrics_json(const EvaluationResult& result, const RunConfig& config) {
  Json variants = Json::array();
  for (const VariantResult& variant : result.variants) {
    variants.push_back({{"name", variant.name},
                        {"positives", variant.curve.positives},
                        {"metrics", to_json(variant.metrics)}});
  }
  return {{"protocol", result.protocol},
          {"dataset", config.dataset},
          {"facts", to_json(result.facts)},
          {"variants", variants}};
}

void write_curves(const fs::path& path, const EvaluationResult& result) {
  Output file(path);
  file << "variant,threshold,precision,recall,right,wrong\n";
  for (const VariantResult& variant : result.variants) {
    for (const CurvePoint& point : variant.curve.points) {
      file << variant.name << ',' << point.threshold << ',' << point.precision << ','
           << point.recall << ',' << point.right << ',' << point.wrong << '\n';
    }
  }
  file.close();
}

void write_times(const fs::path& path, const EvaluationResult& result) {
  Output file(path);
  file << "variant,pass,kind,query,database_size,ms\n";
  for (const QueryTime& time : result.times) {
    file << result.variants[time.variant].name << ',' << time.pass << ',' << to_string(time.kind)
         << ',' << time.query << ',' << time.database_size << ',' << time.ms << '\n';
  }
  file.close();
}

void write_closures(const fs::path& path, const EvaluationResult& result) {
  Output file(path);
  file << "query,match,score,right,variant\n";
  for (const VariantResult& variant : result.variants) {
    for (const ScoredClosure& closure : variant.closures) {
      file << closure.query << ',' << closure.match << ',' << closure.score << ','
           << (closure.right ? 1 : 0) << ',' << variant.name << '\n';
    }
  }
  file.close();
}

void write_route(const fs::path& path, std::span<const Pose> route) {
  Output file(path);
  file << "frame,x,y,z\n";
  for (std::size_t i = 0; i < route.size(); ++i) {
    const auto& [x, y, z] = route[i].translation;
    file << i << ',' << x << ',' << y << ',' << z << '\n';
  }
  file.close();
}

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::not_found, "expected a run, found no " + path.string());
  try {
    return Json::parse(file);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::corruption,
                "expected JSON in " + path.string() + ", found " + error.what());
  }
}

using VariantNumbers = std::map<std::string, std::uint32_t, std::less<>>;

VariantNumbers number_variants(const EvaluationResult& result) {
  VariantNumbers numbers;
  for (std::uint32_t v = 0; v < result.variants.size(); ++v) numbers[result.variants[v].name] = v;
  return numbers;
}

std::uint32_t variant_of(const detail::CsvReader& csv, std::size_t column,
                         const VariantNumbers& numbers) {
  const auto found = numbers.find(csv.text(column));
  if (found == numbers.end()) {
    csv.refuse("a variant of metrics.json", '"' + std::string(csv.text(column)) + '"');
  }
  return found->second;
}

void read_curves(const fs::path& path, const VariantNumbers& numbers, EvaluationResult& result) {
  if (!fs::exists(path)) return;
  detail::CsvReader csv(path);
  const std::size_t variant = csv.column("variant");
  const std::size_t threshold = csv.column("threshold");
  const std::size_t right = csv.column("right");
  const std::size_t wrong = csv.column("wrong");
  while (csv.next()) {
    Curve& curve = result.variants[variant_of(csv, variant, numbers)].curve;
    curve.points.push_back(curve_point(csv.number<double>(threshold),
                                       csv.number<std::size_t>(right),
                                       csv.number<std::size_t>(wrong), curve.positives));
  }
}

void read_own_closures(const fs::path& path, const VariantNumbers& numbers,
                       EvaluationResult& result) {
  if (!fs::exists(path)) return;
  detail::CsvReader csv(path);
  const std::size_t variant = csv.column("variant");
  const std::size_t score = csv.column("score");
  const std::size_t right = csv.column("right");
  while (csv.next()) {
    result.variants[variant_of(csv, variant, numbers)].closures.push_back(
        {csv.number<std::size_t>(0), csv.number<std::size_t>(1), csv.number<double>(score),
         csv.text(right) == "1"});
  }
}

QueryKind kind_of(std::string_view text) {
  if (text == to_string(QueryKind::positive)) return QueryKind::positive;
  if (text == to_string(QueryKind::negative)) return QueryKind::negative;
  return QueryKind::route;
}

}  // namespace

Machine this_machine() {
  utsname system{};
  uname(&system);
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return {cpu_name(),
          std::thread::hardware_concurrency(),
          std::string(system.sysname) + ' ' + system.machine,
          compiler,
          LOOPTREE_BUILD_TYPE,
          LOOPTREE_COMMIT};
}

void write_run(const fs::path& folder, const EvaluationResult& result, const RunConfig& config,
               std::span<const Pose> route) {
  if (fs::exists(folder / "metrics.json")) {
    throw Error(ErrorKind::invalid_argument,
                "expected a new folder for the results, found a run in " + folder.string());
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorKind::io,
                "expected to make " + folder.string() + ", found: " + failed.message());
  }
  bool curves = false;
  bool closures = false;
  for (const VariantResult& variant : result.variants) {
    curves = curves || !variant.curve.points.empty();
    closures = closures || !variant.closures.empty();
  }
  if (curves) write_curves(folder / "curves.csv", result);
  if (closures) write_closures(folder / "closures.csv", result);
  if (!result.times.empty()) write_times(folder / "timings.csv", result);
  if (!route.empty()) write_route(folder / "route.csv", route);
  write_json(folder / "config.json", config_json(result, config));
  write_json(folder / "metrics.json", metrics_json(result, config));  // last: now it is a run
}

Run read_run(const fs::path& folder) {
  const Json metrics = read_json(folder / "metrics.json");
  const Json config = read_json(folder / "config.json");
  Run run;
  run.folder = folder;
  try {
    run.dataset = metrics.at("dataset").get<std::string>();
    run.command = config.at("command").get<std::string>();
    run.commit = config.at("commit").get<std::string>();
    const Json& machine = config.at("machine");
    run.machine = machine.at("cpu").get<std::string>() + ", " +
                  std::to_string(machine.at("cores").get<int>()) + " cores";
    run.result.protocol = metrics.at("protocol").get<std::string>();
    run.result.facts = metrics_from(metrics.at("facts"));
    for (const Json& entry : metrics.at("variants")) {
      VariantResult& variant = run.result.variants.emplace_back();
      variant.name = entry.at("name").get<std::string>();
      variant.curve.positives = entry.at("positives").get<std::size_t>();
      variant.metrics = metrics_from(entry.at("metrics"));
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::corruption,
                "expected a run in " + folder.string() + ", found " + error.what());
  }
  const VariantNumbers numbers = number_variants(run.result);
  read_curves(folder / "curves.csv", numbers, run.result);
  read_own_closures(folder / "closures.csv", numbers, run.result);
  return run;
}

std::vector<QueryTime> read_times(const Run& run) {
  std::vector<QueryTime> times;
  const fs::path path = run.folder / "timings.csv";
  if (!fs::exists(path)) return times;
  const VariantNumbers numbers = number_variants(run.result);
  detail::CsvReader csv(path);
  const std::size_t variant = csv.column("variant");
  const std::size_t pass = csv.column("pass");
  const std::size_t kind = csv.column("kind");
  const std::size_t query = csv.column("query");
  const std::size_t size = csv.column("database_size");
  const std::size_t ms = csv.column("ms");
  while (csv.next()) {
    times.push_back({variant_of(csv, variant, numbers), csv.number<std::uint32_t>(pass),
                     kind_of(csv.text(kind)), csv.number<std::uint32_t>(query),
                     csv.number<std::uint32_t>(size), csv.number<double>(ms)});
  }
  return times;
}

std::optional<std::size_t> read_exclude_recent(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  if (!fs::exists(path)) return std::nullopt;
  const Json config = read_json(path);
  try {
    if (config.contains("detector")) {
      return config.at("detector").at("exclude_recent").get<std::size_t>();
    }
    const std::string text = config.at("options").at("--exclude-recent").get<std::string>();
    return std::stoul(text);
  } catch (const std::exception&) {
    return std::nullopt;  // another program's file, or a protocol that has no recent frames
  }
}

ClosureFile read_closures(const fs::path& path) {
  detail::CsvReader csv(path);
  const auto& header = csv.header();
  if (header.size() < 2 || header[0] != "query" || header[1] != "match") {
    csv.refuse("a header that begins with \"query,match\"",
               '"' + header[0] + (header.size() > 1 ? "," + header[1] : "") + '"');
  }
  const auto score = csv.find("score");
  ClosureFile file{{}, score.has_value()};
  while (csv.next()) {
    file.closures.push_back({csv.number<std::size_t>(0), csv.number<std::size_t>(1),
                             score ? csv.number<double>(*score) : 1, false});
  }
  return file;
}

}  // namespace looptree::evaluate
