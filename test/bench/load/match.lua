-- Creates on any SUT that meets criteria, in the quarter-hours of a day in turn; run with: first number, start of the
-- day, authorization, criteria in JSON.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'report.lua')
dofile(here .. 'reservations.lua')
count_statuses()

local requests, count = {}, 0

function init(args)
  count = tonumber(args[1])
  for quarter = 0, 95 do requests[quarter + 1] = matching(tonumber(args[2]), quarter, args[4], args[3]) end
end

function request()
  count = count + 1
  return requests[count % #requests + 1]
end
