#!/usr/bin/env lua
--- Orders of a small shop.
-- @module shop.orders

local json = require("cjson")
local insert, format = table.insert, string.format
local log = require "shop.log".new("orders")
require("shop.setup")

local M = { _VERSION = "1.2" }

--- How many lines an order may have.
M.LIMIT = 100
M.defaults = {
  currency = "€",
  format = function(cents) return format("%.2f €", cents / 100) end,
  hooks = {
    ["on-close"] = function(order) log.info("closed", order.id) end,
  },
}

local count <const> = 0
local cache, hits = {}, 0
DEBUG = false

--[[ An order and its lines.
     Kept in memory only. ]]
---@class Order
---@field lines table
local Order = {}
Order.__index = Order
setmetatable(Order, { __call = function(class, ...) return class.new(...) end })

--- Makes an order.
-- @param customer the name
function Order.new(customer)
  local self = setmetatable({}, Order)
  self.customer = customer
  self.lines = {}
  self.total = function() return self:sum() end
  return self
end

-- Adds a line
-- and returns the order.
function Order:add(name, price, ...)
  insert(self.lines, { name = name, price = price, extra = { ... } })
  return self
end

--[==[
Returns the sum of all prices.
]==]
function Order:sum()
  local sum = 0
  local function each(line) sum = sum + line.price end
  for _, line in ipairs(self.lines) do each(line) end
  return sum
end

M.Order = Order
M.find = function(id)
  if cache[id] then
    goto found
  end
  cache[id] = json.decode(log.read(id))
  ::found::
  return cache[id]
end

M["find-all"] = function() return cache end

local double = function(x) return x * 2 end
local first, second = function(x) return x[1] end, 2

local Queue = class("Queue", {
  push = function(self, item) self[#self + 1] = item end,
  pop = function(self)
    return table.remove(self, 1)
  end,
})

function M.events.on.close(order) end function M.events.off() end

local   function oddly
  ( a , b )   return
    a..b end

---@param text string
function greet(text)
  print "hello"
  vim.keymap.set { "n", "x", callback = function() print(text) end }
  T["größe"]["nested"] = function() return true end
end

describe("orders", function()
  local order
  before_each(function() order = Order.new("Zoë") end)

  it("adds a line", function()
    order:add("tea", 2)
    assert.are.equal(2, order:sum())
  end)
end)

return M
