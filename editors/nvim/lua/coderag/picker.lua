-- Telescope: an answer to every rest of the prompt, in the order of the engine.
local config = require("coderag.config")
local hits = require("coderag.hits")
local notify = require("coderag.notify")
local process = require("coderag.process")
local roots = require("coderag.root")

local M = {}

function M.is_available()
  return (pcall(require, "telescope"))
end

local function finder(root, asking)
  local function entry(hit)
    local text = hits.text(hit)
    local line = hits.line(hit)
    return { value = hit, ordinal = text, display = text, filename = hits.file(root, hit), lnum = line, col = 1 }
  end
  local function find(_, prompt, take, complete)
    if vim.trim(prompt) == "" then
      asking:cancel()
      return complete()
    end
    asking:ask(prompt, { debounce_ms = config.values.debounce_ms }, function(found, why)
      if why then
        notify.error(why)
      end
      for _, hit in ipairs(found or {}) do
        if take(entry(hit)) then -- there is a newer prompt
          return
        end
      end
      complete()
    end)
  end
  local function close()
    asking:cancel()
  end
  return setmetatable({ close = close }, { __call = find })
end

--- Open the picker, with a question in its prompt if there is one.
function M.open(question, options)
  local values = require("telescope.config").values
  local root = roots.of(0)
  require("telescope.pickers")
    .new(options or {}, {
      prompt_title = "coderag " .. vim.fn.fnamemodify(root, ":~"),
      default_text = question ~= "" and question or nil,
      finder = finder(root, process.of(root)),
      sorter = require("telescope.sorters").empty(),
      previewer = values.grep_previewer(options or {}),
    })
    :find()
end

return M
