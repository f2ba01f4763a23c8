package slash

// Prefix is a prefix of the prompt with a special meaning.
type Prefix struct {
	Typed, What string
	Screen      bool // not available in plain mode
}

// Prefixes returns the special prefixes of a prompt.
func Prefixes() []Prefix {
	return []Prefix{
		{Typed: "/", What: "list commands as you type", Screen: true},
		{Typed: "@", What: "list files as you type: @tuied finds internal/tui/editor.go", Screen: true},
		{Typed: "@agent:NAME TASK", What: "start the agent in the background, also during a turn; /agents lists the agents"},
		{Typed: "!COMMAND", What: "run a shell command and add its output to the conversation"},
		{Typed: "!!COMMAND", What: "run a shell command without telling the model"},
	}
}
