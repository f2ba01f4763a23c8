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
	"agent/internal/tui/ink"
)

// ownFile is the File of the items of servers in the user's configuration.
const ownFile = "config.json"

// Own reports whether the server is in the user's configuration.
func (c Configured) Own() bool { return c.File != RepositoryFile }

// review sets what a server of the user's configuration needs to be used in the workspace:
// the confirmation of the files of the repository that it would run.
func (c *Configured) review(set settings.MCPServer, review *trust.Review) {
	if set.Command == "" || set.Literal || c.Off != "" {
		return
	}
	item, needed := ownItem(c.Name, set, review.Dir())
	_, chosen := set.Env["PYTHONSAFEPATH"]
	switch {
	case needed:
		c.Sum = item.Sum()
		if c.Waits = !review.Confirmed(item); c.Waits {
			c.Off = unconfirmed(item, review.Dir())
		}
	case !chosen && trust.ImportsFromDir(c.Command):
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
	words := append([]string{set.Command}, set.Args...)
	shown := strings.Join(words, " ")
	for i := range words {
		words[i] = expanded(words[i])
	}
	var env []string
	for _, variable := range slices.Sorted(maps.Keys(set.Env)) {
		env = append(env, variable+"="+expanded(set.Env[variable]))
	}
	programs, files := trust.Server(instructions.Root(dir), dir, words, env)
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
