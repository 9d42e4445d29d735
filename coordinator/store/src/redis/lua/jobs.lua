-- ARGV: me, (generation, index)...
local run = load_run()
if not run then return no_run() end
local found = {}
for i = 2, #ARGV, 2 do
  local gen, index = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local job = false
  if is_there(run, gen, index) then
    local id = entry(gen, index)
    job = call('XRANGE', Q, id, id)[1][2][2]
  end
  found[#found + 1] = job
end
return ok(found)
