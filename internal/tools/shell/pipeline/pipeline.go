// Package pipeline finds the parts of the pipeline that a shell script runs last, so that each gets
// its own exit code. It runs nothing. Start reading at Last.
package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
	"agent/internal/tools/shell/checks"
)

// Last returns the parts of the pipeline with which a script ends, at least two. It returns nil if
// the script ends with another command, and if the exit codes of the last pipeline that bash ran can
// be those of another one.
func Last(f *syntax.File) []*syntax.Stmt {
	if len(f.Stmts) == 0 {
		return nil
	}
	parts := end(f.Stmts[len(f.Stmts)-1])
	if leavesEarly(f) && slices.ContainsFunc(f.Stmts[:len(f.Stmts)-1], hasPipe) {
		return nil
	}
	return parts
}

// end returns the parts of the pipeline with which a statement ends.
func end(s *syntax.Stmt) []*syntax.Stmt {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	switch {
	case !ok || s.Background || s.Coprocess:
		return nil
	case isPipe(c):
		return append(flat(c.X), flat(c.Y)...)
	case hasPipe(c.X): // it decides whether the rest runs
		return nil
	}
	return end(c.Y)
}

// flat returns the parts of a pipeline, or the statement itself.
func flat(s *syntax.Stmt) []*syntax.Stmt {
	if c, ok := s.Cmd.(*syntax.BinaryCmd); ok && isPipe(c) && !s.Negated {
		return append(flat(c.X), flat(c.Y)...)
	}
	return []*syntax.Stmt{s}
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// hasPipe reports whether a statement contains a pipeline.
func hasPipe(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		c, ok := n.(*syntax.BinaryCmd)
		found = found || ok && isPipe(c)
		return !found
	})
	return found
}

// leavesEarly reports whether a script may end before its last statement.
func leavesEarly(f *syntax.File) bool {
	found := false
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			found = found || slices.Contains([]string{"set", "exit", "exec", "source", ".", "eval"}, c.Args[0].Lit())
		}
		return !found
	})
	return found
}

// Part is a part of a pipeline.
type Part struct {
	Name string // a short name, such as "go test"
	At   int    // offset in the script, in bytes
}

// Parts returns the parts of the pipeline with which a script ends; nil if it ends with another
// command or cannot be parsed.
func Parts(script string) (parts []Part) {
	if !strings.Contains(script, "|") {
		return nil
	}
	line, err := bash.Parse(script)
	if err != nil {
		return nil
	}
	for _, s := range Last(line.File) {
		p := Part{Name: "a part of the pipe", At: int(s.Pos().Offset())}
		if c, ok := s.Cmd.(*syntax.CallExpr); ok {
			p.At = int(c.Pos().Offset())
			p.Name = cmp.Or(checks.Name(checks.Unwrapped(checks.Words(line, c))), p.Name)
		}
		parts = append(parts, p)
	}
	return parts
}

// Final returns the offset of the simple command whose exit code is certainly that of a script if
// both are equal: its last one, or that which ends the script because it failed. It is -1 if there is
// none.
func Final(script string) int {
	line, err := bash.Parse(script)
	if err != nil || len(line.File.Stmts) == 0 || leavesEarly(line.File) {
		return -1
	}
	s := line.File.Stmts[len(line.File.Stmts)-1]
	for !s.Negated && !s.Background {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			return int(c.Pos().Offset())
		case *syntax.BinaryCmd:
			if c.Op == syntax.OrStmt {
				return -1
			}
			s = c.Y
			continue
		}
		break
	}
	return -1
}

// Searches reports whether exit code 1 of a script can only be that of a search such as grep with
// which it ends: the other parts of the script do not decide its exit code.
func Searches(script string) bool {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil || len(f.Stmts) == 0 || leavesEarly(f) {
		return false
	}
	s := f.Stmts[len(f.Stmts)-1]
	for {
		c, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || s.Negated || s.Background {
			break
		}
		if c.Op != syntax.AndStmt && !isPipe(c) || c.Op == syntax.AndStmt && program(c.X) != "cd" {
			return false
		}
		s = c.Y
	}
	return !s.Negated && !s.Background && slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "git grep"}, program(s))
}

// program returns the program of a statement. For git it includes the subcommand.
func program(s *syntax.Stmt) string {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return ""
	}
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = w.Lit()
	}
	if words[0] == "git" {
		return checks.Name(words)
	}
	return words[0][strings.LastIndexByte(words[0], '/')+1:]
}
