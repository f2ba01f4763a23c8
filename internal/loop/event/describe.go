package event

// Description is what one type of event or command means, for users.
type Description struct{ Name, What string }

// Durables, Previews and Commands describe the vocabulary, in the order of the table.
// Commands leaves out those that another program cannot send.
func Durables() []Description { return describe(durables, aboutDurables) }

// Previews describes the events that are not stored.
func Previews() []Description { return describe(previews, aboutPreviews) }

// Commands describes the commands that another program can send.
func Commands() []Description { return describe(commands, aboutCommands) }

func describe(rows []row, about map[string]string) (all []Description) {
	for _, r := range rows {
		if !r.internal {
			all = append(all, Description{r.name, about[r.name]})
		}
	}
	return all
}

// aboutDurables, aboutPreviews and aboutCommands hold the description of each name in the
// table.
var (
	aboutDurables = map[string]string{
		"user":               "message of the user; `steered` if a turn was running, `auto` if the program sent it",
		"partial":            "text that a streaming message got since its last `partial`; the finished message replaces it",
		"message":            "finished message of the model: `assistant`, `thinking` or `tool_call`",
		"decision":           "answer to the question of a tool call",
		"tool_start":         "a tool starts; written before it changes anything",
		"tool_end":           "the result of a tool call, whether it ran or not",
		"step_end":           "end of a reply of the model and its tool calls, with tokens and cost",
		"turn_end":           "end of a turn, with the reason",
		"model":              "the model that answers from now on",
		"mode":               "the permission mode from now on; mode auto is called `edits` here",
		"prefix":             "the system prompt and the tools of the following requests",
		"todo":               "the model's complete list of tasks",
		"rename":             "title of the session",
		"rewind":             "the end of the conversation was removed: only the first `keep` events remain",
		"compact":            "the context of the model was shortened; the session keeps everything",
		"shell_start":        "a command that the user typed starts",
		"shell_end":          "a command that the user typed has ended",
		"shell_told":         "the model gets the output of a typed command with its next request",
		"delegate_start":     "a delegate starts",
		"delegate_end":       "a delegate has ended, with its answer",
		"plan":               "plan that the model presented, and the decision of the user",
		"permission_removed": "the user removed a rule or a standing permission",
		"files_changed":      "files that a turn, a command or a job changed",
		"undone":             "changes of files were undone or redone",
	}
	aboutPreviews = map[string]string{
		"delta":        "piece of a streaming reply: `piece` is text, thinking, call, end or finish",
		"progress":     "output of a running tool or command",
		"ask":          "question to the user; `answer` with its `id` answers it",
		"ask_done":     "a question was answered, or withdrawn if `decision` is missing",
		"retrying":     "a request failed and is sent again",
		"request_done": "a request to a model has ended (never printed; see `--trace`)",
		"jobs":         "background jobs, after a change or `list_jobs`",
		"notice":       "sentence for the user",
		"unsent":       "a prompt came too late to steer the turn: send it again if you still want it",
		"not_run":      "a `run_shell` was rejected, with the reason",
		"summarizing":  "a model writes a summary of the conversation",
		"context":      "what fills the context window, after `list_context`",
		"opened":       "state of a resumed session",
		"unreadable":   "the resumed session cannot be read",
		"searched":     "the search for a model has ended",
		"permissions":  "rules and standing permissions, after `list_permissions`",
		"sandbox":      "how far the sandbox restricts commands",
		"explained":    "whether a command would be allowed, need approval or be denied, and why, after `explain_permission`",
		"budget":       "what the turn and the session have used of their limits",
		"delegates":    "delegates of the session, after a change or `list_delegates`",
		"hook":         "the session waits for a hook of the user that has run for a second, or that hook has `ended`",
		"delegated":    "event of a delegate that is not stored, or that `watch_delegate` requested",
		"undo_plan":    "what an undo would do, after `plan_undo`",
		"changes":      "all changes of files since the session began, after `list_changes`",
	}
	aboutCommands = map[string]string{
		"prompt":             "start a turn, or steer the running one: the model gets the text with its next request",
		"retry":              "send the conversation again after a failed or interrupted turn",
		"interrupt":          "interrupt the running turn; a second one kills the processes that it still waits for",
		"answer":             "answer the `ask` of the same `id`",
		"list_jobs":          "request `jobs`",
		"stop_job":           "stop a background job",
		"rename":             "give the session a title",
		"rewind":             "remove the end of the conversation; keep its first `keep` events",
		"compact":            "summarize the conversation in the model's context",
		"edit_context":       "pin, unpin or drop an item of the context, or edit the summary",
		"list_context":       "request `context`",
		"save_draft":         "save an unsent prompt with the session",
		"set_mode":           "set the permission mode; mode auto is called `edits` here",
		"set_model":          "set the model, from the next step on",
		"set_web_search":     "turn the web search of the provider on or off in this session",
		"set_budget":         "change the limits of turns or of the session",
		"run_shell":          "run a command of the user, without approval; with `join` the model gets its output",
		"list_permissions":   "request `permissions`",
		"explain_permission": "request `explained` for a command",
		"remove_permission":  "remove a standing permission or a rule",
		"list_delegates":     "request `delegates`",
		"start_delegate":     "start a delegate in the background",
		"steer_delegate":     "send a message to a running delegate",
		"stop_delegate":      "stop a delegate",
		"detach_delegate":    "let a delegate continue in the background",
		"watch_delegate":     "request the events of a delegate; 0 stops them",
		"plan_undo":          "request an `undo_plan`",
		"apply_undo":         "perform an undo as planned",
		"list_changes":       "request `changes`",
		"undo_changes":       "undo some hunks of `changes`",
	}
)
