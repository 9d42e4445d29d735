-- ARGV: me, 'record' or 'checkpoint'
if not load_run() then return no_run() end
return ok(call('GET', ARGV[2] == 'record' and REC or CK))
