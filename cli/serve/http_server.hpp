// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace looptree::cli {

/// Where a server listens, and to whom.
struct ServeOptions {
  std::string address = "127.0.0.1";
  int port = 8765;    ///< 0: any that is free
  std::string token;  ///< asked for where it is not empty
};

/// Whether an address reaches this machine only.
bool is_loopback(const std::string& address);

/// What a handler sees of a request, and what it answers.
struct HttpRequest {
  std::vector<std::string> groups;                    ///< of the path's pattern
  std::function<std::string(const char*)> parameter;  ///< of the address; empty where there is none
  std::string type;                                   ///< of the body
  std::string body;
};
struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

/// {"error": what}, with that status.
HttpReply refusal(int status, const std::string& what);

/// Messages in order for everybody who listens. The newest 20,000 are kept for those who come late.
/// Any number of threads.
class EventFeed {
 public:
  EventFeed();
  ~EventFeed();
  /// One line of text.
  void publish(std::string message);
  /// Nobody waits any longer; what was published can still be read.
  void close();
  /// The messages from number `first` on, or from the oldest that is kept, at most `count`; waits
  /// up to a second for one. `first` becomes the number of the first.
  std::vector<std::string> wait(std::size_t& first, std::size_t count) const;
  bool closed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A small HTTP server for one page and its data. Requests are bounded: a body of at most 16 MB
/// that must be there within 15 s, a header of at most 8 KB, 2 s of silence while either is read.
/// On loopback it refuses requests that another site made a browser send (a foreign Host or
/// Origin). With a token it refuses those without it, as "Authorization: Bearer TOKEN" or
/// "?token=TOKEN". What a handler throws becomes a status: 400 for an Error about its input, else
/// 500.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  /// Throws Error(invalid_argument) for an address beyond loopback without a token.
  explicit HttpServer(ServeOptions options);
  ~HttpServer();  ///< stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Handlers run on several threads at once. `path` is a regular expression.
  void get(const std::string& path, Handler handler);
  void post(const std::string& path, Handler handler);
  /// Server-sent events: each message of the feed, from number ?from= on, as one event. At most 8
  /// listeners; more are told to come back later.
  void events(const std::string& path, const EventFeed& feed);

  /// Listens from now on, and returns the port. Throws Error(io) where the port is not to be had.
  int start();
  void stop();
  /// Where a browser finds it, the token included.
  std::string url() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace looptree::cli
