package loop

import (
	"agent/internal/loop/delegate"
	"agent/internal/tools"
)

// SessionTools returns the tools that NewAgent adds to Options.Tools. They can run
// only in a session; here they describe themselves.
func SessionTools() []tools.Tool {
	return []tools.Tool{newTodo(nil, nil), newAsk(nil, nil), newPresentPlan(planner{}), delegate.NewPool(delegate.Options{}).Tool()}
}
