#!lua flags=no-writes
-- Purpose: one page of a journal, bounded in fields and in bytes.
-- KEYS: run
-- ARGV: first number, journal end (numbers below it may have holes), most numbers, most bytes
-- RETURNS: { number of the next page or -1, value or nil of the first number, of the one after it, … }
-- Atomic because: it need not be: the next commit's compare-and-set proves what was read.
local from, journalEnd, mostNumbers, mostBytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local run, call = KEYS[1], redis.call
local DIGITS = {}
for digit in string.gmatch('0123456789abcdefghijklmnopqrstuvwxyz', '.') do DIGITS[#DIGITS + 1] = digit end

local function base36(number)
  local digit = number % 36
  local last = DIGITS[digit + 1]
  if number < 36 then return last end
  return base36((number - digit) / 36) .. last
end

-- All but the last digit is the same for 36 numbers.
local digit, prefix = from % 36, ''
if from >= 36 then prefix = base36((from - digit) / 36) end

-- One value a call: a value may have 1 MiB, and no more than one is read beyond the bound.
local page, bytes = { -1 }, 0
for offset = 0, mostNumbers - 1 do
  local value = call('HGET', run, prefix .. DIGITS[digit + 1])
  if value then
    bytes = bytes + #value
    if bytes > mostBytes and bytes > #value then
      page[1] = from + offset
      return page
    end
  elseif from + offset >= journalEnd then
    return page
  end
  page[offset + 2] = value
  digit = digit + 1
  if digit == 36 then
    digit, prefix = 0, base36((from + offset + 1) / 36)
  end
end
page[1] = from + mostNumbers
return page
