package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
	"agent/internal/tools/shell"
)

func (s *shellTool) shellForm() intake.Form {
	return intake.Form{
		Names: []string{"bash", "sh", "run_shell_command", "exec_command", "execute_command", "shell_command", "local_shell", "container.exec",
			"run_command", "run_terminal_cmd", "run_terminal_command", "run_in_terminal", "execute_bash", "run_bash", "terminal"},
		Aliases: map[string][]string{"command": {"cmd", "command_line", "script"}, "timeout_seconds": {"timeout_secs", "timeout_sec"}},
		Ranges:  map[string]intake.Range{"timeout_seconds": {Min: 1, Max: maxTimeout}, "quiet_seconds": {Max: maxTimeout}},
		Harmless: []string{
			"justification", "dangerously_disable_sandbox", "with_escalated_permissions", "sandbox_permissions", "prefix_rule", "requires_approval", "required_permissions",
			"yield_time_ms", "max_output_tokens", "login", "tty=false", "is_input=false", "background=false", "restart=false",
			"shell=bash", "shell=/bin/bash", "shell=sh", "shell=/bin/sh",
		},
		Unoffered: s.unoffered(),
		Rewrite:   s.rewriteCommand,
	}
}

// unoffered returns the argument access if no user can approve a request.
func (c Commands) unoffered() []string {
	if c.Unattended {
		return []string{"access"}
	}
	return nil
}

func (s *shellTool) jobsForm() intake.Form {
	return intake.Form{
		Unoffered: s.unoffered(),
		Aliases:   map[string][]string{"command": {"cmd"}, "id": {"job_id", "job"}, "input": {"text"}, "wait_seconds": {"wait"}},
		Ranges:    map[string]intake.Range{"wait_seconds": {Max: maxWait}},
		Values: map[string]map[string]string{"action": {
			"run": "start", "wait": "read", "output": "read", "status": "read", "poll": "read", "logs": "read",
			"write": "send", "input": "send", "kill": "stop", "terminate": "stop", "cancel": "stop",
		}},
		Rewrite: rewriteJob,
	}
}

// rewriteJob adds the action that the other arguments imply, and takes the number from
// an ID such as "job 2".
func rewriteJob(a *intake.Args) error {
	switch {
	case a.Has("action"):
	case a.Has("command"):
		a.Set("action", "start")
	case a.Has("input"):
		a.Set("action", "send")
	case a.Has("id"):
		a.Set("action", "read")
	}
	if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(a.Text("id"), "job"))); err == nil {
		a.Set("id", n)
	}
	rewriteDuration(a, "wait_seconds", "wait_seconds")
	noteMaximum(a, "wait_seconds", maxWait)
	rewriteAccess(a)
	return rewriteWords(a)
}

// rewriteCommand translates commands as other assistants write them.
func (s *shellTool) rewriteCommand(a *intake.Args) error {
	for _, name := range []string{"run_in_background", "is_background", "background"} {
		if v, _ := a.Bool(name); v {
			return advice.Add(errors.New("shell cannot start a command in the background"), `Call jobs with {"action": "start", "command": …}`)
		}
	}
	if isPatch, err := s.rewritePatch(a); isPatch || err != nil {
		return err
	}
	if err := rewriteWords(a); err != nil {
		return err
	}
	rewriteTimeout(a)
	rewriteAccess(a)
	return s.rewriteDir(a)
}

// rewritePatch makes a command that applies a patch a call of the patch tool, whose
// paths are relative to the workspace.
func (s *shellTool) rewritePatch(a *intake.Args) (isPatch bool, err error) {
	patch, ok := hereDocument(a.Text("command"))
	if words := a.List("command"); len(words) > 1 {
		last := text(words[len(words)-1])
		if patch, ok = hereDocument(last); len(words) == 2 && text(words[0]) == "apply_patch" {
			patch, ok = last, true
		}
	}
	if !ok || !a.Route("patch") {
		return false, nil
	}
	root, current := s.dirs()
	name, _, dir := s.namedDir(a)
	if name == "" {
		dir = current
	}
	if dir != root {
		return true, advice.Add(errors.New("the patch is for another directory than the working directory"), "Call apply_patch, with paths relative to the working directory")
	}
	a.Remove("command", "timeout", "timeout_ms")
	a.Set("patch", patch)
	if name != "" {
		a.Ignore(name)
	}
	return true, nil
}

// rewriteWords joins a command of several words into one line. The script of
// ["bash", "-lc", SCRIPT] is the line.
func rewriteWords(a *intake.Args) error {
	if v := a.Value("command"); len(v) == 0 || v[0] != '[' && !strings.HasPrefix(text(v), `["`) {
		return nil
	}
	var words []string
	for _, w := range a.List("command") {
		if len(w) == 0 || w[0] != '"' {
			return errors.New("command must be a string or a list of strings")
		}
		words = append(words, text(w))
	}
	shells := []string{"bash", "sh", "zsh"}
	switch {
	case len(words) == 0:
		return nil
	case len(words) == 1:
		a.Set("command", words[0])
	case len(words) == 3 && slices.Contains(shells, path.Base(words[0])) && slices.Contains([]string{"-c", "-lc", "-cl"}, words[1]):
		a.Set("command", words[2])
	default:
		for i, w := range words {
			if slices.Contains([]string{"&&", "||", ";", "|", "&", ">", ">>", "<", "2>", "2>&1"}, w) {
				return advice.Add(fmt.Errorf("the words of command hold %s, which a shell would not see as an operator", w), "Send the command as one string")
			}
			if !plainWord.MatchString(w) {
				words[i] = shell.Quote(w)
			}
		}
		a.Set("command", strings.Join(words, " "))
	}
	return nil
}

// plainWord matches words that mean themselves in a command.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:,+@%=-]+$`)

func text(value json.RawMessage) string {
	var s string
	_ = json.Unmarshal(value, &s) // not a string: ""
	return s
}

// rewriteTimeout turns a timeout into seconds, and notes what the result must tell the model
// about it. A number without a unit means seconds, unless it is above maxTimeout and a
// multiple of 1,000: then it means milliseconds.
func rewriteTimeout(a *intake.Args) {
	rewriteDuration(a, "quiet_seconds", "quiet_seconds")
	for _, name := range append([]string{"timeout_seconds"}, timeoutNames...) {
		rewriteDuration(a, name, "timeout_seconds")
	}
	noteMaximum(a, "timeout_seconds", maxTimeout)
	noteMaximum(a, "quiet_seconds", maxTimeout)
	for _, name := range timeoutNames {
		n, ok := a.Int(name)
		if !ok || a.Has("timeout_seconds") {
			continue
		}
		sent, unit := n, "seconds"
		if n > 0 && (name != "timeout" || n > maxTimeout && n%1000 == 0) {
			n, unit = (n-1)/1000+1, "milliseconds"
		}
		a.Remove(name)
		a.Set("timeout_seconds", n)
		limit := fmt.Sprintf("%d s", min(n, maxTimeout))
		if n > maxTimeout {
			limit += ", the maximum"
		}
		if sent > maxTimeout && (name == "timeout" || n > maxTimeout) {
			a.Note(fmt.Sprintf("%s %d means %s: the time limit is %s", name, sent, unit, limit))
		}
	}
}

// timeoutNames are other names of timeout_seconds, whose value may be milliseconds.
var timeoutNames = []string{"timeout_ms", "timeout_millis", "timeout_milliseconds", "timeout"}

// rewriteDuration rounds the number of an argument up to a whole one, and makes text with a
// unit, such as "10m", the value of to, in seconds.
func rewriteDuration(a *intake.Args, name, to string) {
	value := a.Text(name)
	if value == "" {
		value = string(a.Value(name))
	}
	if n, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
		if n != math.Trunc(n) && math.Abs(n) < math.MaxInt32 {
			a.Set(name, int(math.Ceil(n)))
		}
		return
	}
	d, err := time.ParseDuration(unitWord.ReplaceAllStringFunc(strings.ToLower(value), unit))
	if err != nil || name != to && a.Has(to) {
		return
	}
	a.Remove(name)
	a.Set(to, int(math.Ceil(d.Seconds())))
}

// unitWord matches the units of durations, with the space around them.
var unitWord = regexp.MustCompile(`\s*[a-z]+\s*`)

// unit returns the unit that time.ParseDuration reads for a word.
func unit(word string) string {
	word = strings.TrimSpace(word)
	switch {
	case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "mill"):
		return "ms"
	case slices.Contains([]string{"sec", "secs", "second", "seconds"}, word):
		return "s"
	case slices.Contains([]string{"min", "mins", "minute", "minutes"}, word):
		return "m"
	case slices.Contains([]string{"hour", "hours"}, word):
		return "h"
	}
	return word
}

// noteMaximum notes that an argument in seconds is above its maximum, which replaces it.
func noteMaximum(a *intake.Args, name string, maximum int) {
	if n, ok := a.Int(name); ok && n > maximum {
		a.Note(fmt.Sprintf("%s %d is above the maximum: %d s were used", name, n, maximum))
	}
}

// rewriteDir runs the command in the directory that the model named. The next command
// runs in the current directory again.
func (s *shellTool) rewriteDir(a *intake.Args) error {
	name, dir, to := s.namedDir(a)
	root, current := s.dirs()
	switch {
	case name == "":
		return nil
	case to == current, strings.TrimSpace(a.Text("command")) == "":
		a.Ignore(name)
		return nil
	case runtime.GOOS == "windows":
		return errors.New("shell takes no directory; begin the command with cd")
	case current != root && !filepath.IsAbs(filepath.FromSlash(dir)):
		return advice.Add(fmt.Errorf("%s %s can mean two directories, because the shell is in %s", name, dir, relativeTo(filepath.ToSlash(root), filepath.ToSlash(current))), "Send an absolute path")
	}
	a.Remove(name)
	a.Set("command", inDir(dir, a.Text("command")))
	return nil
}

// namedDir returns the argument that names a directory, the directory as sent, and
// as an absolute path. They are empty if there is none.
func (s *shellTool) namedDir(a *intake.Args) (name, sent, dir string) {
	for _, name := range []string{"workdir", "working_dir", "working_directory", "cwd", "directory", "dir_path"} {
		sent := a.Text(name)
		if sent == "" {
			continue
		}
		if dir = filepath.FromSlash(sent); !filepath.IsAbs(dir) {
			root, _ := s.dirs()
			dir = filepath.Join(root, dir)
		}
		return name, sent, filepath.Clean(dir)
	}
	return "", "", ""
}

// inDir returns a command that runs in a subshell in dir.
func inDir(dir, command string) string {
	if !plainWord.MatchString(dir) || strings.HasPrefix(dir, "-") {
		dir = "-- " + shell.Quote(dir)
	}
	if strings.ContainsAny(command, ";&|\n#<") {
		return "(cd " + dir + " || exit\n" + command + "\n)"
	}
	return "(cd " + dir + " && " + command + ")"
}

// dirs returns the directory of the workspace, and that of the next command.
func (s *shellTool) dirs() (root, current string) {
	if s.Workspace == nil { // calls are only read
		root, _ = os.Getwd()
		return root, root
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	root = s.Workspace.Dir()
	return root, filepath.Join(root, filepath.FromSlash(s.dir))
}
