-- Reads of random paths; run with: authorization, file of paths.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'report.lua')

local requests = {}

function init(args)
  math.randomseed(os.time())
  for path in io.lines(args[2]) do
    requests[#requests + 1] = wrk.format('GET', path, { ['Authorization'] = args[1] })
  end
end

function request() return requests[math.random(#requests)] end
