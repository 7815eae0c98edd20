-- Reservations of one quarter-hour each, spread over the SUTs; run with: first number, user id, authorization, ids file.
local ids, count, base, user, headers = {}, 0, 0, '', {}

function init(args)
  count = tonumber(args[1])
  user = args[2]
  headers = { ['Authorization'] = args[3], ['Content-Type'] = 'application/json' }
  for line in io.lines(args[4]) do ids[#ids + 1] = line end
  base = math.ceil(os.time() / 900) * 900
end

local function written(time) return os.date('!%Y-%m-%dT%H:%M:%S+00:00', time) end

function request()
  local sut = ids[count % #ids + 1]
  local start = base + math.floor(count / #ids) * 900
  count = count + 1
  local body = string.format(
    '{"user_id":"%s","sut_id":"%s","start_time":"%s","end_time":"%s"}',
    user, sut, written(start), written(start + 900)
  )
  return wrk.format('POST', '/api/sut_reservation/create', headers, body)
end

function done(summary, latency)
  io.write(string.format(
    '\nRESULT {"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
