-- One resident `coderag search --batch` for each root: a line of JSON in, a line of JSON out, in order.
local config = require("coderag.config")
local lines = require("coderag.lines")
local notify = require("coderag.notify")

local M = {}
local MAX_STARTS = 3 -- in a row, without an answer in between

local Process = {}
Process.__index = Process
local processes = {}

local function stop_timer(process)
  if process.timer then
    process.timer:stop()
    process.timer:close()
    process.timer = nil
  end
end

--- Return the process of a root, which need not be running.
function M.of(root)
  processes[root] = processes[root] or setmetatable({ root = root, starts = 0, said = "" }, Process)
  return processes[root]
end

--- Ask a question; `callback` is called once, with hits, or with nil and what is wrong.
---
--- While an answer is awaited, or the prompt does not rest yet, a newer question takes the place of one that was not
--- sent; the callback of that one is never called.
function Process:ask(question, options, callback)
  self.waiting = { question = question, k = options.k or config.values.k, callback = callback }
  stop_timer(self)
  local wait = options.debounce_ms or 0
  if wait == 0 then
    return self:_send()
  end
  self.timer = vim.loop.new_timer()
  self.timer:start(wait, 0, vim.schedule_wrap(function()
    stop_timer(self)
    self:_send()
  end))
end

--- Forget a question that was not answered yet.
function Process:cancel()
  stop_timer(self)
  self.waiting = nil
  if self.asked then
    self.asked.callback = function() end
  end
end

--- Read changed files before the next answer: a new process does.
function Process:mark_stale()
  self.stale = true
end

--- End the process; what was not answered yet is forgotten.
function Process:stop()
  stop_timer(self)
  local job = self.job
  self.job, self.asked, self.waiting = nil, nil, nil
  if job then
    vim.fn.jobstop(job)
  end
end

--- Return the id of the process, nil where none is running.
function Process:pid()
  local ok, pid = pcall(vim.fn.jobpid, self.job or 0)
  return ok and pid or nil
end

function Process:_send()
  if self.asked or self.timer or not self.waiting then
    return
  end
  if self.job and self.stale then
    local waiting = self.waiting
    self:stop()
    self.waiting = waiting
  end
  if not self.job and not self:_start() then
    return
  end
  self.asked, self.waiting = self.waiting, nil
  local request = vim.fn.json_encode({ query = self.asked.question, k = self.asked.k })
  -- A process that has ended meanwhile is noticed by its exit, which sends the question again.
  pcall(vim.fn.chansend, self.job, request .. "\n")
end

function Process:_start()
  self.stale, self.said, self.starts = false, "", self.starts + 1
  local command = config.command({ "search", "--batch", "--root", self.root }, config.values.search_args)
  local job
  local function of_this(take)
    return function(line)
      if job == self.job then -- one that was stopped may still say something
        take(line)
      end
    end
  end
  local ok, started = pcall(vim.fn.jobstart, command, {
    cwd = self.root,
    on_stdout = lines.reader(of_this(function(line)
      self:_answer(line)
    end)),
    on_stderr = lines.reader(of_this(function(line)
      self.said = line
      notify.info(line)
    end)),
    on_exit = function(_, code)
      if job == self.job then
        self:_ended(code)
      end
    end,
  })
  if not ok or started <= 0 then
    self:_fail(("%s cannot be run; set `command` in setup()"):format(command[1]))
    return false
  end
  job, self.job = started, started
  return true
end

function Process:_answer(line)
  local asked = self.asked
  self.asked, self.starts = nil, 0
  if asked then
    local ok, answer = pcall(vim.fn.json_decode, line)
    if not ok or type(answer) ~= "table" then
      asked.callback(nil, "the answer is no JSON")
    elseif answer.error then
      asked.callback(nil, answer.error)
    else
      asked.callback(answer)
    end
  end
  self:_send()
end

function Process:_ended(code)
  self.job = nil
  self.waiting = self.waiting or self.asked -- an answer that nobody will give any more
  self.asked = nil
  if self.waiting and self.starts >= MAX_STARTS then
    self:_fail(self.said ~= "" and self.said or ("it ended with code %d"):format(code))
  end
  self:_send()
end

function Process:_fail(why)
  local waiting = self.waiting
  self.waiting, self.starts = nil, 0
  if waiting then
    waiting.callback(nil, why)
  end
end

--- Note that a file was written: the processes whose roots it is in read it before their next answer.
function M.wrote(path)
  for root, process in pairs(processes) do
    if path:sub(1, #root + 1) == root .. "/" then
      process:mark_stale()
    end
  end
end

--- End all processes; the next question starts one again.
function M.stop_all()
  for _, process in pairs(processes) do
    process:stop()
  end
end

local group = vim.api.nvim_create_augroup("Coderag", {})
vim.api.nvim_create_autocmd("VimLeavePre", { group = group, callback = M.stop_all })
vim.api.nvim_create_autocmd("BufWritePost", {
  group = group,
  callback = function(event)
    M.wrote(vim.fn.fnamemodify(event.match, ":p"))
  end,
})

return M
