package evidence

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
	"agent/internal/tools/shell/checks"
)

// changeDir returns the directory after cd; empty if it is not known.
func changeDir(dir string, words []string) string {
	switch {
	case words[0] != "cd" || len(words) != 2 || words[1] == "" || strings.HasPrefix(words[1], "-") || strings.HasPrefix(words[1], "~"):
		return ""
	case filepath.IsAbs(words[1]):
		return filepath.Clean(words[1])
	case dir == "":
		return ""
	}
	return filepath.Join(dir, words[1])
}

// changesDir reports whether a statement may change the directory of the shell.
func (r *reader) changesDir(n syntax.Node) (yes bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			return false
		case *syntax.FuncDecl:
			yes = true
		case *syntax.CallExpr:
			words := checks.Words(r.line, n)
			yes = yes || len(words) > 0 && slices.Contains([]string{"", "cd", "pushd", "popd", "eval", "source", "."}, words[0])
		}
		return !yes
	})
	return yes
}

// writes reports whether a redirection may write to a file.
func (r *reader) writes(d *syntax.Redirect) bool {
	to := r.line.Redirect(d).Target
	switch d.Op {
	case syntax.RdrIn, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return false
	case syntax.DplOut:
		return to.Kind == bash.Unknown || to.Text != "-" && strings.Trim(to.Text, "0123456789") != ""
	}
	return to.Kind == bash.Unknown || to.Text != "/dev/null"
}

// The values of exits.
const (
	staysIn = iota
	exitsNonzero
	mayExitZero
)

// exits reports whether a statement may end the shell, and how.
func (r *reader) exits(s *syntax.Stmt) int {
	worst := staysIn
	if _, ok := s.Cmd.(*syntax.Subshell); ok {
		return worst
	}
	syntax.Walk(s, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		words := checks.Words(r.line, c)
		if len(words) == 0 {
			return true
		}
		switch words[0] {
		case "exit", "return":
			code := mayExitZero
			if len(words) == 2 && strings.Trim(words[1], "0123456789") == "" && strings.Trim(words[1], "0") != "" {
				code = exitsNonzero
			}
			worst = max(worst, code)
		case "exec":
			worst = mayExitZero
		}
		return true
	})
	return worst
}

// triggersExit reports whether errexit ends the script if s fails.
func triggersExit(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr, *syntax.Subshell:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	}
	return false
}

// fails reports whether a statement always fails.
func fails(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Negated && len(c.Args) == 1 && c.Args[0].Lit() == "false"
}
