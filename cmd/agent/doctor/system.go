package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/desktop"
	"agent/internal/scratch"
	"agent/internal/tools/git"
	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
)

func checkVersion(v string) row {
	return row{Name: "agent", Status: ok, Detail: fmt.Sprintf("%s on %s/%s, built with %s", v, runtime.GOOS, runtime.GOARCH, runtime.Version())}
}

// checkSandbox tests the sandbox by running a command in it. Off says that the
// configuration turns it off.
func checkSandbox(off bool) row {
	r := sandbox.Probe()
	out := row{Name: "sandbox", Status: ok, Detail: r.Form.String()}
	if off {
		out.Status, out.Detail = warning, "off in the configuration; this system supports: "+r.Form.String()
		out.Advice = "Approved commands can change all your files and use the network."
		return out
	}
	if r.Form == sandbox.Complete && r.Reason == "" {
		return out
	}
	out.Status = warning
	if r.Reason != "" {
		out.Detail += ": " + r.Reason
	}
	if r.Form == sandbox.None {
		out.Advice = "In every mode, commands that are not read-only need your approval."
	}
	return out
}

// checkName tests whether a shell that looks for the name of this program finds another one.
func checkName(arg0 string) row {
	name := strings.TrimSuffix(filepath.Base(arg0), ".exe")
	out := row{Name: "name", Status: ok, Detail: name}
	own, err := os.Executable()
	if err != nil {
		return out
	}
	out.Detail = own
	found, err := exec.LookPath(name)
	if err != nil {
		return out
	}
	a, errA := os.Stat(own)
	b, errB := os.Stat(found)
	if errA == nil && errB == nil && !os.SameFile(a, b) {
		out.Status = warning
		out.Detail += ", but PATH finds another program of this name: " + found
		out.Advice = "Put the directory of this one first in PATH, or install it under another name: make install NAME=OTHER"
	}
	return out
}

// checkGit tests whether read-only git commands can run without their configuration.
func checkGit(ctx context.Context) row {
	out := row{Name: "git", Status: ok}
	file, err := exec.LookPath("git")
	if err != nil {
		out.Status, out.Detail, out.Advice = warning, "not installed", "Install git: without it, git commands do not work and delegates have no worktrees."
		return out
	}
	out.Detail = firstLine(ctx, file, "--version")
	scratch.Use("") // the state directory may not exist, and stays so
	if err := git.NewReader().Test(); err != nil {
		out.Status, out.Advice = warning, fmt.Sprintf("All git commands need your approval: %v. Install git 2.32 or newer.", err)
	}
	return out
}

func checkShell(ctx context.Context) row {
	out := row{Name: "shell", Status: ok, Detail: shell.Program()}
	if filepath.Base(shell.Program()) != "bash" {
		out.Status, out.Advice = warning, "Install bash: with another shell, every command needs your approval."
		return out
	}
	out.Detail += ", " + firstLine(ctx, shell.Program(), "--version")
	return out
}

// programLimit is the longest time that a program may take to print its version.
const programLimit = 5 * time.Second

// firstLine returns the first line that a program prints.
func firstLine(ctx context.Context, args ...string) string {
	ctx, stop := context.WithTimeout(ctx, programLimit)
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.WaitDelay, cmd.Dir = credentials.Strip(os.Environ()), time.Second, os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return "version unknown: " + err.Error()
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

// checkTerminal describes the terminal and the clipboard.
func checkTerminal(out command.Console) []row {
	var features []string
	if !out.Terminal {
		features = append(features, "standard output is not a terminal")
	}
	features = append(features, "colors: "+colors(colorprofile.Env(os.Environ())))
	if desktop.ASCIIOnly(os.Getenv) {
		features = append(features, "ASCII only, because the locale is not UTF-8")
	}
	t := desktop.DetectTerminal(os.Getenv)
	if t.Tmux {
		features = append(features, "in tmux")
	}
	if t.Progress {
		features = append(features, "shows progress")
	}
	screen := row{Name: "terminal", Status: ok, Detail: strings.Join(features, ", ")}
	if out.Terminal {
		screen.Advice = "To test the keyboard: agent keys"
	}
	copying, pasting := desktop.NewClipboard().Check()
	clip := row{Name: "clipboard", Status: ok, Detail: "copies text and pastes images"}
	switch {
	case copying != nil && pasting != nil:
		clip.Detail, clip.Advice = "copies text only through the terminal", pasting.Error()
	case copying != nil:
		clip.Detail, clip.Advice = "pastes images, but copies text only through the terminal", copying.Error()
	case pasting != nil:
		clip.Detail, clip.Advice = "copies text, but cannot paste images", pasting.Error()
	}
	if clip.Advice != "" {
		clip.Status, clip.Advice = warning, capital(clip.Advice)
	}
	return []row{screen, clip}
}

func colors(p colorprofile.Profile) string {
	switch p {
	case colorprofile.TrueColor:
		return "16 million"
	case colorprofile.ANSI256:
		return "256"
	case colorprofile.ANSI:
		return "16"
	}
	return "none"
}

// capital returns text with a capital letter at its beginning.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func checkKeyring() row {
	out := row{Name: "keyring", Status: ok, Detail: "answers"}
	if err := credentials.CheckKeyring(); err != nil {
		out.Status, out.Detail = warning, err.Error()
		out.Advice = "API keys must come from environment variables or from commands in the configuration, or from a file that is not encrypted: see agent help data."
	}
	switch file, err := credentials.CheckFile(); {
	case err != nil:
		out.Status, out.Detail = warning, out.Detail+"; "+err.Error()
	case file != "":
		out.Detail += "; keys or tokens are in " + file + ", which is not encrypted"
	}
	return out
}
