std = 'lua51'
read_globals = { 'KEYS', 'ARGV', 'redis', 'cjson', 'cmsgpack', 'bit', 'struct' }
max_line_length = 140
