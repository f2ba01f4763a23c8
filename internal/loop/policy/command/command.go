package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/bash"
)

// Env gives Judge access to the machine. Functions are required unless they may be nil.
type Env struct {
	// Dir is the absolute directory in which the line starts. Home is that of the user,
	// absolute; empty if it is unknown.
	Dir, Home string
	// LookPath returns the file of a program on the PATH with which the agent
	// started; empty if there is none.
	LookPath func(name string) string
	// Inside reports whether an absolute path is in the workspace, also after its
	// symbolic links are resolved. The path may not exist, and it may contain "..".
	Inside func(path string) bool
	// Readable returns why a command must not read an absolute path without
	// approval; empty if it may. The path may contain "..", which applies after
	// symbolic links are resolved.
	Readable func(path string) string
	// Look returns the kind of file at an absolute path, following symbolic links.
	Look func(path string) Entry
	// Glob returns the files that match a wildcard pattern, relative to dir if the
	// pattern is. See Glob of this package.
	Glob func(dir, pattern string) ([]string, error)
	// Splits reports whether xargs may take a name at or below an absolute path as several
	// words; nil if that is not known. See Splits of this package.
	Splits func(path string, lines bool) bool
	// Git returns a name of the repository that contains an absolute directory, and why
	// git must not read it without approval; empty if it may. The name of no repository
	// is "none". Nil if git always needs approval.
	Git func(dir string) (repository, why string)
	// Temporary reports whether an absolute path is in the temporary directory, to which
	// commands may write; nil if there is none. The path may contain "..".
	Temporary func(path string) bool
	// Piped is set if the line gets data on standard input.
	Piped bool
	// Loopback is set if all commands of the session share a loopback interface that
	// reaches nothing else.
	Loopback bool

	line string // the whole line
}

// Entry is the kind of file at a path.
type Entry int

// The values of Entry.
const (
	Missing Entry = iota
	File
	Directory
	Special // a device, a pipe or a socket
)

// Trait is a set of effects that need the user's attention.
type Trait uint8

// The values of Trait.
const (
	// Destroys is set if the command deletes, overwrites or discards data.
	Destroys Trait = 1 << iota
	// WritesOutside is set if the command writes outside the workspace.
	WritesOutside
	// Connects is set if the command uses the network.
	Connects
	// RunsCode is set if the command runs code or another program that its
	// arguments, files or input name: an interpreter, a shell or a wrapper.
	RunsCode
	// Undetermined is set if the text does not show which program runs. Such a line may have every
	// other trait.
	Undetermined
	// Permanent is set in addition to Destroys if the command destroys something other than
	// files of the workspace, such as commits or processes. Undo cannot restore it.
	Permanent
	// Tries is set in addition to Connects if the command often works without the network.
	Tries
)

// String lists the traits, separated by commas.
func (t Trait) String() string {
	var out []string
	for i, name := range []string{"destructive", "writes outside the workspace", "network", "runs other programs", "unclear", "cannot be undone"} {
		if t&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// Command is a judged command line.
type Command struct {
	Line  string
	Parts []Part // the simple commands, in the order of the text
	// Form says why the line as a whole needs approval: it is not a list of simple
	// commands that && || ; and | join. It is empty if the line is such a list.
	Form string
	// Reads are the absolute paths that the read-only parts open. They may contain
	// "..", which applies after symbolic links are resolved.
	Reads []string
	// Unreadable are the Reads that Env does not allow.
	Unreadable []string
	// Repository is the name of the repository that all parts with Git read, from
	// Env.Git; empty if none of them needs one.
	Repository string
	// Traits are those of all parts.
	Traits Trait
	// Reason says why the command needs approval, as a clause for the user. It is
	// empty if the command is automatic.
	Reason string
}

// Automatic reports whether the command only reads what Env allows, so that it may
// run in every permission mode. Run its Script, not its Line.
func (c *Command) Automatic() bool { return c.Reason == "" }

// Denied returns why permission mode plan denies the command, as a clause for the
// user; empty if the command runs.
func (c *Command) Denied() string {
	if c.Automatic() {
		return ""
	}
	return "plan mode runs only read-only commands: " + c.Reason
}

// Part is a simple command of a line: its text, and what it does as far as that is known.
type Part struct {
	Simple
	Shows Reading // of files, if the part only reads
	// Nested is set for a part inside of a compound command, a substitution or an
	// argument of another program.
	Nested bool
	// Runs are the words of the commands in the arguments of the part, such as those of env
	// and find -exec. With find and fd, {} stands for the name of a file.
	Runs [][]string
	// Unsettled is set if another part may create files that a wildcard of this part matches.
	Unsettled bool
	// Local is set for a part that lacks the trait Connects only because it names a
	// server on this computer, and Env.Loopback is set.
	Local bool
	// Edits is set if the part only writes the output of a program that only reads to Writes,
	// by redirections.
	Edits  bool
	Traits Trait
	// Reads are the paths that a read-only part opens, or one with Edits, Writes those that other parts
	// are known to change. They are absolute.
	Reads, Writes []string
	// Trees are those of the Writes that the part removes, moves or changes with everything
	// below them.
	Trees []string
	// MovesHead is set if the part is a git checkout or switch of a commit or a branch.
	MovesHead bool
	// WritesUnknown is set if the part also writes outside the workspace to a path
	// that is not known.
	WritesUnknown bool
	// Reason says why the part needs approval, as a clause; empty if it only reads.
	Reason string

	dirs     []string // the directories in which the part may run; nil if unknown
	readsGit bool     // the arguments are those of a git command that only reads
	input    input
	urgency  int // how important Reason is
}

// Simple is the text of a simple command.
type Simple struct {
	Operator string          // joins the command to the one before: && || ; | or empty
	Words    []Word          // the program and its arguments
	Argv     []string        // Words with wildcards expanded; nil if a word is unknown
	Assigns  []string        // variable assignments before the program, as written
	Redirs   []bash.Redirect // redirections, in their order
}

// Reading says what a part that only reads shows of files besides its Reads.
type Reading struct {
	// Git is set if the part runs git, also through a wrapper. Run it without the configuration of
	// Command.Repository: see Command.Script.
	Git bool
	// Contents says which contents of files such a part prints.
	Contents Contents
	// Below is set if the part reads the files below the directories among its Reads, as grep -r
	// does.
	Below bool
}

// input describes the standard input of a part.
type input struct {
	piped  bool  // it is a pipe, or data on the standard input of the line
	from   *Part // the part before the pipe; nil if there is none
	intact bool  // xargs does not split the names that from prints
}

// Word is a word of a simple command.
type Word struct {
	bash.Word
	// Matches are the files that a wildcard stands for; empty if no file matches, and
	// bash passes Text.
	Matches []string
}

// Dirs returns the directories in which the part may run; nil if they are not known.
func (p *Part) Dirs() []string { return p.dirs }

// Program returns the name of the program, without its directory.
func (p *Part) Program() string {
	if len(p.Words) == 0 || p.Words[0].Kind != bash.Literal {
		return ""
	}
	return filepath.Base(p.Words[0].Text)
}

// unknown reports whether text is the source of a word of p whose value is not known.
func (p *Part) unknown(text string) bool {
	return slices.ContainsFunc(p.Words, func(w Word) bool { return w.Kind == bash.Unknown && w.Text == text })
}

// needs records why a part needs approval. A more urgent reason replaces the one
// before.
func (p *Part) needs(traits Trait, reason string) {
	p.Traits |= traits
	urgency := 1
	switch {
	case traits&Permanent != 0:
		urgency = 6
	case traits&Destroys != 0:
		urgency = 5
	case traits&WritesOutside != 0:
		urgency = 4
	case traits&Connects != 0:
		urgency = 3
	case traits&(RunsCode|Undetermined) != 0:
		urgency = 2
	}
	if urgency > p.urgency {
		p.Reason, p.urgency = reason, urgency
	}
}

// Judge reads a command line. It asks env about files but changes nothing.
func Judge(line string, env Env) *Command {
	c := &Command{Line: line}
	env.line = line
	r := newReader(env)
	if why := unfit(line); why != "" {
		c.Traits, c.Form, c.Reason = Undetermined, why, why
		return c
	}
	r.line(line, []string{env.Dir})
	findUnsettled(r.parts)
	findIntact(r.parts, env)
	c.Parts, c.Traits, c.Form, c.Reason, c.Repository = r.parts, r.traits, r.reason, r.reason, r.prover.repository
	urgency := r.urgency
	for i := range c.Parts {
		p := &c.Parts[i]
		c.Traits |= p.Traits
		if p.Reason != "" && p.urgency > urgency {
			c.Reason, urgency = p.Reason, p.urgency
		}
		c.Reads = append(c.Reads, p.Reads...)
	}
	slices.Sort(c.Reads)
	c.Reads = slices.Compact(c.Reads)
	for _, path := range c.Reads {
		why := env.Readable(path)
		if why == "" {
			continue
		}
		c.Unreadable = append(c.Unreadable, path)
		if c.Reason == "" {
			c.Reason = fmt.Sprintf("it reads %s: %s", path, why)
		}
	}
	return c
}

// shown returns a word for a sentence, shortened.
func shown(word string) string {
	const most = 60
	if r := []rune(word); len(r) > most {
		word = string(r[:most]) + "…"
	}
	return word
}

// code returns words for a sentence, shortened and in backquotes. The last one may be
// empty.
func code(words ...string) string {
	return "`" + shown(strings.TrimSuffix(strings.Join(words, " "), " ")) + "`"
}
