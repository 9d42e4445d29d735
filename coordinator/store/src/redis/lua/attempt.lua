-- ARGV: me, generation, index, id (16 bytes), attempt, most
-- A job's attempts are one value: id (16 bytes), length (4 bytes), bytes, and so on.
local run = load_run()
if not run then return no_run() end
local gen, index = tonumber(ARGV[2]), ARGV[3]
local is_there = is_there(run, gen, tonumber(index))
local result = is_there and call('HGET', RES, index)
if result or not is_there then
  local worker = call('HGET', ATT, resolver(gen, index)) or result and string.sub(result, 1, 16)
  return ok({ 'resolved', worker or '' })
end
local kept = call('HGET', ATT, index) or ''
local at, n = 1, 0
while at <= #kept do
  if string.sub(kept, at, at + 15) == ARGV[4] then return ok({ 'unresolved', kept }) end
  at = at + 20 + struct.unpack('>I4', kept, at + 16)
  n = n + 1
end
if n < tonumber(ARGV[6]) then
  kept = kept .. ARGV[4] .. struct.pack('>I4', #ARGV[5]) .. ARGV[5]
  call('HSET', ATT, index, kept)
end
return ok({ 'unresolved', kept })
