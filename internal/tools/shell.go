package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"agent/internal/llm/phrase"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
)

//go:embed shell.md
var shellText string

const (
	maxTimeout = 600       // seconds
	maxCommand = 100 << 10 // bytes; the system takes little more
	maxTitle   = 120       // characters
)

type shellArgs struct {
	Command string `json:"command" jsonschema:"what to run, as one would type it; it may have several lines"`
	Timeout int    `json:"timeout_seconds,omitempty" jsonschema:"time limit in seconds, from 1 to 600; 120 if it is not given"`
	Quiet   int    `json:"quiet_seconds,omitempty" jsonschema:"limit in seconds for the time without any output, from 1 to 600; none if it is not given"`
	AtLimit string `json:"at_limit,omitempty" jsonschema:"what happens at a limit: background (the command goes on as a job; the default) or end"`
}

// Commands is how shell commands run in a workspace: those of the model, those
// that the user types, and checks.
type Commands struct {
	Workspace *workspace.Workspace
	// Limits are exceptions to the rules of shell.Scrub: which environment variables
	// commands get or not.
	Limits shell.Limits
}

// Tools returns the tool that runs a command and, where jobs is not nil, the one
// for commands in the background. They share the directory that the last command
// has moved to, so each agent gets its own.
func (c Commands) Tools(jobs *Jobs) []Tool {
	s := &shellTool{Commands: c, jobs: jobs, at: "."}
	tools := []Tool{New("shell", shellText, s.prepare)}
	if jobs != nil {
		tools = append(tools, New("jobs", jobsText, s.prepareJob))
	}
	return tools
}

// Typed returns what prepares the commands that the user types: they run as
// the model's do, but a directory that one moves to is theirs alone. What the
// model is not told of cannot go on as a job, which it would get to know: it
// ends at the longest limit.
func (c Commands) Typed(jobs *Jobs) func(line string, told bool) (Call, error) {
	s := &shellTool{Commands: c, jobs: jobs, at: "."}
	return func(line string, told bool) (Call, error) {
		a := shellArgs{Command: line}
		if !told {
			a.Timeout, a.AtLimit = maxTimeout, "end"
		}
		return s.prepare(context.Background(), a)
	}
}

// command returns a command with the environment that every command gets.
func (c Commands) command(line, dir string) shell.Command {
	return shell.Command{Line: line, Dir: dir, Env: os.Environ(), Limits: c.Limits}
}

type shellTool struct {
	Commands
	jobs *Jobs // nil where nothing runs in the background

	mu sync.Mutex
	at string // where the next command runs, relative to the workspace
}

func (s *shellTool) prepare(_ context.Context, a shellArgs) (Call, error) {
	if err := a.check(); err != nil {
		return Call{}, err
	}
	at := s.where()
	return Call{
		Title:   "shell " + oneLine(a.Command),
		Effect:  Execute,
		Targets: []Target{{Kind: Command, Value: a.Command, Dir: at.dir}},
		Run:     func(ctx context.Context, ok Approved) (Result, error) { return s.run(ctx, a, at, ok) },
	}, nil
}

// check returns what is wrong with the arguments.
func (a *shellArgs) check() error {
	if a.Timeout == 0 {
		a.Timeout = int(shell.DefaultLimit / time.Second)
	}
	switch {
	case a.Timeout < 1 || a.Timeout > maxTimeout:
		return fmt.Errorf("timeout_seconds is %d: it must be from 1 to %d", a.Timeout, maxTimeout)
	case a.Quiet < 0 || a.Quiet > maxTimeout:
		return fmt.Errorf("quiet_seconds is %d: it must be from 1 to %d", a.Quiet, maxTimeout)
	case a.AtLimit != "" && a.AtLimit != "background" && a.AtLimit != "end":
		return fmt.Errorf("at_limit is %q: it must be background or end", a.AtLimit)
	}
	return checkCommand(a.Command)
}

// checkCommand returns what keeps a command from being run at all.
func checkCommand(command string) error {
	switch {
	case strings.TrimSpace(command) == "":
		return errors.New("the command is empty: say what to run")
	case strings.ContainsRune(command, 0):
		return errors.New("the command holds a zero byte, which no shell takes: leave it out")
	case len(command) > maxCommand:
		return fmt.Errorf("the command has %d bytes, more than %d: write it to a file and run that", len(command), maxCommand)
	}
	return nil
}

func (s *shellTool) run(ctx context.Context, a shellArgs, at location, ok Approved) (Result, error) {
	lost, err := s.enter(ctx, at)
	if err != nil {
		return Result{}, err
	}
	c := s.command(a.Command, at.dir)
	c.Whole = s.Workspace.OutputFile()
	c.Max, c.Quiet = time.Duration(a.Timeout)*time.Second, time.Duration(a.Quiet)*time.Second
	c.Progress, c.Force = ok.Progress, ok.Force
	r, err := shell.Start(c)
	if err != nil {
		return Result{}, fmt.Errorf("%w. The command did not run", err)
	}
	o := outcome{shellArgs: a, why: r.Watch(ctx), notes: lost}
	if s.jobs != nil && a.AtLimit != "end" && (o.why == shell.TooLong || o.why == shell.TooQuiet) {
		o.job, o.refused = s.jobs.begin(a.Command, func() (*shell.Running, *os.File, error) { return r, nil, nil })
	}
	if o.why != shell.Ended && o.job == nil {
		r.Finish()
	}
	o.Result = r.Result()
	if o.job == nil {
		o.notes += s.moved(o.Dir)
	}
	if o.why == shell.Interrupted {
		return o.result(), ctx.Err()
	}
	return o.result(), nil
}

// location is a directory in which a command is approved to run.
type location struct {
	dir  string      // absolute
	info os.FileInfo // what it was then; nil if that is not known
	gone string      // the directory that was lost, in whose place this is; empty for none
}

// where returns the directory in which the next command runs: that in which the
// last one ended, or the workspace if that is gone.
func (s *shellTool) where() location {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(s.Workspace.Dir(), filepath.FromSlash(s.at))
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return location{dir: dir, info: info}
	}
	at := location{dir: s.Workspace.Dir()}
	at.info, _ = os.Stat(s.Workspace.Dir())
	if s.at != "." {
		at.gone = s.at
	}
	return at
}

// enter checks that a command can run in the directory that was approved, and
// returns a note for the model if that is not where the last one ended. A
// directory that is replaced after this, before the command has started, is not
// noticed.
func (s *shellTool) enter(ctx context.Context, at location) (note string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	info, err := os.Stat(at.dir)
	switch {
	case err != nil && at.info == nil: // it never was there, as the start of the command will say
		return "", nil
	case err != nil || !info.IsDir():
		return "", fmt.Errorf("the directory %s is gone since this command was approved. It did not run: call it again, and it will run in %s", at.dir, s.Workspace.Dir())
	case at.info == nil || !os.SameFile(info, at.info):
		return "", fmt.Errorf("the directory %s is another one than when this command was approved. It did not run: look at what has changed, and call it again if it is still wanted", at.dir)
	case at.gone == "":
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = "."
	return fmt.Sprintf("[the directory %s is gone, so this ran in %s]\n", at.gone, s.Workspace.Dir()), nil
}

// moved takes note of the directory that a command ended in, "" if it is not
// known, and tells the model if it is another than before.
func (s *shellTool) moved(to string) (note string) {
	if to == "" {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.at
	rel, ok := s.Workspace.Inside(to)
	if !ok {
		s.at = "."
		return fmt.Sprintf("[it ended in %s, outside the working directory: the next command runs in %s again]\n", to, s.Workspace.Dir())
	}
	if s.at = rel; rel == before {
		return ""
	}
	return fmt.Sprintf("[working directory is now %s]\n", rel)
}

// outcome is what a command came to, and what it was asked to.
type outcome struct {
	shell.Result
	shellArgs
	why     shell.Reason // for not waiting any longer
	job     *job         // that it goes on as; nil if it has ended
	refused error        // why it does not
	notes   string       // lines for the model
}

// result says what a command came to. What is not its output stands in brackets
// below it, how it ended last.
func (o outcome) result() Result {
	lines := "no output"
	if o.Lines > 0 {
		lines = phrase.Count(int(o.Lines), "line")
	}
	how, end := o.end()
	r := Result{
		Text:    ended(o.Output) + wholeNote(o.Result) + leftNote(o.Result) + o.notes + "[" + end + "]\n",
		Summary: how + " · " + lines,
		IsError: o.job == nil && (o.Code != 0 || o.why != shell.Ended),
	}
	if o.job == nil && o.why == shell.Ended && o.Code >= 0 {
		r.ExitCode = &o.Code
	}
	return r
}

// end says how it ended, in a few words for people and in more for the model.
func (o outcome) end() (how, end string) {
	var limit, advice string
	switch o.why {
	case shell.Ended:
		return o.Ended, o.Ended
	case shell.Interrupted:
		return "interrupted", "interrupted after " + seconds(o.Took) + ", and ended"
	case shell.TooLong:
		limit = fmt.Sprintf("still running after %d s", o.Timeout)
		advice = fmt.Sprintf("If it needs longer, set timeout_seconds (up to %d); if it does not end by itself, run it so that it does", maxTimeout)
	case shell.TooQuiet:
		limit = fmt.Sprintf("no output for %d s", o.Quiet)
		advice = "If that is as it should be, leave quiet_seconds out; if it waits for an answer, give it one in the command"
	}
	if o.job != nil {
		return fmt.Sprintf("goes on as job %d", o.job.id),
			fmt.Sprintf("%s; goes on as job %d: use jobs to read its output, or stop it", limit, o.job.id)
	}
	if o.refused != nil {
		advice = "It could not go on in the background: " + o.refused.Error()
	}
	return "stopped after " + seconds(o.Took), limit + ", its limit, and ended. " + advice
}

// wholeNote says where all of an output is, if what the model reads is not all.
func wholeNote(r shell.Result) string {
	if !r.Cut {
		return ""
	}
	return fileNote(r.Whole, r.Lines)
}

func fileNote(w shell.Whole, lines int64) string {
	switch {
	case w.Path == "" && w.Cut == "":
		return ""
	case w.Path == "":
		return fmt.Sprintf("[the whole output is not kept: %s]\n", w.Cut)
	case w.Cut != "":
		return fmt.Sprintf("[the first %d bytes of the output are in %s: read or search them there. The rest is not kept: %s]\n", w.Size, w.Path, w.Cut)
	}
	return fmt.Sprintf("[the whole output, %s, is in %s: read or search it there]\n", phrase.Count(int(lines), "line"), w.Path)
}

// leftNote says what became of the processes that a command has left.
func leftNote(r shell.Result) string {
	switch {
	case r.Lost:
		return "[something that it has started may be running yet: it killed the process that keeps it, or runs as another user]\n"
	case r.Left:
		return "[processes that it had left running were ended with it]\n"
	}
	return ""
}

// ended is text as whole lines.
func ended(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// oneLine is the first line of a command, such that it is one line on any
// screen, and how many lines follow.
func oneLine(command string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(command), "\n")
	title := ""
	room := maxTitle
	for _, r := range strings.TrimSpace(first) {
		if room--; room == 0 {
			title += "…"
			break
		}
		if unicode.IsPrint(r) {
			title += string(r)
			continue
		}
		title += strings.Trim(strconv.QuoteRuneToASCII(r), "'")
	}
	if more {
		title += fmt.Sprintf(" (+%s)", phrase.Count(strings.Count(rest, "\n")+1, "line"))
	}
	return title
}

// seconds is a duration for reading: "120 s", "2.5 s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}
