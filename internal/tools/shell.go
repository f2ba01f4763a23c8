package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"agent/internal/tools/shell"
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
}

// Shell returns the tool that runs a command in dir.
func Shell(dir string) Tool {
	return New("shell", shellText, func(_ context.Context, a shellArgs) (Call, error) {
		limit, err := a.check()
		if err != nil {
			return Call{}, err
		}
		return Call{
			Title:   shellTitle(a.Command),
			Effect:  Execute,
			Targets: []Target{{Command, a.Command}},
			Run: func(ctx context.Context, ok Approved) (Result, error) {
				c := shell.Command{Line: a.Command, Dir: dir, Env: os.Environ(), Max: limit, Progress: ok.Progress}
				r, err := shell.Run(ctx, c)
				if err != nil && !errors.Is(err, ctx.Err()) {
					return Result{}, fmt.Errorf("%w. The command did not run", err)
				}
				return shellResult(r, limit, err != nil), err
			},
		}, nil
	})
}

// check returns the time limit, or what is wrong with the arguments.
func (a shellArgs) check() (time.Duration, error) {
	switch {
	case strings.TrimSpace(a.Command) == "":
		return 0, errors.New("the command is empty: say what to run")
	case strings.ContainsRune(a.Command, 0):
		return 0, errors.New("the command holds a zero byte, which no shell takes: leave it out")
	case len(a.Command) > maxCommand:
		return 0, fmt.Errorf("the command has %d bytes, more than %d: write it to a file and run that", len(a.Command), maxCommand)
	case a.Timeout == 0:
		return shell.DefaultLimit, nil
	case a.Timeout < 1 || a.Timeout > maxTimeout:
		return 0, fmt.Errorf("timeout_seconds is %d: it must be from 1 to %d", a.Timeout, maxTimeout)
	}
	return time.Duration(a.Timeout) * time.Second, nil
}

// shellTitle is the first line of a command, such that it is one line on any
// screen, and how many lines follow.
func shellTitle(command string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(command), "\n")
	title := "shell "
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
		title += fmt.Sprintf(" (+%s)", plural(strings.Count(rest, "\n")+1, "line"))
	}
	return title
}

// shellResult says what a command came to. What is not its output stands in
// brackets below it, how it ended last.
func shellResult(r shell.Result, limit time.Duration, interrupted bool) Result {
	how, end := r.Ended, r.Ended
	switch {
	case interrupted:
		how = "interrupted"
		end = "interrupted after " + seconds(r.Took) + ", and ended"
	case r.Why == shell.TooLong:
		how = "stopped after " + seconds(limit)
		end = fmt.Sprintf("still running after %s, its time limit, and ended. If it needs longer, set timeout_seconds (up to %d); if it does not end by itself, run it so that it does", seconds(limit), maxTimeout)
	}
	text, lines := r.Output, "no output"
	if r.Lines > 0 {
		lines = plural(int(r.Lines), "line")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if r.Left {
		text += "[processes that it had left running were ended with it]\n"
	}
	return Result{
		Text:    text + "[" + end + "]\n",
		Summary: how + " · " + lines,
		IsError: r.Code != 0 || r.Why == shell.TooLong || interrupted,
	}
}

// seconds is a duration for reading: "120 s", "2.5 s".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}
