-- ARGV: me, incarnation
local run = load_run()
if not run then return no_run() end
local count = call('HINCRBY', CTL, 'leads', 1)
call('HSET', CTL, 'lead', int(count) .. ':' .. ARGV[2])
return ok({ count, position(run), call('GET', CK), call('GET', CUT) or '' })
