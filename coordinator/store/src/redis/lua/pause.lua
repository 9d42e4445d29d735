-- ARGV: me, lead
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
if run.state == 'active' then
  call('HSET', CTL, 'state', 'paused')
  step()
  ring('S')
end
return ok()
