-- Creates in taken windows, in sequence; run with: first start, windows, user id, authorization, SUT id.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'report.lua')
dofile(here .. 'reservations.lua')
count_statuses()

local requests, count = {}, 0

function init(args)
  for quarter = 0, args[2] - 1 do
    requests[quarter + 1] = reservation(tonumber(args[1]), quarter, args[5], args[3], args[4])
  end
end

function request()
  count = count + 1
  return requests[count % #requests + 1]
end
