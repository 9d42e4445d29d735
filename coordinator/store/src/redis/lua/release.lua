-- ARGV: me, consumer, entries...
if not load_run() then return no_run() end
local ids = {}
for i = 3, #ARGV do
  if is_with(ARGV[2], ARGV[i]) then ids[#ids + 1] = ARGV[i] end
end
make_ready(ids)
if #ids > 0 then ring('R') end
return ok()
