-- ARGV: me, consumer, entries...
local run = load_run()
if not run then return no_run() end
local ids = {}
if run.state == 'active' then
  for i = 3, #ARGV do
    if #call('XPENDING', Q, GROUP, ARGV[i], ARGV[i], 1) == 1 then ids[#ids + 1] = ARGV[i] end
  end
end
if #ids == 0 then return ok({}) end
return ok(call('XCLAIM', Q, GROUP, ARGV[2], 0, unpack(ids)))
