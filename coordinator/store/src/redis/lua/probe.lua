-- KEYS: a key that nothing else uses; answers with the commands that the caller may not run
-- Tries each command that a store calls. An error of a command that may be run is of no interest.
local KEY = KEYS[1]
local COMMANDS = { ALL_COMMANDS }
local refused, is_known = {}, {}
for _, command in ipairs(COMMANDS) do
  local answer = redis.pcall(unpack(command))
  local said = type(answer) == 'table' and answer.err or ''
  local is_refused = string.find(said, "can't run this command", 1, true)
    or string.find(said, "can't access at least one", 1, true)
    or string.find(said, 'NOPERM', 1, true) or string.find(said, 'ACL failure', 1, true)
  local name = string.lower(command[1])
  if name == 'xgroup' or name == 'xinfo' then name = name .. '|' .. string.lower(command[2]) end
  if is_refused and not is_known[name] then
    refused[#refused + 1], is_known[name] = name, true
  end
end
return refused
