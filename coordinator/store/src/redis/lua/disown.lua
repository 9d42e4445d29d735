-- ARGV: me, lead, worker (16 bytes)
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local fields, ids = {}, {}
for index = run.folded, run.cursor - 1 do
  local result = call('HGET', RES, int(index))
  if result and string.sub(result, 1, 16) == ARGV[3] then
    fields[#fields + 1] = int(index)
    ids[#ids + 1] = entry(run.gen, index)
  end
end
if #ids == 0 then return ok(0) end
in_chunks(fields, function(...) call('HDEL', RES, ...) end)
make_ready(ids, true)
step()
ring('R')
return ok(#ids)
