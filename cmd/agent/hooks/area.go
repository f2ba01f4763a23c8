package hooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/cmd/agent/settings"
	"agent/internal/realpath"
)

// plainPrograms are programs that execute nothing which a file names, so that a hook of the
// user which runs only them needs no sandbox. They include builtins of the shell.
var plainPrograms = []string{
	":", "[", "cat", "curl", "cut", "date", "echo", "exit", "false", "head", "jq", "logger", "notify-send", "printenv", "printf", "read",
	"sleep", "tail", "terminal-notifier", "tr", "true", "wc",
	"afplay", "aplay", "canberra-gtk-play", "paplay", "say", "tput",
}

// plainCurl are long options of curl that write no file and read no options.
var plainCurl = []string{"--data", "--data-binary", "--data-raw", "--data-urlencode", "--header", "--request", "--silent", "--show-error", "--location", "--retry", "--connect-timeout", "--compressed", "--fail", "--max-time", "--user", "--url", "--json", "--form"}

// outside reports whether a hook runs outside the sandbox. A hook of the user that does not
// say so does if it runs only plainPrograms and writes to no file of the workspace.
func outside(h settings.Hook, ofUser bool, dir string) bool {
	if h.Sandbox != nil {
		return !*h.Sandbox
	}
	return ofUser && plain(h.Command, dir)
}

// plain reports whether a command runs only plainPrograms from outside the workspace dir, and
// redirects output only to absolute paths outside it.
func plain(line, dir string) bool {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return false
	}
	ok := true
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				ok = ok && plainCall(n, dir)
			}
			ok = ok && !slices.ContainsFunc(n.Assigns, func(a *syntax.Assign) bool {
				return a.Name == nil || a.Index != nil || len(n.Args) > 0 || a.Name.Value == "PATH"
			})
		case *syntax.Redirect:
			ok = ok && plainRedirect(n, dir)
		case *syntax.File, *syntax.Stmt, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst, *syntax.Assign,
			*syntax.BinaryCmd, *syntax.IfClause, *syntax.Block, *syntax.Subshell, *syntax.Comment, nil:
		case *syntax.ParamExp: // arithmetic in it can run commands that are in a value
			ok = ok && n.Index == nil && n.Slice == nil && n.Exp == nil && n.Repl == nil && !n.Excl
		default: // functions, declarations, arithmetic: they can change what a name runs
			ok = false
		}
		return ok
	})
	return ok
}

// plainCall reports whether a call runs one of plainPrograms.
func plainCall(c *syntax.CallExpr, dir string) bool {
	name := c.Args[0].Lit()
	if !slices.Contains(plainPrograms, name) || fromWorkspace(name, dir) {
		return false
	}
	for _, w := range c.Args[1:] {
		switch name {
		case "printf", "[": // with -v they evaluate the name of a variable
			if len(w.Parts) == 0 || strings.HasPrefix(w.Lit(), "-v") {
				return false
			}
		case "curl": // these options name a file with options, or one to write
			text := w.Lit()
			long := strings.HasPrefix(text, "--") && !slices.Contains(plainCurl, text)
			if long || strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.ContainsAny(text, "KOoDcJ") {
				return false
			}
		}
	}
	return true
}

// plainRedirect reports whether a redirection writes to no file of the workspace.
func plainRedirect(r *syntax.Redirect, dir string) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.WordHdoc, syntax.Hdoc, syntax.DashHdoc, syntax.DplIn:
		return true
	case syntax.DplOut:
		return r.Word.Lit() == "1" || r.Word.Lit() == "2"
	}
	path := r.Word.Lit()
	if len(r.Word.Parts) > 0 {
		if p, isVariable := r.Word.Parts[0].(*syntax.ParamExp); isVariable && p.Short && p.Param.Value == "HOME" && len(r.Word.Parts) == 2 {
			if rest, isText := r.Word.Parts[1].(*syntax.Lit); isText {
				path = os.Getenv("HOME") + rest.Value
			}
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(os.Getenv("HOME"), rest)
	}
	return filepath.IsAbs(path) && !within(realpath.Of(dir), realpath.Of(path))
}

// fromWorkspace reports whether the shell could find a program of that name in the workspace.
func fromWorkspace(name, dir string) bool {
	for _, in := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(in) || within(realpath.Of(dir), realpath.Of(in)) {
			return true
		}
	}
	path, err := exec.LookPath(name)
	return err == nil && within(realpath.Of(dir), realpath.Of(path))
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
