-- ARGV: me, lead, generation, first index, consumer, and what `add_jobs` reads
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
local gen, first = tonumber(ARGV[3]), tonumber(ARGV[4])
if not run.goes_on or run.gen ~= gen or run.cursor < first then return out_of_step(run) end
local n_fresh, handed = add_jobs(run, first, ARGV[5], 6)
if n_fresh > 0 then
  call('HSET', CTL, 'cursor', int(run.cursor + n_fresh))
  step()
end
return ok(handed)
