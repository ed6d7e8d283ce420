-- A command of coderag that runs once, without waiting for it.
local config = require("coderag.config")
local lines = require("coderag.lines")
local notify = require("coderag.notify")

local M = {}

--- Run a command in the current folder; `callback` gets the lines that it prints, if there are some.
function M.run(arguments, callback)
  local command = config.command(arguments)
  local printed, said = {}, ""
  local ok, job = pcall(vim.fn.jobstart, command, {
    on_stdout = lines.reader(function(line)
      table.insert(printed, line)
    end),
    on_stderr = lines.reader(function(line)
      said = line
    end),
    on_exit = function(_, code)
      if code == 0 and #printed > 0 then
        callback(printed)
      elseif code <= 1 then
        notify.info(said ~= "" and said or "nothing found")
      else
        notify.error(said ~= "" and said or ("it ended with code %d"):format(code))
      end
    end,
  })
  if not ok or job <= 0 then
    notify.error(("%s cannot be run; set `command` in setup()"):format(command[1]))
    return
  end
  vim.fn.chanclose(job, "stdin")
end

return M
