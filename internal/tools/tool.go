// Package tools holds the tools that act on a workspace, and their contract.
//
// A tool is used in two halves. Prepare checks the arguments and says what
// would happen, without any side effect; the Run it returns does it. Between
// the two stands permission, which tools know nothing of: they never ask, and
// never learn of sessions, events or the screen.
//
// Every error of Prepare and Run is read by the model and says what to do
// next. Only the end of a context is passed on as it is.
package tools

import (
	"context"
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/tools/workspace"
)

// Tool is something a model can call.
type Tool interface {
	// Spec returns what the model is told of the tool.
	Spec() llm.ToolSpec
	// Prepare checks args and says what the call would do. It changes nothing.
	Prepare(ctx context.Context, args json.RawMessage) (Call, error)
}

// Call is one prepared use of a tool.
type Call struct {
	// Title is one line for people that begins with a verb:
	// "edit internal/tui/list.go". It holds untrusted text.
	Title string
	// Effect is the worst that the call can do.
	Effect Effect
	// Targets are what policy judges.
	Targets []Target
	// Changes are the files that would be written, each with its content before
	// and after.
	Changes []Change
	// Warnings are what a person should know before saying yes.
	Warnings []string
	// Run does it, once. It checks again that what it is about to change is
	// still what Prepare saw. When ctx ends it stops soon and returns ctx's error.
	Run func(ctx context.Context, ok Approved) (Result, error)
}

// Approved is what was really said yes to, perhaps less than was asked.
type Approved struct {
	Changes []Change
	// Progress takes output as it comes, for people only. It may be nil, and is
	// called from one goroutine at a time.
	Progress func(text string)
	// Force, if not nil, is closed when the person asks a second time for the
	// call to end: what it runs is killed at once then.
	Force <-chan struct{}
}

// Result is what a call came to.
type Result struct {
	Text    string              // what the model reads
	Summary string              // a few words for people: "7 matches in 3 files"
	Images  []llm.Image         // what the model sees beside Text
	IsError bool                // the tool ran and failed, as a command that exits with 1
	Changes []Change            // the files that were written
	Reads   []workspace.Reading // the files of which the model knows more now
	// ExitCode is the exit code of a command that has ended; nil for other calls,
	// and for one that a signal or a limit ended.
	ExitCode *int
}

// Effect says what a call can do, from harmless to far-reaching.
type Effect string

// The effects of a call. Calls of Read alone may run side by side.
const (
	Read    Effect = "read"
	Write   Effect = "write"   // files in the workspace
	Execute Effect = "execute" // a command: anything that the person can do
	Network Effect = "network" // hosts
)

// Target is one thing that a call acts on.
type Target struct {
	Kind  TargetKind `json:"kind"`
	Value string     `json:"value"`
	// Dir is the absolute directory in which a Command runs; empty for other kinds.
	Dir string `json:"dir,omitempty"`
	// Spelled are other names by which the model called a Path, relative to the
	// workspace, with slashes: Value is free of symbolic links, they may lead
	// through some.
	Spelled []string `json:"-"`
}

// TargetKind is the kind of a Target.
type TargetKind string

// The kinds of target.
const (
	Path    TargetKind = "path"    // relative to the workspace, with slashes: "a/b.go"
	Command TargetKind = "command" // a shell command, whole
	Host    TargetKind = "host"    // "example.org"
)

// Change is a file before and after a call. A nil Before is a file that was
// not there, a nil After one that is removed.
type Change struct {
	Path   string
	Before []byte
	After  []byte
}
