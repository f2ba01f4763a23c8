package mcp

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/loop/instructions"
	"agent/internal/realpath"
	"agent/internal/tui/ink"
)

// ownFile is the File of the items of servers in the user's configuration.
const ownFile = "config.json"

// FromUser reports whether the server is in the user's configuration.
func (c Configured) FromUser() bool { return c.File != RepositoryFile }

// startDir returns the directory in which the program of a server of the user starts, in a
// session that works in dir. It is in the repository only if the user's words lead there: many
// programs look for files in it that decide what they run.
func startDir(set settings.MCPServer, dir string) string {
	switch {
	case set.Command == "" || set.Literal: // an editor chose the workspace
		return dir
	case set.Cwd == "" && !trust.NamesRelativePath(expandedCommand(set)):
		return homeDir()
	}
	return resolve(set.Cwd, dir)
}

// resolve returns the directory that the setting cwd of a server means in dir.
func resolve(cwd, dir string) string {
	cwd = filepath.FromSlash(expand(cwd, os.Getenv, new([]string)))
	rest, inHome := strings.CutPrefix(cwd, "~"+string(filepath.Separator))
	switch {
	case cwd == "~":
		return homeDir()
	case inHome:
		return filepath.Join(homeDir(), rest)
	case filepath.IsAbs(cwd):
		return filepath.Clean(cwd)
	}
	return filepath.Join(dir, cwd)
}

// homeDir returns the user's home directory; the root directory if there is none.
func homeDir() string {
	home, err := os.UserHomeDir()
	if info, statErr := os.Stat(home); err != nil || statErr != nil || !info.IsDir() {
		return string(filepath.Separator)
	}
	return home
}

// expandedCommand returns the program of a server and its arguments.
func expandedCommand(set settings.MCPServer) []string {
	words := []string{expand(set.Command, os.Getenv, new([]string))}
	for _, arg := range set.Args {
		words = append(words, expand(arg, os.Getenv, new([]string)))
	}
	return words
}

// namesDirectory reports whether an argument of a program contains the absolute path of a
// directory.
func namesDirectory(arg string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(arg, func(r rune) bool { return r == '=' || r == ',' }), func(part string) bool {
		info, err := os.Stat(part)
		return filepath.IsAbs(part) && err == nil && info.IsDir()
	})
}

// review sets what a server of the user's configuration needs to be used in the workspace:
// the confirmation of the files of the repository that it would run.
func (c *Configured) review(set settings.MCPServer, review *trust.Review) {
	if set.Command == "" || set.Literal || c.Off != "" {
		return
	}
	item, needed := ownItem(c.Name, set, review.Dir())
	inRepository := realpath.Inside(realpath.Of(c.Dir), realpath.Of(instructions.Root(review.Dir())))
	_, chosen := set.Env["PYTHONSAFEPATH"]
	switch {
	case needed:
		c.Sum = item.Sum()
		if c.Waits = !review.Confirmed(item); c.Waits {
			c.Off = unconfirmed(item, review.Dir())
		}
	case !chosen && inRepository && trust.ImportsFromDir(c.Command):
		c.Env = append(c.Env, "PYTHONSAFEPATH=1") // a module of the repository could replace one that is imported
	}
	c.Check = func() error {
		if now, needed := ownItem(c.Name, set, review.Dir()); needed && !review.Confirmed(now) {
			return errors.New(unconfirmed(now, review.Dir()))
		}
		return nil
	}
}

// ownItem returns what the user has to confirm before a server of their configuration is
// used in dir: its command, and the files of the repository that it would run. It reports
// false if there are none.
func ownItem(name string, set settings.MCPServer, dir string) (item trust.Item, needed bool) {
	if set.Command == "" || set.Disabled {
		return item, false
	}
	expanded := func(text string) string { return expand(text, os.Getenv, new([]string)) }
	shown := strings.Join(append([]string{set.Command}, set.Args...), " ")
	if set.Cwd != "" {
		shown += "\nin " + set.Cwd
	}
	var env []string
	for _, variable := range slices.Sorted(maps.Keys(set.Env)) {
		env = append(env, variable+"="+expanded(set.Env[variable]))
	}
	programs, files := trust.Server(instructions.Root(dir), startDir(set, dir), expandedCommand(set), env)
	item = trust.Item{Kind: trust.MCP, Name: name, File: ownFile, Content: shown + "\n" + programs, Files: files, Offer: true}
	return item, programs != ""
}

// unconfirmed says which files a server would run, and how to confirm them.
func unconfirmed(item trust.Item, dir string) string {
	const most = 3
	root, err := filepath.EvalSymlinks(instructions.Root(dir))
	if err != nil {
		root = dir
	}
	var names []string
	for _, file := range item.Files {
		name, err := filepath.Rel(root, file)
		if name = ink.SanitizeLine(filepath.ToSlash(name)); err == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", more))
	}
	text := strings.TrimSuffix("it would run files of this workspace that you have not confirmed: "+strings.Join(names, ", "), ": ")
	return text + ". To confirm it: agent trust confirm mcp " + item.Name
}
