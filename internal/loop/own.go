package loop

import "agent/internal/tools"

// own is a tool that an agent gives itself: it acts on the conversation, not on
// the workspace. Its calls know their ids and run one after the other.
type own struct {
	tools.Tool                            // what the model is told of it
	of         func(id string) tools.Tool // the same, for the call of that id
}

func newOwn(of func(id string) tools.Tool) own { return own{of(""), of} }
