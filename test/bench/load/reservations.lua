-- Builds requests for reservations of one quarter-hour.
local QUARTER = 900

local function written(time) return os.date('!%Y-%m-%dT%H:%M:%S+00:00', time) end

function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

-- The request for the nth quarter after `base`, with other members of JSON.
local function create(base, quarter, members, authorization)
  local start = base + quarter * QUARTER
  local body = string.format('{%s,"start_time":"%s","end_time":"%s"}', members, written(start), written(start + QUARTER))
  local headers = { ['Authorization'] = authorization, ['Content-Type'] = 'application/json' }
  return wrk.format('POST', '/api/sut_reservation/create', headers, body)
end

-- The request that reserves a SUT.
function reservation(base, quarter, sut, user, authorization)
  return create(base, quarter, string.format('"user_id":"%s","sut_id":"%s"', user, sut), authorization)
end

-- The request that reserves any SUT that meets criteria.
function matching(base, quarter, criteria, authorization)
  return create(base, quarter, '"match":' .. criteria, authorization)
end

-- Makes requests for successive windows, spread over the SUTs, from a given number.
function creates(first, user, authorization, suts)
  local count, base = first, math.ceil(os.time() / QUARTER) * QUARTER
  return function()
    local sut = suts[count % #suts + 1]
    local quarter = math.floor(count / #suts)
    count = count + 1
    return reservation(base, quarter, sut, user, authorization)
  end
end
