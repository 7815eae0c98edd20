-- Four reads of random paths, then a create; run with: as create.lua, and file of paths.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'report.lua')
dofile(here .. 'reservations.lua')
count_statuses()

local reads, create, count = {}, nil, 0

function init(args)
  math.randomseed(os.time())
  create = creates(tonumber(args[1]), args[2], args[3], lines_of(args[4]))
  for path in io.lines(args[5]) do
    reads[#reads + 1] = wrk.format('GET', path, { ['Authorization'] = args[3] })
  end
end

function request()
  count = count + 1
  if count % 5 == 0 then return create() end
  return reads[math.random(#reads)]
end
