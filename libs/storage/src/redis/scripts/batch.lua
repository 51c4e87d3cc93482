#!lua
-- Purpose: what one event-loop turn has to say about many runs of one server, in one call.
-- KEYS: every key that a member names, each once
-- ARGV: words, each followed by a unit separator, because one argument costs less than thousands. A member after the other:
-- name of its script, how many keys it has, their places in KEYS, how many arguments, those
-- RETURNS: words likewise: of each member how many words its script answered, and those; none for one that failed, whose
-- answer cannot be told so, or that was not carried out because the answers before it are 1 MiB already
-- Atomic because: as a whole it need not be. Each member is a change of its own, and one that fails concerns itself alone.
-- @include submit
-- @include claim
-- @include commit
-- @include park
-- @include release
-- @include end
local transitions = { submit = submit, claim = claim, commit = commit, park = park, release = release, ['end'] = endRun }
local SEPARATOR, MOST_BYTES = '\31', 1048576
local words = {}
for word in string.gmatch(ARGV[1], '([^\31]*)\31') do
  words[#words + 1] = word
end
local at, answers, bytes = 1, {}, 0

--- The next words, as many as the one before them says.
local function take()
  local count = tonumber(words[at])
  local first = at + 1
  at = first + count
  return { unpack(words, first, at - 1) }
end

--- The words of an answer; a field that is absent becomes an empty one. None when they cannot be told apart.
local function wordsOf(answer)
  if type(answer) == 'string' then
    return { answer }
  end
  for i = 1, #answer do
    answer[i] = answer[i] and tostring(answer[i]) or ''
    bytes = bytes + #answer[i]
  end
  return string.find(table.concat(answer), SEPARATOR, 1, true) and {} or answer
end

while at <= #words do
  local transition = transitions[words[at]]
  at = at + 1
  local keys, args = take(), take()
  for i, place in ipairs(keys) do
    keys[i] = KEYS[tonumber(place)]
  end
  local isApplied, answer = false, nil
  -- What does not fit any more is not carried out: whoever called carries it out alone.
  if bytes < MOST_BYTES then
    isApplied, answer = pcall(transition, keys, args)
  end
  local told = isApplied and wordsOf(answer) or {}
  answers[#answers + 1] = #told
  for i = 1, #told do
    answers[#answers + 1] = told[i]
  end
end
return table.concat(answers, SEPARATOR)
