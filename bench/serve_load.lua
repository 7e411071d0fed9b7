-- SPDX-FileCopyrightText: 2026 The looptree authors
-- SPDX-License-Identifier: MIT

-- What wrk asks `looptree serve`: words, places, pictures and the map's summary, in turns. See serve_load.py.
local turn = 0
local words = {}
for i = 1, 300 do words[i] = (i * 37) % 10000 end
local query = '{"words": [' .. table.concat(words, ", ") .. '], "top_k": 10}'
local json = {["Content-Type"] = "application/json"}

function request()
  turn = turn + 1
  local kind = turn % 4
  if kind == 0 then return wrk.format("POST", "/api/query", json, query) end
  if kind == 1 then return wrk.format("GET", "/api/places?from=" .. (turn % 100) .. "&count=20") end
  if kind == 2 then return wrk.format("GET", "/api/places/" .. (turn % 100) .. "/thumbnail") end
  return wrk.format("GET", "/api/map")
end
