package loop

import "agent/internal/llm"

// SessionTools returns the specifications of the tools that NewAgent adds to
// Options.Tools. They work only in a session.
func SessionTools() []llm.ToolSpec {
	return []llm.ToolSpec{newTodo(nil).Spec(), newAsk(nil, nil).Spec()}
}
