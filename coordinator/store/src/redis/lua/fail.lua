-- ARGV: me, lead, reason
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
if run.state == 'failed' and run.reason == ARGV[3] then return ok() end
if not run.goes_on then return out_of_step(run) end
call('HSET', CTL, 'state', 'failed', 'reason', ARGV[3])
step()
ring('S')
return ok()
