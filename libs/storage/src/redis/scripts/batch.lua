#!lua
-- Purpose: what one event-loop turn has to say about many runs of one server, in one call.
-- KEYS: every key that a member names, each once
-- ARGV: a member after the other: name of its script, how many keys it has, their places in KEYS, how many arguments, those
-- RETURNS: the answer of each member's script, in their order; `false` in the place of one that failed
-- Atomic because: as a whole it need not be. Each member is a change of its own, and one that fails concerns itself alone.
-- @include submit
-- @include claim
-- @include commit
-- @include park
-- @include release
-- @include end
local transitions = { submit = submit, claim = claim, commit = commit, park = park, release = release, ['end'] = endRun }
local answers, next = {}, 1

--- The next arguments, as many as the one before them says.
local function take()
  local count = tonumber(ARGV[next])
  local first = next + 1
  next = first + count
  return { unpack(ARGV, first, next - 1) }
end

while next <= #ARGV do
  local transition = transitions[ARGV[next]]
  next = next + 1
  local keys = take()
  for i, place in ipairs(keys) do
    keys[i] = KEYS[tonumber(place)]
  end
  local isApplied, answer = pcall(transition, keys, take())
  answers[#answers + 1] = isApplied and answer
end
return answers
