-- ARGV: me, (generation, index)...
local run = load_run()
if not run then return no_run() end
local ids = {}
for i = 2, #ARGV, 2 do
  local gen, index = tonumber(ARGV[i]), ARGV[i + 1]
  if gen == run.gen and call('ZREM', DEAD, index) == 1 then
    call('HDEL', ATT, index)
    ids[#ids + 1] = entry(gen, tonumber(index))
  end
end
make_ready(ids, true)
if #ids > 0 then ring('R') end
return ok(#ids)
