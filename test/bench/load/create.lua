-- Creates, spread over the SUTs; run with: first number, user id, authorization, file of SUT ids.
local here = debug.getinfo(1, 'S').source:match('^@(.*/)')
dofile(here .. 'report.lua')
dofile(here .. 'reservations.lua')

function init(args) request = creates(tonumber(args[1]), args[2], args[3], lines_of(args[4])) end
