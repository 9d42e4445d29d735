-- ARGV: me, lead, workers (16 bytes each)...
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local fields, ids, notes, counts = {}, {}, {}, {}
for i = 3, #ARGV do counts[ARGV[i]] = 0 end
for index = run.folded, run.cursor - 1 do
  local result = call('HGET', RES, int(index))
  local worker = result and string.sub(result, 1, 16)
  if result and counts[worker] then
    counts[worker] = counts[worker] + 1
    fields[#fields + 1] = int(index)
    ids[#ids + 1] = entry(run.gen, index)
    notes[#notes + 1] = resolver(run.gen, int(index))
  end
end
if #ids == 0 then return ok({}) end
in_chunks(fields, function(...) call('HDEL', RES, ...) end)
in_chunks(notes, function(...) call('HDEL', ATT, ...) end)
make_ready(ids, true)
step()
ring('R')
local told = {}
for worker, n in pairs(counts) do
  if n > 0 then told[#told + 1] = { worker, n } end
end
return ok(told)
