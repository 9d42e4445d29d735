-- ARGV: me, from, most, most bytes
local run = load_run()
if not run then return no_run() end
local from = tonumber(ARGV[2])
local found, bytes = {}, 0
if run.folded <= from then
  -- An answer without limits would hold up everybody else, and memory here and there.
  for index = from, math.min(run.cursor, from + tonumber(ARGV[3])) - 1 do
    local result = bytes < tonumber(ARGV[4]) and call('HGET', RES, int(index))
    if not result then break end
    bytes = bytes + #result
    found[#found + 1] = result
  end
end
local unresolved = run.cursor - run.folded - call('HLEN', RES)
return ok({ run.state, run.reason, found, unresolved, call('ZCARD', DEAD) })
