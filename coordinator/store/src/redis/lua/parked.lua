-- ARGV: me, from, most
local run = load_run()
if not run then return no_run() end
local found = {}
for _, index in ipairs(call('ZRANGEBYSCORE', DEAD, ARGV[2], '+inf', 'LIMIT', 0, ARGV[3])) do
  local id = entry(run.gen, tonumber(index))
  local job = call('XRANGE', Q, id, id)[1][2][2]
  found[#found + 1] = { index, job, call('HGET', ATT, index) or '' }
end
return ok({ run.raw[4], found })
