package slash

// Prefix is what something that one types begins with.
type Prefix struct {
	Typed, What string
	Screen      bool // not where there are only lines
}

// Prefixes are what has a meaning of its own at the beginning of what one types,
// but for the commands.
func Prefixes() []Prefix {
	return []Prefix{
		{Typed: "/", What: "the commands, listed as one types", Screen: true},
		{Typed: "@", What: "files, listed as one types: @tuied finds internal/tui/editor.go", Screen: true},
		{Typed: "!COMMAND", What: "runs it in a shell; the model is told what it says"},
		{Typed: "!!COMMAND", What: "runs it; the model is not told"},
	}
}
