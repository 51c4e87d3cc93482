-- @include filled
-- @include is-holder
local APPLIED, LOOK, STALE, LOST = 'ok', 'look', 'stale', 'lost'

--- Why a change by an owner is not written; nil when it is to be. `head`: T, R, X of the record. `mark`: the revision
--- before the change, followed by `!` when it opens an attempt. Only the owner raises the revision and has one change in
--- flight, so its token with the revision after proves that an earlier try was applied.
local function refusal(head, token, mark)
  if head.err or not isHolder(head[1], token) then
    return LOST
  end
  local revision = tonumber(string.match(mark, '^%d+'))
  local current = tonumber(head[2] or 0)
  if current == revision + 1 then
    return APPLIED
  elseif current ~= revision then
    return STALE
  elseif filled(head[3]) and string.sub(mark, -1) == '!' then
    return LOOK
  end
  return nil, revision
end
