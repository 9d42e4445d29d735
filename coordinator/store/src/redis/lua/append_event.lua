-- ARGV: me, event
if not load_run() then return no_run() end
call('RPUSH', EV, ARGV[2])
return ok()
