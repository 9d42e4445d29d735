-- ARGV: me, lead, (generation, index, result)...
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local skipped = false
for i = 3, #ARGV, 3 do
  local gen, index = tonumber(ARGV[i]), ARGV[i + 1]
  -- Whoever parked it has acknowledged its entry.
  if run.goes_on and gen == run.gen and call('ZREM', DEAD, index) == 1 then
    call('HSET', RES, index, ARGV[i + 2])
    call('HDEL', ATT, index)
    note_resolver(gen, index, string.rep('\0', 16))
    skipped = true
  end
end
if skipped then
  step()
  ring('P')
end
return ok()
