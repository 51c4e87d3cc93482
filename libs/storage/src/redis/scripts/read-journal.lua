#!lua flags=no-writes
-- Purpose: one page of a journal, bounded in fields and in bytes.
-- KEYS: run
-- ARGV: first number, journal end (numbers below it may have holes), most numbers, most bytes
-- RETURNS: { number of the next page or -1, number, value, … }
-- Atomic because: it need not be: the next commit's compare-and-set proves what was read.
local from, journalEnd, mostNumbers, mostBytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
local function base36(number)
  local text = ''
  repeat
    local digit = number % 36
    text = string.sub(DIGITS, digit + 1, digit + 1) .. text
    number = (number - digit) / 36
  until number == 0
  return text
end

local page, bytes = { -1 }, 0
for number = from, from + mostNumbers - 1 do
  local value = redis.call('HGET', KEYS[1], base36(number))
  if value then
    bytes = bytes + #value
    if bytes > mostBytes and #page > 1 then
      page[1] = number
      return page
    end
    page[#page + 1], page[#page + 2] = number, value
  elseif number >= journalEnd then
    return page
  end
end
page[1] = from + mostNumbers
return page
