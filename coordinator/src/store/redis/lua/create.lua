-- ARGV: me, record, checkpoint; and for whoever begins it: coordinator (32 hex digits), incarnation,
-- time in ms for the claim, and what `add_jobs` reads
if load_run() then return ok(false) end
call('SET', REC, ARGV[2])
call('SET', CK, ARGV[3])
call('XGROUP', 'CREATE', Q, GROUP, '0', 'MKSTREAM')
local first = { state = 'active', rev = 0, gen = 0, cursor = 0, folded = 0 }
local begun = false
if #ARGV > 3 then
  call('SET', CLAIM, ARGV[4], 'PX', ARGV[6])
  local n_fresh, handed = add_jobs(first, 0, ARGV[4], 7)
  first.cursor, first.rev = n_fresh, math.min(n_fresh, 1)
  first.leads, first.lead = 1, '1:' .. ARGV[5]
  begun = { 1, handed }
end
local fields = {}
for name, value in pairs(first) do
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
call('HSET', CTL, unpack(fields))
ring('S')
return ok(begun)
