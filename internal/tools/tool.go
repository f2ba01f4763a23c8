// Package tools holds the tools that act on a workspace, and their contract:
// Prepare checks the arguments and describes the effect without causing it; the
// Run of the returned Call performs it. The loop decides between the two whether
// the call may run. Tools never ask for permission and know nothing of sessions,
// events or the screen. The error of Prepare or Run is text for the model;
// package advice separates from it the part for the user. The error of an ended
// context is returned unchanged. Start reading at Tool.
package tools

import (
	"context"
	"encoding/json"
	"time"

	"agent/internal/elicit"
	"agent/internal/llm"
	"agent/internal/tools/git"
	"agent/internal/tools/intake"
	"agent/internal/tools/shell/checks"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/workspace"
)

// Tool is a function that a model can call.
type Tool interface {
	// Spec returns the name, description and schema that the model gets.
	Spec() llm.ToolSpec
	// Accepts returns how calls of the tool may be written.
	Accepts() intake.Tool
	// Prepare checks args and returns what the call would do. It has no side
	// effects.
	Prepare(ctx context.Context, args json.RawMessage) (Call, error)
}

// Call is a prepared call of a tool.
type Call struct {
	Tool string // the name of the tool; set by the loop
	// Effective is the call of another tool that this one makes in effect; nil if it makes
	// none. Only the tools of Indirect set it.
	Effective *Effective
	// Title is one line for the user that begins with a verb: "edit
	// internal/tui/list.go". It contains untrusted text.
	Title string
	// Effect is the most far-reaching thing that the call can do.
	Effect Effect
	// Targets are the paths, commands and hosts that the policy judges.
	Targets []Target
	// Changes are the files to write, with their content before and after.
	Changes []Change
	// Warnings are shown to the user with the request for approval. Without one, a call
	// with warnings does not run, whatever the permission mode.
	Warnings []string
	// Remarks are shown like Warnings, but do not make an approval necessary.
	Remarks []string
	// Instead tells the model what to do if the permission mode denies the call, in sentences
	// without the last full stop. If it is empty, the model gets general advice.
	Instead string
	// Request is the access that the model asks for; nil if it asks for none. Only commands have
	// one.
	Request *AccessRequest
	// Alone is set if the calls after this one may depend on it, although it only reads: it
	// never runs side by side with them.
	Alone bool
	// Programs is set if the call runs programs that the user configured, which may change
	// files although the call itself does not.
	Programs bool
	// Run performs the call. It first checks that the files to change are still as
	// Prepare saw them. It is called once; only a command that a sandbox has blocked is
	// run again, with another access. When ctx ends, it returns soon, with ctx's error
	// and any output so far.
	Run func(ctx context.Context, ok Approved) (Result, error)
}

// Approved is what the user or a rule approved. It may be less than the Call.
type Approved struct {
	Changes []Change
	// Keep, if not nil, syncs the old contents of Changes to the store for undo. It is
	// called before a file is written in place, which a crash can interrupt.
	Keep func() error
	// Progress, if not nil, shows output to the user while the call runs. It is
	// never called concurrently.
	Progress func(text string)
	// Ask, if not nil, asks the user a question of an MCP server while the call runs, and
	// waits for the answer or the end of ctx, whose error it returns. Without it, no user can
	// answer. It is safe for concurrent use.
	Ask func(ctx context.Context, q elicit.Question) (elicit.Answer, error)
	// Force, if not nil, is closed when the user interrupts a second time: running
	// processes are then killed at once.
	Force <-chan struct{}
	// Script, if not empty, runs in place of the line of a command: the same words, quoted
	// as in the permission check. Environment selects the variables of a command with
	// Access.Private, and of the parts that begin with GitFunction; nil keeps all.
	Script      string
	Environment func(env []string) []string
	Access      Access // of a command
	// Snapshot says which files to keep while a command runs, or a program that the user
	// configured; nil for none.
	Snapshot *snapshot.Order
}

// GitFunction is the first word of the parts of a Script that read the repository
// Access.Git. It runs the other words in an environment of their own, without the
// configuration of the repository.
const GitFunction = "agent_git"

// Access is what a command may reach. The zero value is the usual sandbox, without a
// network.
type Access struct {
	Network bool // the network of the host, not only the loopback interface
	// Permitted is set if a rule or a standing permission gives the network, not the user for
	// this call.
	Permitted bool
	Outside   bool // no sandbox at all
	Private   bool // nobody approved the command: it does not see the home directory
	// HideHome hides the home directory, except for toolchains, from a command that nobody
	// approved. Such a command can change the workspace.
	HideHome bool
	// Strict makes a write fail if the old content cannot be kept: see snapshot.Order.
	Strict bool
	// Repositories lets such a command change git directories: see snapshot.Order.Git.
	Repositories bool
	// NotUndoable is set for a second run in which such a write happens after all.
	NotUndoable bool
	// SystemTemp is set for a command that changes files in the temporary directory of the
	// system: it finds that at /tmp, and not the one of the session.
	SystemTemp bool
	// Write are absolute paths outside the workspace that it may change, too.
	Write []string
	// Protected are the protected paths that the user approved it to change. Absolute.
	Protected []string
	// Show are files with secrets that the user approved it to read, and hidden files that
	// need no approval. Absolute.
	Show []string
	// Hide are files that a command which nobody approved sees as empty. Absolute.
	Hide []string
	// ReadOnly are files and directories that it must not change. Absolute.
	ReadOnly []string
	// Git is the repository that git may read without its configuration. Nil if the
	// command does not run git, or runs it as it is.
	Git *git.Repository
}

// Blocked says that a sandbox probably made a command fail, or that programs outside it
// cannot reach a job. A command that succeeded is not blocked.
type Blocked struct {
	Network bool   // the command tried to use the network, or Port is set
	Address string // to which it tried to connect, with the port; empty if that is not known
	Path    string // the command tried to write to it, or to read it; empty if Network is set
	Read    bool   // the command tried to read Path
	Home    bool   // Path is hidden only because nobody approved the command: see Access.HideHome
	// NotUndoable is why the file at Path cannot be kept for undo, for the user: "it is larger
	// than 64 MB". It is empty if the sandbox does not permit the access at all. If it is
	// set, Path may be empty, because it is not known.
	NotUndoable string
	// Changed are the files that the command changed before, relative to the workspace, or the
	// directories if it changed no files. Nil if they are not known.
	Changed []string
	// Undo undoes all these changes, so that the command can run again. Its error says why nothing
	// was undone, or which files were not. It is nil if nothing was changed or the changes stay; then
	// Stays is why they stay, as a clause for the user.
	Undo  func(ctx context.Context) error
	Stays string
	// Unrecorded is why the changes of the command are not all recorded for undo, for the user; empty
	// if they are.
	Unrecorded string
	// Port is the port on which a job listens. Only commands of the session reach it.
	Port int
	// Restart restarts that job. It is nil if Port is 0; then the call itself runs again.
	Restart *Call
}

// Result is the outcome of a call that ran.
type Result struct {
	Text    string // for the model
	Summary string // a few words for the user: "7 matches in 3 files"
	// References are the parts of Text that name a file, an ID or a time. They can differ
	// between calls that do the same and have the same result.
	References []string
	// Source is the host or server that sent Text, which the model gets as a quotation:
	// see Quote. It is named like the Target of a call to it, and empty for other results.
	// It may be set together with an error that contains text of the source.
	Source string
	// Notes follow Text and are not part of the quotation: they are from the user's hooks.
	Notes   string
	Images  []llm.Image         // for the model, in addition to Text
	IsError bool                // the tool ran and failed, like a command that exits with 1
	Changes []Change            // written files
	Reads   []workspace.Reading // what the model now knows of files
	// ExitCode is the exit code of a finished command. It is nil for other calls,
	// and for a command that was ended by a signal or a limit.
	ExitCode *int
	// Codes are the exit codes of the parts of the pipeline with which a finished command ended; nil
	// if they are unknown.
	Codes []int
	// Ended are the checks in a finished command, as far as they reported their exit codes.
	Ended []checks.Ended
	// Job is the number of the background job that the command became; 0 for none.
	Job int
	// EndsTurn is set if the model has nothing left to do until the user replies. The
	// calls after this one still run.
	EndsTurn bool
	// Checked are the user's checks that ran, after all Changes.
	Checked []Checked
	// Blocked is set if the sandbox probably made a command fail, or makes a job
	// unreachable.
	Blocked *Blocked
}

// Checked is a run of a configured check.
type Checked struct {
	Command string // as it ran
	// ExitCode is nil if the check could not be run or was ended.
	ExitCode *int
	Ended    string // how it ended: "exit 1", "interrupted"
	Output   string // of a check that failed
	Began    time.Time
}

// Effect is the kind of effect that a call can have.
type Effect string

// The effects, from harmless to far-reaching. Calls with effect Read or Delegate, and
// commands that only read, may run in parallel.
const (
	Read     Effect = "read"
	Delegate Effect = "delegate" // starts a delegate, whose own calls are judged one by one
	Write    Effect = "write"    // changes files in the workspace
	Execute  Effect = "execute"  // runs a command with the permissions of the user
	Network  Effect = "network"  // connects to hosts
)

// Target is one thing that a call acts on.
type Target struct {
	Kind  TargetKind `json:"kind"`
	Value string     `json:"value"`
	// Dir is the absolute directory of a Command; empty for other kinds.
	Dir string `json:"dir,omitempty"`
	// Spelled are other names that the model used for a Path, relative to the
	// workspace, with slashes. Unlike Value they may contain symbolic links.
	Spelled []string `json:"-"`
	// Piped is set if a Command gets data on standard input.
	Piped bool `json:"-"`
	// Input are the arguments of an MCP tool as indented JSON; empty for other kinds.
	Input string `json:"-"`
}

// TargetKind is the kind of a Target.
type TargetKind string

// The kinds of target.
const (
	Path    TargetKind = "path"    // relative to the workspace, with slashes: "a/b.go"
	Command TargetKind = "command" // a complete shell command
	Host    TargetKind = "host"    // "example.org"
	MCP     TargetKind = "mcp"     // a tool of an MCP server: "server/tool"
)

// Change is a file before and after a call. Before is nil for a new file, After
// is nil for a removed one.
type Change struct {
	Path   string
	Before []byte
	After  []byte
	// Moved is the other path of a moved file: the new one of a removed file, otherwise
	// the old one. It is empty if the file is not moved.
	Moved string
	// Unlinks is set if the change removes one name of a file with several hard links that are
	// not all known. Undo cannot restore that.
	Unlinks bool
}
