-- SPDX-FileCopyrightText: 2026 The looptree authors
-- SPDX-License-Identifier: MIT

-- What wrk asks `looptree serve`: words, places, pictures and the map's summary, in turns; or the image in SERVE_LOAD_IMAGE
-- again and again. Says what came of it as one line of JSON. See serve_load.py.
local turn = 0
local words = {}
for i = 1, 300 do words[i] = (i * 37) % 10000 end
local query = '{"words": [' .. table.concat(words, ", ") .. '], "top_k": 10}'
local json = {["Content-Type"] = "application/json"}
local image = os.getenv("SERVE_LOAD_IMAGE")
local picture = image and io.open(image, "rb"):read("*a")

function request()
  if picture then return wrk.format("POST", "/api/query", {["Content-Type"] = "image/png"}, picture) end
  turn = turn + 1
  local kind = turn % 4
  if kind == 0 then return wrk.format("POST", "/api/query", json, query) end
  if kind == 1 then return wrk.format("GET", "/api/places?from=" .. (turn % 100) .. "&count=20") end
  if kind == 2 then return wrk.format("GET", "/api/places/" .. (turn % 100) .. "/thumbnail") end
  return wrk.format("GET", "/api/map")
end

local threads = {}
function setup(thread) table.insert(threads, thread) end

statuses = {}
function response(status)
  local key = tostring(status)
  statuses[key] = (statuses[key] or 0) + 1
end

function done(summary, latency)
  local sums = {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do sums[status] = (sums[status] or 0) + count end
  end
  local told = {}
  for status, count in pairs(sums) do table.insert(told, string.format('"%s": %d', status, count)) end
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.3f, "statuses": {%s}, "connect": %d, "read": %d, "write": %d, "timeout": %d, ' ..
    '"p50": %.3f, "p90": %.3f, "p99": %.3f, "longest": %.3f}\n',
    summary.requests, summary.duration / 1e6, table.concat(told, ", "), errors.connect, errors.read, errors.write,
    errors.timeout, latency:percentile(50) / 1000, latency:percentile(90) / 1000, latency:percentile(99) / 1000,
    latency.max / 1000))
end
