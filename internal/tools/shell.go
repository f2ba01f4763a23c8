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

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell"
	"agent/internal/tools/shell/pipeline"
	"agent/internal/tools/workspace"
)

//go:embed shell.md
var shellText string

const (
	maxTimeout = 600       // seconds
	maxCommand = 100 << 10 // bytes; systems accept little more
	maxTitle   = 120       // characters
)

type shellArgs struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout_seconds,omitempty" jsonschema:"1 to 600 (default 120)"`
	Quiet   int    `json:"quiet_seconds,omitempty"`
	AtLimit string `json:"at_limit,omitempty" enum:"background,end" jsonschema:"default: background"`
	Access  string `json:"access,omitempty" jsonschema:"asks the user for more: network: WHY, or PATHS TO WRITE: WHY"`
}

// Commands runs shell commands in a workspace: those of the model, those that the
// user types, and checks.
type Commands struct {
	Workspace *workspace.Workspace
	// Limits override the rules of shell.Scrub for environment variables.
	Limits shell.Limits
	// MaxOutput is how many bytes of an output the model gets; 0 selects the default
	// of shell.Command.
	MaxOutput int
	// Filter returns the filter of the file with a complete output; nil for none.
	Filter func() shell.Filter
	// Area defines the sandbox of the model's commands. Nil means that commands run
	// without a sandbox, as checks and the commands that the user types do.
	Area *confine.Area
	// Manual is the manual of the program, which read shows; nil for none.
	Manual Manual
	// Unattended is set if no user can approve the access that a command asks for.
	Unattended bool
	// Gate is that of the session and its delegates; nil for none.
	Gate *Gate
}

// Tools returns the shell tool and, if jobs is not nil, the jobs tool. Both use
// the directory in which the last command ended, so each agent needs its own
// tools.
func (c Commands) Tools(jobs *Jobs) []Tool {
	s := &shellTool{Commands: c, jobs: jobs, dir: "."}
	tools := []Tool{New("shell", shellText, func(ctx context.Context, a shellArgs) (Call, error) {
		if err := checkCopiedCommand(a.Command); err != nil {
			return Call{}, err
		}
		return s.prepare(ctx, a)
	}, s.shellForm())}
	if jobs != nil {
		tools = append(tools, Indirect(New("jobs", jobsText, s.prepareJob, s.jobsForm())))
	}
	return tools
}

// Typed returns a function that prepares commands that the user types. They have
// a current directory of their own. A command whose output the model does not get
// (join is false) never becomes a job, because the model would learn of it; it
// ends at the longest time limit.
func (c Commands) Typed(jobs *Jobs) func(line string, join bool) (Call, error) {
	c.Area = nil
	s := &shellTool{Commands: c, jobs: jobs, dir: "."}
	return func(line string, join bool) (Call, error) {
		a := shellArgs{Command: line}
		if !join {
			a.Timeout, a.AtLimit = maxTimeout, "end"
		}
		return s.prepare(context.Background(), a)
	}
}

// Command returns a command with the environment that all commands get.
func (c Commands) Command(line, dir string) shell.Command {
	out := shell.Command{Line: line, Dir: dir, Env: os.Environ(), Limits: c.Limits, Keep: c.MaxOutput}
	if c.Filter != nil {
		out.Filter = c.Filter()
	}
	return out
}

type shellTool struct {
	Commands
	jobs *Jobs // nil if there are no background jobs

	mu   sync.Mutex
	dir  string          // directory of the next command, relative to the workspace
	told map[string]bool // the notes of attemptsNote
}

func (s *shellTool) prepare(_ context.Context, a shellArgs) (Call, error) {
	if err := a.check(); err != nil {
		return Call{}, err
	}
	at := s.nextDir()
	request, err := parseAccess(a.Access, at.dir)
	if err != nil {
		return Call{}, err
	}
	return Call{
		Title:   "shell " + oneLine(a.Command),
		Effect:  Execute,
		Targets: []Target{{Kind: Command, Value: a.Command, Dir: at.dir}},
		Instead: insteadOfCommand, Request: request,
		Alone: shell.ChangesDir(a.Command),
		Run:   func(ctx context.Context, ok Approved) (Result, error) { return s.run(ctx, a, at, ok) },
	}, nil
}

const insteadOfCommand = "Use a command that only reads, or the tools read and search. The user leaves the mode to allow other commands"

// check sets defaults and returns an error for invalid arguments.
func (a *shellArgs) check() error {
	if a.Timeout == 0 {
		a.Timeout = int(shell.DefaultLimit / time.Second)
	}
	return checkCommand(a.Command)
}

// checkCommand returns an error for a command that cannot be run.
func checkCommand(command string) error {
	switch {
	case strings.TrimSpace(command) == "":
		return errors.New("the command is empty")
	case strings.ContainsRune(command, 0):
		return errors.New("the command contains a NUL byte")
	case len(command) > maxCommand:
		return advice.Add(fmt.Errorf("the command has %d bytes, more than the limit of %d", len(command), maxCommand), "Write it to a file and run that")
	}
	return nil
}

// checkCopiedCommand returns an error if a command of the model contains a note that
// stands for truncated text.
func checkCopiedCommand(command string) error {
	if note := marker.Copied([]byte(command)); note != "" {
		return copiedError("the command", note)
	}
	return nil
}

func (s *shellTool) run(ctx context.Context, a shellArgs, at location, ok Approved) (Result, error) {
	lost, err := s.checkDir(ctx, at)
	if err != nil {
		return Result{}, err
	}
	c := s.approved(a.Command, at, ok)
	c.Checks = true
	c.Max, c.Quiet = time.Duration(a.Timeout)*time.Second, time.Duration(a.Quiet)*time.Second
	c.Progress, c.Force = ok.Progress, ok.Force
	leave, err := s.Gate.pass(ctx, ok.Access)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	started, err := s.launch(ctx, c, ok)
	if err != nil {
		return Result{}, fmt.Errorf("%w; the command did not run", err)
	}
	if s.jobs.running() { // only jobs are servers; finding them takes milliseconds
		started.ports = started.run.Listeners()
	}
	r := started.run
	o := commandOutcome{shellArgs: a, why: r.Watch(ctx), notes: lost, jobs: s.jobs != nil}
	if s.jobs != nil && a.AtLimit != "end" && (o.why == shell.TooLong || o.why == shell.TooQuiet) {
		o.job, o.notJob = s.jobs.add(a.Command, func() (launched, error) { return started, nil })
	}
	if o.why != shell.Ended && o.job == nil {
		r.Finish()
	}
	o.Result = r.Result()
	if o.job == nil {
		o.undone = started.end()
		o.blocked = started.blocked(o.Output, o.Code)
		if o.blocked == nil && shell.ListsHome(started.guard.Profile(), started.dir, a.Command) {
			o.notes += "[other files of the home directory are hidden from this command]\n"
		}
		o.notes += s.jobs.killNote(a.Command) + s.attemptsNote(started, o) + started.tempNote(a.Command) + s.setDir(o.Dir)
	}
	if o.why == shell.Interrupted {
		return o.result(), ctx.Err()
	}
	return o.result(), nil
}

// location is the directory for which a command was approved.
type location struct {
	dir  string      // absolute
	info os.FileInfo // info at preparation; nil if unknown
	lost string      // the missing directory that this one replaces; empty if none
}

// nextDir returns the directory of the next command: where the last one ended, or
// the workspace if that no longer exists.
func (s *shellTool) nextDir() location {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(s.Workspace.Dir(), filepath.FromSlash(s.dir))
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return location{dir: dir, info: info}
	}
	at := location{dir: s.Workspace.Dir()}
	at.info, _ = os.Stat(s.Workspace.Dir())
	if s.dir != "." {
		at.lost = s.dir
	}
	return at
}

// checkDir checks that at is still the approved directory. It returns a note for
// the model if the last directory is missing. A directory that is replaced
// between this check and the start of the command is not detected.
func (s *shellTool) checkDir(ctx context.Context, at location) (note string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	info, err := os.Stat(at.dir)
	switch {
	case err != nil && at.info == nil: // it never existed; starting the command reports that
		return "", nil
	case err != nil || !info.IsDir():
		return "", advice.Add(fmt.Errorf("the directory %s no longer exists; the command did not run", at.dir), "Call it again to run it in %s", s.Workspace.Dir())
	case at.info == nil || !os.SameFile(info, at.info):
		return "", advice.Add(fmt.Errorf("the directory %s was replaced after the command was approved; the command did not run", at.dir), "Check the directory, and call it again if you still want to run it")
	case at.lost == "":
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir = "."
	return fmt.Sprintf("[the directory %s no longer exists; this ran in %s]\n", at.lost, s.Workspace.Dir()), nil
}

// setDir sets the directory of the next command to to, and returns a note for the
// model if it changed. An empty to means unknown.
func (s *shellTool) setDir(to string) (note string) {
	if to == "" {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.dir
	rel, ok := s.Workspace.Inside(to)
	if !ok {
		s.dir = "."
		return fmt.Sprintf("[ended in %s, outside the working directory; the next command runs in %s]\n", to, s.Workspace.Dir())
	}
	if s.dir = rel; rel == before {
		return ""
	}
	if rel == "." {
		rel = topDir
	}
	return nextDirNote + rel + "]\n"
}

const (
	// nextDirNote begins the note on the directory of the next command.
	nextDirNote = "[the next command runs in "
	// topDir is the directory of the session in that note.
	topDir = "the working directory"
)

// NextDir returns the directory in which the next command runs according to the
// result of a shell call; empty if it does not tell.
func NextDir(result string) string {
	i := strings.LastIndex("\n"+result, "\n"+nextDirNote)
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(result[i+len(nextDirNote):], "\n")
	dir, _ := strings.CutSuffix(line, "]")
	if dir == topDir {
		return "."
	}
	return dir
}

// commandOutcome is the result of a command with its arguments.
type commandOutcome struct {
	shell.Result
	shellArgs
	why    shell.Reason // why Watch returned
	jobs   bool         // the jobs tool exists
	job    *job         // the job that it continues as; nil if it ended
	notJob error        // why it could not become a job
	notes  string       // notes for the model

	undone  []confine.Notice // changes of the command that were undone
	blocked *Blocked
}

// result formats the outcome: the output, then notes in brackets, last how it
// ended.
func (o commandOutcome) result() Result {
	lines := "no output"
	if o.Lines > 0 {
		lines = phrase.Count(int(o.Lines), "line")
	}
	how, end := o.describeEnd()
	r := Result{
		Text: phrase.EndLine(o.Output) + fullOutputNote(o.Result) + processNote(o.Result, o.jobs) + o.notes + undoneNote(o.undone) +
			o.blocked.note() + "[" + end + "]\n",
		Summary: how + " · " + lines + undoneSummary(o.undone),
		IsError: o.job == nil && (o.Code != 0 || o.why != shell.Ended),
	}
	if r.IsError { // a command that succeeded never runs again
		r.Blocked = o.blocked
	}
	for _, n := range o.undone { // they name renamed files
		r.References = append(r.References, n.Text)
	}
	switch {
	case o.job != nil:
		r.Job = o.job.id
		r.References = append(r.References, fullOutputNote(o.Result), end)
	case o.why == shell.Ended && o.Code >= 0:
		r.ExitCode = &o.Code
		if len(o.Codes) == len(pipeline.Parts(o.Command)) {
			r.Codes = o.Codes
		}
		r.Ended = o.Checks
	}
	return r
}

// describeEnd returns how the command ended, briefly for the user and in detail
// for the model.
func (o commandOutcome) describeEnd() (how, end string) {
	var limit, hint string
	switch o.why {
	case shell.Ended:
		end = o.Ended + o.noMatch() + o.failedParts()
		return strings.ReplaceAll(end, ";", ","), end
	case shell.Interrupted:
		return "interrupted", "interrupted after " + seconds(o.Took)
	case shell.TooLong:
		limit = fmt.Sprintf("still running after %d s", o.Timeout)
		hint = fmt.Sprintf("If it needs longer, set timeout_seconds (up to %d); if it never ends, run it so that it does", maxTimeout)
	case shell.TooQuiet:
		limit = fmt.Sprintf("no output for %d s", o.Quiet)
		hint = "If that is expected, omit quiet_seconds; if it waits for input, give the input in the command"
	}
	if o.job != nil {
		return fmt.Sprintf("continues as job %d", o.job.id),
			fmt.Sprintf("%s; continues as job %d. Use jobs to read its output or stop it", limit, o.job.id)
	}
	if o.notJob != nil {
		hint = "It could not continue in the background: " + o.notJob.Error()
	}
	return "stopped after " + seconds(o.Took), limit + ", the limit; stopped. " + hint
}

// noMatch says that the command ended with a search that found nothing; empty if it did not.
func (o commandOutcome) noMatch() string {
	if o.Code == 1 && o.Lines == 0 && pipeline.Searches(o.Command) {
		return ": no match"
	}
	return ""
}

// maxFailed limits how many failed parts of a command the result names.
const maxFailed = 5

// failedParts names the checks of the command that failed, and the other parts of the pipeline with
// which it ended, except for a part whose exit code is certainly that of the command. A part that
// wrote more than the next one read did not fail.
func (o commandOutcome) failedParts() string {
	const sigpipe = 128 + 13
	var failed []string
	reported := map[int]bool{}
	last := pipeline.Final(o.Command)
	for _, e := range o.Checks {
		reported[e.At] = true
		if e.Code != 0 && e.Code != sigpipe && (e.At != last || e.Code != o.Code) {
			failed = append(failed, fmt.Sprintf("; %s: exit %d", phrase.Clip(e.Name, maxTitle), e.Code))
		}
	}
	if parts := pipeline.Parts(o.Command); len(parts) == len(o.Codes) {
		for i, p := range parts[:max(len(parts)-1, 0)] {
			if code := o.Codes[i]; code != 0 && code != sigpipe && !reported[p.At] {
				failed = append(failed, fmt.Sprintf("; %s: exit %d", p.Name, code))
			}
		}
	}
	if more := len(failed) - maxFailed; more > 0 {
		failed = append(failed[:maxFailed], fmt.Sprintf("; %d more failed", more))
	}
	return strings.Join(failed, "")
}

// fullOutputNote returns a note on the file with the complete output, if the
// output was truncated.
func fullOutputNote(r shell.Result) string {
	if !r.Cut {
		return ""
	}
	return outputFileNote(r.Whole, r.Lines)
}

func outputFileNote(w shell.Whole, lines int64) string {
	switch {
	case w.Path == "" && w.Cut == "":
		return ""
	case w.Path == "":
		return fmt.Sprintf("[the complete output was not saved: %s]\n", w.Cut)
	case w.Cut != "":
		return fmt.Sprintf("[the first %d bytes of the output are in %s; use read or search on it. The rest was not saved: %s]\n", w.Size, w.Path, w.Cut)
	}
	return fmt.Sprintf("[the complete output, %s, is in %s; use read or search on it]\n", phrase.Count(int(lines), "line"), w.Path)
}

// processNote returns a note on processes that outlived the command. It names the jobs tool if that
// exists.
func processNote(r shell.Result, jobs bool) string {
	switch {
	case r.Lost:
		return "[processes of the command may still be running: they run as another user, or the command killed its supervisor]\n"
	case r.Left && jobs:
		return "[background processes of the command were stopped with it. Start servers with jobs (action start).]\n"
	case r.Left:
		return "[background processes of the command were stopped with it]\n"
	}
	return ""
}

// oneLine returns the first line of a command, with control characters escaped,
// and the number of further lines.
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

// seconds formats a duration: "120 s", "2.5 s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}
