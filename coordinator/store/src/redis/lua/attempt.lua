-- ARGV: me, generation, index, id (16 bytes), attempt, most
-- A job's attempts are one value: id (16 bytes), length (4 bytes), bytes, and so on.
local run = load_run()
if not run then return no_run() end
local index = ARGV[3]
if not is_there(run, tonumber(ARGV[2]), tonumber(index)) or call('HEXISTS', RES, index) == 1 then
  return ok('')
end
local kept = call('HGET', ATT, index) or ''
local at, n = 1, 0
while at <= #kept do
  if string.sub(kept, at, at + 15) == ARGV[4] then return ok(kept) end
  at = at + 20 + struct.unpack('>I4', kept, at + 16)
  n = n + 1
end
if n < tonumber(ARGV[6]) then
  kept = kept .. ARGV[4] .. struct.pack('>I4', #ARGV[5]) .. ARGV[5]
  call('HSET', ATT, index, kept)
end
return ok(kept)
