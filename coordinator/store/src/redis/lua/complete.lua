-- ARGV: me, (generation, index, result, its parts)...; answers with a letter for each
-- A result begins with: worker (16 bytes), length of the output (4 bytes), output.
local run = load_run()
if not run then return no_run() end
local has_parked = call('ZCARD', DEAD) > 0
local has_attempts = call('EXISTS', ATT) == 1
local verdicts, accepted = {}, {}

-- Whether both results have the same output, whoever computed it at whatever cost.
local function same(a, b)
  local last = 20 + struct.unpack('>I4', a, 17)
  return string.sub(a, 17, last) == string.sub(b, 17, last)
end

local function offer(gen, field, result, parts)
  local index = tonumber(field)
  if not run.goes_on or gen ~= run.gen or run.cursor <= index then return 'U' end
  if index < run.folded then return 'D' end
  if parts ~= '' and call('HEXISTS', RES, field) == 0 and not are_whole(parts) then return 'P' end
  -- The only place where a job is resolved: once, since HSETNX says 1 once.
  if call('HSETNX', RES, field, result) == 0 then
    return same(call('HGET', RES, field), result) and 'D' or 'M'
  end
  accepted[#accepted + 1] = entry(gen, index)
  if has_parked then call('ZREM', DEAD, field) end
  if has_attempts and call('HDEL', ATT, field) == 1 then
    note_resolver(gen, field, string.sub(result, 1, 16))
  end
  return 'A'
end

for i = 2, #ARGV, 4 do
  verdicts[#verdicts + 1] = offer(tonumber(ARGV[i]), ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
end
if #accepted > 0 then
  call('XACK', Q, GROUP, unpack(accepted))
  ring('P')
end
return ok(table.concat(verdicts))
