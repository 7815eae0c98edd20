-- Report of every script at its end: one line of JSON after the word RESULT.
local threads = {}

function setup(thread) threads[#threads + 1] = thread end

-- Counts by status, because wrk counts only those above 399.
function count_statuses()
  statuses = {}
  function response(status) statuses[status] = (statuses[status] or 0) + 1 end
end

local function counted()
  local found = {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get('statuses') or {}) do
      found[#found + 1] = string.format('"%d":%d', status, count)
    end
  end
  return table.concat(found, ',')
end

function done(summary, latency)
  io.write(string.format(
    '\nRESULT {"requests":%d,"microseconds":%d,"bytes":%d,"refused":%d,"broken":%d,"statuses":{%s},"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, summary.bytes, summary.errors.status,
    -- Not timeouts: answers that are late count for p99.
    summary.errors.connect + summary.errors.read + summary.errors.write,
    counted(), latency:percentile(50), latency:percentile(99)
  ))
end
