-- ARGV: me
local run = load_run()
if not run then return no_run() end
return ok(position(run))
