-- Creates, each with its own idempotency key; run with: first number, user id, authorization, file of SUT ids.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'report.lua')
dofile(here .. 'reservations.lua')

function init(args)
  local first, plain = args[1], creates(tonumber(args[1]), args[2], args[3], lines_of(args[4]))
  local count = 0
  request = function()
    count = count + 1
    wrk.headers['Idempotency-Key'] = nil
    return (plain():gsub('\r\n\r\n', string.format('\r\nIdempotency-Key: %s-%d\r\n\r\n', first, count), 1))
  end
end
