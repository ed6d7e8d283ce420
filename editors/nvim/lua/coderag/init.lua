-- Questions to coderag from Neovim; see `:help coderag`.
local config = require("coderag.config")
local hits = require("coderag.hits")
local notify = require("coderag.notify")
local quickfix = require("coderag.quickfix")
local runner = require("coderag.run")

local M = { setup = config.setup }
local MAX_SELECTION = 2000 -- characters of a selection that a question is made of

local function show(root, question, found)
  if #found == 0 then
    return notify.info("nothing found for " .. question)
  end
  if config.values.results == "quickfix" then
    return quickfix.items("coderag: " .. question, hits.items(root, found))
  end
  vim.ui.select(found, { prompt = "coderag: " .. question, format_item = hits.text }, function(hit)
    if hit then
      hits.open(root, hit)
    end
  end)
end

local function ask(question)
  local root = require("coderag.root").of(0)
  require("coderag.process").of(root):ask(question, {}, function(found, why)
    if why then
      notify.error(why)
    else
      show(root, question, found)
    end
  end)
end

--- Search code by a question in words, or a symbol; without one, ask for it.
function M.search(question)
  question = question or ""
  local picker = require("coderag.picker")
  if config.values.results == "telescope" and picker.is_available() then
    return picker.open(question)
  end
  if vim.trim(question) ~= "" then
    return ask(question)
  end
  vim.ui.input({ prompt = "coderag: " }, function(typed)
    if typed and vim.trim(typed) ~= "" then
      ask(typed)
    end
  end)
end

local function named(name)
  name = name and vim.trim(name) or ""
  return name ~= "" and name or vim.fn.expand("<cword>")
end

--- Show the places that a command prints about a target, which may look like an option.
local function list(command, target, options)
  local root = require("coderag.root").of(0)
  local arguments = { command, "--root", root, "--format", "vimgrep" }
  vim.list_extend(arguments, options.arguments or {})
  vim.list_extend(arguments, { "--", target })
  runner.run(arguments, function(found)
    quickfix.lines(("coderag %s %s"):format(command, target), found, options.jump)
  end)
end

--- Go to the definition of a name (default: the word under the cursor), or list those that there are.
function M.symbol(name)
  name = named(name)
  if name == "" then
    return notify.info("there is no word under the cursor")
  end
  list("symbols", name, { jump = true })
end

--- List what refers to a name (default: the word under the cursor).
function M.refs(name)
  name = named(name)
  if name == "" then
    return notify.info("there is no word under the cursor")
  end
  list("refs", name, {})
end

--- List what belongs to the line of the cursor, to another line { line }, or to lines { first, last }.
function M.at(range)
  local file = vim.api.nvim_buf_get_name(0)
  if file == "" or vim.fn.filereadable(file) == 0 then
    return notify.info("the buffer is no file")
  end
  local line = range and range[1] or vim.api.nvim_win_get_cursor(0)[1]
  local arguments = {}
  if range and range[2] then
    local text = table.concat(vim.api.nvim_buf_get_lines(0, range[1] - 1, range[2], false), "\n")
    arguments = { "--selection=" .. text:sub(1, MAX_SELECTION) }
  end
  list("at", ("%s:%d"):format(vim.fn.fnamemodify(file, ":p"), line), { arguments = arguments })
end

return M
