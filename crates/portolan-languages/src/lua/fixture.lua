-- The licence.
local M = {}

local limit = 10
name = "x"

-- Says hello.
function hello(who)
  local inner = 1
  local function nested() end
  print("hello " .. who)
end

local function helper(a, ...)
  return a
end

function M.make(size)
  return { size = size }
end

function M.Circle:area()
  return 3
end

M.grow = function(self, by)
  return self
end

local twice = function(x) return x * 2 end

return M
