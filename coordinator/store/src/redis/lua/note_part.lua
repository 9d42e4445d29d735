-- ARGV: me, hash, note of its new file, note of a file that is lost, time in ms after which a part
-- without a run goes; answers with the note of the part from now on
local run, hash = load_run(), ARGV[2]
local note = call('HGET', PARTS, hash)
if note and note ~= ARGV[4] then return ok(note) end
if run and not run.goes_on then return out_of_step(run) end
call('HSET', PARTS, hash, ARGV[3])
if not run then expire_part(hash, ARGV[5]) end
return ok(ARGV[3])
