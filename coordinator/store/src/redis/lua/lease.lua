-- ARGV: me, consumer, most, lease in ms, time between two sweeps in ms, idle time in ms after which
-- a consumer without leases is forgotten
local run = load_run()
if not run then return no_run() end
if run.state ~= 'active' then return ok({}) end
local consumer, most = ARGV[2], tonumber(ARGV[3])

-- Makes READY what was leased for too long, and forgets consumers that are gone.
local function sweep()
  local complete, found = true, false
  for _, info in ipairs(call('XINFO', 'CONSUMERS', Q, GROUP)) do
    local of = {}
    for i = 1, #info, 2 do of[info[i]] = info[i + 1] end
    if of.name ~= FREE and of.pending > 0 then
      local ids = {}
      local late = call('XPENDING', Q, GROUP, 'IDLE', ARGV[4], '-', '+', CHUNK, of.name)
      for i, pending in ipairs(late) do ids[i] = pending[1] end
      make_ready(ids)
      complete = complete and #ids < CHUNK
      found = found or #ids > 0
    elseif of.name ~= FREE and of.name ~= consumer and of.idle > tonumber(ARGV[6]) then
      call('XGROUP', 'DELCONSUMER', Q, GROUP, of.name)
    end
  end
  return complete, found
end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local swept = tonumber(call('HGET', CTL, 'swept') or 0)
-- The server's clock may have been set back.
if now < swept or now >= swept + tonumber(ARGV[5]) then
  local complete, found = sweep()
  if complete then call('HSET', CTL, 'swept', int(now)) end
  if found then ring('R') end
end

return ok(hand_out(consumer, most))
