-- ARGV: me, hashes...; answers with their notes
local found = {}
for i = 2, #ARGV do found[i - 1] = whole_note(ARGV[i]) or false end
return ok(found)
