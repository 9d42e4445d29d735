-- ARGV: me, lead
local run = load_run()
if not run then return no_run() end
if run.lead ~= ARGV[2] then return fenced() end
return ok(position(run))
