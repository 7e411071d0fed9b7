// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "cli/command.hpp"
#include "cli/page/bundled_page.hpp"
#include "cli/page/embed.hpp"
#include "cli/sequence_options.hpp"
#include "cli/serve/http_server.hpp"
#include "cli/serve/map_service.hpp"
#include "cli/serve/serve_options.hpp"

namespace looptree::cli {
namespace {

volatile std::sig_atomic_t stopped = 0;

extern "C" void on_stop(int /*signal*/) {
  stopped = 1;
}

struct ServeJob {
  std::string map;
  ServeOptions serve;
  ExtractorChoice extractor;
  std::optional<std::size_t> min_inliers{};
  RelocalizeOptions relocalize;
  std::vector<double> calibration;
};

void run(ServeJob job) {
  cv::setNumThreads(1);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  if (!job.calibration.empty()) {
    job.relocalize.calibration = {job.calibration[0], job.calibration[1], job.calibration[2],
                                  job.calibration[3]};
  }
  const std::string page = served_page({{"map", job.map}});
  MapService service(job.map, job.extractor, job.relocalize, job.min_inliers);
  HttpServer server(job.serve);
  server.get("/", [&](const HttpRequest&) { return HttpReply{200, "text/html", page}; });
  service.add_to(server);
  server.start();
  fmt::print("{} is served at {}\nStop with Ctrl-C.\n", job.map, server.url());
  std::fflush(stdout);
  std::signal(SIGINT, on_stop);
  std::signal(SIGTERM, on_stop);
  while (stopped == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

void add_serve_options(CLI::App& command, ServeOptions& options) {
  command.add_option("--port", options.port, "Where to listen; 0: any port that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      .add_option("--address", options.address,
                  "Whom to listen to; other than this machine only with --token")
      ->capture_default_str();
  command.add_option("--token", options.token,
                     "Answer only who knows it: \"Authorization: Bearer TOKEN\" or ?token=TOKEN");
}

std::string served_page(const nlohmann::json& data) {
  const std::vector<std::string> page = bundled_page("view");
  return page[0] + embeddable(data) + page[1] + page[2];
}

void add_serve(CLI::App& app) {
  const auto job = std::make_shared<ServeJob>();
  CLI::App* command = app.add_subcommand(
      "serve", "Serve a map as a page and as JSON: what it holds, and where an image was taken");
  command->add_option("MAP", job->map, "A map, as \"looptree detect --map\" makes them")
      ->required();
  add_serve_options(*command, job->serve);
  command->add_option("--top-k", job->relocalize.top_k, "Frames looked at, and returned")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--min-inliers", job->min_inliers,
                      "Inliers that verify a match; default: as many as make a closure at first "
                      "sight, by features: 60 learned, 35 orb");
  command->add_option("--calibration", job->calibration, "fx fy cx cy of the camera, in pixels")
      ->expected(4);
  add_extractor_options(*command, job->extractor);
  command->footer(
      "The page shows sessions and closures, and says where an image dropped onto it was taken.\n"
      "docs/view.md has the JSON interface. Reads while \"detect --map\" writes.\n\n"
      "Example: looptree serve city.map\n"
      "         curl --data-binary @lost.jpg -H Content-Type:image/jpeg "
      "localhost:8765/api/query");
  command->callback([job] { run(*job); });
}

}  // namespace looptree::cli
