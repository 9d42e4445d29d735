-- ARGV: me, consumer, entries...; answers with the numbers of those that are lost, from 0
if not load_run() then return no_run() end
local held, lost = {}, {}
for i = 3, #ARGV do
  if is_with(ARGV[2], ARGV[i]) then
    held[#held + 1] = ARGV[i]
  else
    lost[#lost + 1] = i - 3
  end
end
if #held > 0 then
  held[#held + 1] = 'JUSTID'
  call('XCLAIM', Q, GROUP, ARGV[2], 0, unpack(held))
end
return ok(lost)
