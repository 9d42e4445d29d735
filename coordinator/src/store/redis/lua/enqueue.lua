-- ARGV: me, lead, generation, first index, table, jobs...
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local gen, first = tonumber(ARGV[3]), tonumber(ARGV[4])
if not run.goes_on or run.gen ~= gen or run.cursor < first then return out_of_step(run) end
local fresh = {}
for index = run.cursor, first + #ARGV - 6 do
  local id = entry(gen, index)
  call('XADD', Q, id, 'j', ARGV[6 + index - first])
  fresh[#fresh + 1] = id
end
if #fresh == 0 then return ok() end
make_ready(fresh, true)
call('SET', CUT, ARGV[5])
call('HSET', CTL, 'cursor', int(run.cursor + #fresh))
step()
ring('R')
return ok()
