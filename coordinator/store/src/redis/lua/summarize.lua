-- ARGV: me, summary
if not load_run() then return no_run() end
call('SET', SUM, ARGV[2])
return ok()
