-- ARGV: me, hash, note of a file that is lost, length that is asked for or ''; answers with the note
-- of the part, if it has another one
local run, note = load_run(), call('HGET', PARTS, ARGV[2])
if note == ARGV[3] then note = false end
if note and (ARGV[4] == '' or string.match(note, '^%d+') == ARGV[4]) then return ok(note) end
if run and not run.goes_on then return out_of_step(run) end
return ok(note)
