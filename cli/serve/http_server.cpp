// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#include "cli/serve/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "looptree/common/error.hpp"

namespace looptree::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Connections answered at once: each has a thread, which mostly waits. Others wait in line.
constexpr std::size_t kConnections = 80;
constexpr int kUnaccepted = 128;
constexpr std::size_t kMaxBody = 16 << 20;
constexpr std::chrono::seconds kMaxBodyTime{15};
constexpr int kMaxListeners = 8;
constexpr std::size_t kEventsAtOnce = 200;
constexpr std::size_t kKept = 20'000;

/// Takes as long for a wrong token as for the right one, wherever they differ.
bool same_secret(const std::string& given, const std::string& expected) {
  unsigned differs = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char letter = i < given.size() ? given[i] : '\0';
    differs |= static_cast<unsigned char>(letter ^ expected[i]);
  }
  return differs == 0;
}

/// "localhost" of "localhost:8765", "[::1]" of "[::1]:8765".
std::string host_of(const std::string& host) {
  const std::size_t bracket = host.find(']');
  return host.substr(0, host.find(':', bracket == std::string::npos ? 0 : bracket));
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
    case ErrorKind::corruption:
    case ErrorKind::unsupported:
      return 400;
    case ErrorKind::not_found:
      return 404;
    default:
      return 500;
  }
}

void answer(httplib::Response& response, const HttpReply& reply) {
  response.status = reply.status;
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Content-Type-Options", "nosniff");
  if (reply.status == 503) response.set_header("Retry-After", "1");
  response.set_content(reply.body, reply.type);
}

HttpReply call(const HttpServer::Handler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const Error& error) {
    return refusal(status_of(error.kind()), error.what());
  } catch (const std::exception& error) {
    return refusal(500, error.what());
  }
}

HttpRequest to_request(const httplib::Request& raw) {
  HttpRequest request;
  for (const auto& group : raw.matches) request.groups.push_back(group.str());
  request.parameter = [&raw](const char* name) { return raw.get_param_value(name); };
  request.type = raw.get_header_value("Content-Type");
  return request;
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address == "127.0.0.1" || address == "localhost" || address == "::1";
}

HttpReply refusal(int status, const std::string& what) {
  const nlohmann::json body = {{"error", what}};
  return {status, "application/json",
          body.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)};
}

struct EventFeed::State {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::deque<std::string> messages;
  std::size_t dropped = 0;
  bool closed = false;
};

EventFeed::EventFeed() : state_(std::make_unique<State>()) {}
EventFeed::~EventFeed() = default;

void EventFeed::publish(std::string message) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->messages.push_back(std::move(message));
    if (state_->messages.size() > kKept) {
      state_->messages.pop_front();
      ++state_->dropped;
    }
  }
  state_->changed.notify_all();
}

void EventFeed::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_all();
}

bool EventFeed::closed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closed;
}

std::vector<std::string> EventFeed::wait(std::size_t& first, std::size_t count) const {
  std::unique_lock lock(state_->mutex);
  const auto end = [&] { return state_->dropped + state_->messages.size(); };
  state_->changed.wait_for(lock, std::chrono::seconds(1),
                           [&] { return state_->closed || end() > first; });
  first = std::max(first, state_->dropped);
  std::vector<std::string> found;
  for (std::size_t i = first; i < end() && found.size() < count; ++i) {
    found.push_back(state_->messages[i - state_->dropped]);
  }
  return found;
}

struct HttpServer::State {
  explicit State(ServeOptions given) : options(std::move(given)) {
    server.new_task_queue = [] { return new httplib::ThreadPool(kConnections); };  // NOLINT: theirs
    server.set_socket_options([this](socket_t socket) {
      httplib::default_socket_options(socket);
      listening = socket;
    });
    server.set_payload_max_length(kMaxBody);
    server.set_read_timeout(2);
    server.set_write_timeout(10);
    server.set_keep_alive_timeout(5);
    server.set_keep_alive_max_count(100'000);
    server.set_tcp_nodelay(true);
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          const auto problem = refuse(request);
          if (problem.status == 200) return httplib::Server::HandlerResponse::Unhandled;
          answer(response, problem);
          return httplib::Server::HandlerResponse::Handled;
        });
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      const int status = response.status;
      answer(response, refusal(status, status == 404   ? "expected a known path, found another"
                                       : status == 413 ? "expected at most 16 MB, found more"
                                                       : "expected another request"));
    });
  }

  /// Why a request is not answered; status 200 if it is.
  HttpReply refuse(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host");
    if (is_loopback(options.address)) {
      const std::string name = host_of(host);
      if (name != "127.0.0.1" && name != "localhost" && name != "[::1]") {
        return refusal(403, "expected a request to this machine, found one to " + name);
      }
    }
    const std::string origin = request.get_header_value("Origin");
    if (!origin.empty() && origin != "http://" + host) {
      return refusal(403, "expected a request of this page, found one of " + origin);
    }
    if (options.token.empty()) return {};
    const std::string header = request.get_header_value("Authorization");
    const std::string given =
        header.starts_with("Bearer ") ? header.substr(7) : request.get_param_value("token");
    if (same_secret(given, options.token)) return {};
    return refusal(401, "expected the token that the server was started with, found another");
  }

  ServeOptions options;
  httplib::Server server;
  std::thread thread;
  socket_t listening = INVALID_SOCKET;
  int port = 0;
  std::atomic<int> listeners{0};
  std::atomic<bool> stopping{false};
};

HttpServer::HttpServer(ServeOptions options) {
  require(is_loopback(options.address) || !options.token.empty(), ErrorKind::invalid_argument,
          "expected --token for an address that others can reach, found none");
  state_ = std::make_unique<State>(std::move(options));
}

HttpServer::~HttpServer() {
  stop();
}

void HttpServer::get(const std::string& path, Handler handler) {
  state_->server.Get(path, [handler = std::move(handler)](const httplib::Request& request,
                                                          httplib::Response& response) {
    answer(response, call(handler, to_request(request)));
  });
}

void HttpServer::post(const std::string& path, Handler handler) {
  state_->server.Post(
      path, [handler = std::move(handler)](const httplib::Request& raw, httplib::Response& response,
                                           const httplib::ContentReader& reader) {
        HttpRequest request = to_request(raw);
        const auto deadline = Clock::now() + kMaxBodyTime;
        bool late = false;
        if (raw.is_multipart_form_data()) {
          answer(response, refusal(415, "expected an image or JSON as the body, found a form"));
          return;
        }
        const bool whole = reader([&](const char* data, std::size_t size) {
          late = Clock::now() > deadline;
          if (late || request.body.size() + size > kMaxBody) return false;
          request.body.append(data, size);
          return true;
        });
        if (late) {
          answer(response, refusal(408, "expected the whole body within 15 s, found less"));
        } else if (!whole) {
          const bool large = response.status == 413;
          answer(response, large ? refusal(413, "expected at most 16 MB, found more")
                                 : refusal(400, "expected a whole body, found a part"));
        } else {
          answer(response, call(handler, request));
        }
      });
}

void HttpServer::events(const std::string& path, const EventFeed& feed) {
  state_->server.Get(
      path, [this, &feed](const httplib::Request& request, httplib::Response& response) {
        State& state = *state_;
        if (++state.listeners > kMaxListeners) {
          --state.listeners;
          answer(response, refusal(503, "expected at most 8 listeners, found more"));
          return;
        }
        std::size_t next = 0;
        // A browser that lost its connection says what it saw last.
        const std::string last = request.get_header_value("Last-Event-ID");
        const std::string from = last.empty() ? request.get_param_value("from") : last;
        std::from_chars(from.data(), from.data() + from.size(), next);
        if (!last.empty()) ++next;
        response.set_header("Cache-Control", "no-store");
        response.set_chunked_content_provider(
            "text/event-stream",
            [&state, &feed, next](std::size_t, httplib::DataSink& sink) mutable {
              const std::vector<std::string> messages = feed.wait(next, kEventsAtOnce);
              std::string text = messages.empty() ? ": still here\n\n" : "";
              for (const std::string& message : messages) {
                text += "id: " + std::to_string(next++) + "\ndata: " + message + "\n\n";
              }
              if (state.stopping || (messages.empty() && feed.closed())) {
                sink.done();
                return true;
              }
              return sink.write(text.data(), text.size());
            },
            [&state](bool) { --state.listeners; });
      });
}

int HttpServer::start() {
  State& state = *state_;
  const ServeOptions& options = state.options;
  if (options.port == 0) {
    state.port = state.server.bind_to_any_port(options.address);
  } else if (state.server.bind_to_port(options.address, options.port)) {
    state.port = options.port;
  }
  if (state.port <= 0) {
    throw Error(ErrorKind::io, "expected to listen at " + options.address + ":" +
                                   std::to_string(options.port) +
                                   ", found it taken; --port names another, 0 any");
  }
  // The library lets five connections wait until they are accepted. Of a burst the others would be
  // told nothing and try again after a second, or three.
  ::listen(state.listening, kUnaccepted);
  state.thread = std::thread([&state] { state.server.listen_after_bind(); });
  while (!state.server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return state.port;
}

void HttpServer::stop() {
  if (!state_ || !state_->thread.joinable()) return;
  state_->stopping = true;
  state_->server.stop();
  state_->thread.join();
}

std::string HttpServer::url() const {
  const ServeOptions& options = state_->options;
  const bool has_colons = options.address.find(':') != std::string::npos;
  return "http://" + (has_colons ? "[" + options.address + "]" : options.address) + ":" +
         std::to_string(state_->port) + "/" +
         (options.token.empty() ? "" : "?token=" + options.token);
}

}  // namespace looptree::cli
