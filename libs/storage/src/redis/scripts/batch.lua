#!lua
-- Purpose: what one event-loop turn has to say about many runs of one server, in one call.
-- KEYS: every key that a member names, each once
-- ARGV: words, each followed by a unit separator, because one argument costs less than thousands. A member after the other:
-- name of its script, how many keys it has, their places in KEYS, how many arguments, those
-- RETURNS: words likewise: of each member how many words its script answered, and those; none for one that failed, or whose
-- answer cannot be told so
-- Atomic because: as a whole it need not be. Each member is a change of its own, and one that fails concerns itself alone.
-- @include submit
-- @include claim
-- @include commit
-- @include park
-- @include release
-- @include end
local transitions = { submit = submit, claim = claim, commit = commit, park = park, release = release, ['end'] = endRun }
local words = {}
for word in string.gmatch(ARGV[1], '([^\31]*)\31') do
  words[#words + 1] = word
end
local answers, next = {}, 1
local SEPARATOR = '\31'

--- The next words, as many as the one before them says.
local function take()
  local count = tonumber(words[next])
  local first = next + 1
  next = first + count
  return { unpack(words, first, next - 1) }
end

--- Appends an answer of many words; a field that is absent becomes an empty word.
local function tell(answer)
  for i = 1, #answer do
    answer[i] = answer[i] and tostring(answer[i]) or ''
  end
  if string.find(table.concat(answer), SEPARATOR, 1, true) then
    answer = {}
  end
  answers[#answers + 1] = #answer
  for i = 1, #answer do
    answers[#answers + 1] = answer[i]
  end
end

while next <= #words do
  local transition = transitions[words[next]]
  next = next + 1
  local keys = take()
  for i, place in ipairs(keys) do
    keys[i] = KEYS[tonumber(place)]
  end
  local isApplied, answer = pcall(transition, keys, take())
  if isApplied and type(answer) == 'string' then
    answers[#answers + 1], answers[#answers + 2] = 1, answer
  else
    tell(isApplied and answer or {})
  end
end
return table.concat(answers, SEPARATOR)
