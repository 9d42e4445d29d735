-- ARGV: me
local run = load_run()
if not run then return no_run() end
local unresolved = run.cursor - run.folded - call('HLEN', RES)
return ok({
  position(run), call('GET', SUM), unresolved, call('ZCARD', DEAD), call('GET', CLAIM),
  call('LINDEX', EV, 0), call('LINDEX', EV, -1),
})
