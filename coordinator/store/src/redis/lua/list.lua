-- ARGV: me, 'generations' or 'events', first, most, most bytes
if not load_run() then return no_run() end
local list = ARGV[2] == 'events' and EV or GENS
local first = tonumber(ARGV[3])
local found, bytes = {}, 0
for _, item in ipairs(call('LRANGE', list, int(first), int(first + ARGV[4] - 1))) do
  if bytes >= tonumber(ARGV[5]) then break end
  bytes = bytes + #item
  found[#found + 1] = item
end
return ok(found)
