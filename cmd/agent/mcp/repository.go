package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/loop/instructions"
	"agent/internal/tools/mcp"
)

// RepositoryFile is the file with the servers of a repository, relative to its root, in the
// format of Claude Code (https://code.claude.com/docs/en/mcp).
const RepositoryFile = ".mcp.json"

// Configured is a server and where it is configured.
type Configured struct {
	mcp.Server
	File string // for display
	// Waits is set for a server that the user has not confirmed: one of the repository, or one
	// of the user's configuration that would run files of the repository.
	Waits bool
	// Sum identifies the content that the user confirms; empty if no confirmation is needed.
	Sum string
}

// All returns the servers of the user's configuration, and then those of the repository,
// each sorted by name. File is the user's configuration file, for display. A server of the
// repository with the name of one of the user is left out. An error says why the file of
// the repository, or a part of it, is not used.
func All(set settings.MCP, file string, from Source) (all []Configured, err error) {
	for _, s := range Servers(set, from) {
		c := Configured{Server: s, File: file}
		if from.Trust != nil {
			c.review(set.Servers[s.Name], from.Trust)
		}
		all = append(all, c)
	}
	if from.Trust == nil {
		return all, nil
	}
	theirs, err := readRepository(from.Trust.Dir())
	for _, t := range theirs {
		if _, ok := set.Servers[t.name]; ok {
			continue
		}
		from.Dir = t.dir
		c := Configured{Server: server(t.name, t.settings, from), File: RepositoryFile, Waits: !from.Trust.Confirmed(t.item), Sum: t.item.Sum()}
		if c.Waits {
			c.Off = "you have not confirmed it. To confirm it: agent trust confirm mcp " + t.name
		}
		c.Check = func() error { return t.check(from.Trust) }
		all = append(all, c)
	}
	return all, err
}

// check returns an error if the server is not confirmed any more with the configuration and
// the files that the repository has now.
func (e entry) check(review *trust.Review) error {
	now, _ := readRepository(review.Dir())
	for _, n := range now {
		if n.name == e.name && n.item.Sum() == e.item.Sum() && review.Confirmed(n.item) {
			return nil
		}
	}
	return fmt.Errorf("it has changed since you confirmed it. To use it in a new session: agent trust confirm mcp %s", e.name)
}

// Items returns the trust.Source of the servers of a repository, and of those in the user's
// configuration that would run files of the repository.
func Items(set settings.MCP) trust.Source {
	return func(dir string) (all []trust.Item, err error) {
		for _, name := range slices.Sorted(maps.Keys(set.Servers)) {
			if item, ok := ownItem(name, set.Servers[name], dir); ok {
				all = append(all, item)
			}
		}
		own := len(all)
		theirs, err := readRepository(dir)
		for _, t := range theirs {
			if !slices.ContainsFunc(all[:own], func(i trust.Item) bool { return i.Name == t.name }) {
				all = append(all, t.item)
			}
		}
		return all, err
	}
}

// entry is a server of a repository.
type entry struct {
	name, dir string // in which it starts
	settings  settings.MCPServer
	item      trust.Item
}

// repositoryServer is the format of a server in the file. Fields of other programs are
// ignored.
type repositoryServer struct {
	Type    string            `json:"type"` // stdio, http or sse
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// readRepository returns the servers in the file of the repository of dir, sorted by name.
func readRepository(dir string) (all []entry, err error) {
	root := instructions.Root(dir)
	text, err := trust.ReadFile(root, RepositoryFile)
	if err != nil || text == "" {
		return nil, err
	}
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, fmt.Errorf("%s of this repository is not used: %w", RepositoryFile, err)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		e, problem := newEntry(root, name, file.Servers[name])
		if problem == nil && seen[e.name] {
			problem = fmt.Errorf("another server also has the name %s", e.name)
		}
		if problem != nil {
			err = fmt.Errorf("the MCP server %q in %s of this repository is not used: %w", name, RepositoryFile, problem)
			continue
		}
		seen[e.name] = true
		all = append(all, e)
	}
	return all, err
}

// newEntry returns the server with that name and configuration.
func newEntry(root, name string, raw json.RawMessage) (entry, error) {
	var s repositoryServer
	if err := json.Unmarshal(raw, &s); err != nil {
		return entry{}, err
	}
	e := entry{name: serverName(name), dir: resolve(s.Cwd, root), settings: settings.MCPServer{Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers}}
	switch {
	case e.name == "":
		return entry{}, fmt.Errorf("its name has no letter or digit")
	case s.Type == "sse":
		e.settings.Transport = "sse"
	case s.Type != "" && s.Type != "stdio" && s.Type != "http" && s.Type != "streamable-http":
		return entry{}, fmt.Errorf("its type is %q: use stdio, http or sse", s.Type)
	}
	if err := e.settings.Check(); err != nil {
		return entry{}, err
	}
	content, files, err := content(root, e.dir, e.settings, raw)
	e.item = trust.Item{Kind: trust.MCP, Name: e.name, File: RepositoryFile, Content: content, Files: files}
	return e, err
}

// content returns what the user has to confirm: the configuration as it is in the file, the
// variables whose values are inserted, and the files of the repository that the command, which runs
// in dir, and its environment name, whose paths it returns too. It contains no value of a variable.
func content(root, dir string, s settings.MCPServer, raw json.RawMessage) (text string, files []string, err error) {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return "", nil, err
	}
	used, err := json.Marshal(s) // in raw, escapes such as \u0024 can hide a variable
	if err != nil {
		return "", nil, err
	}
	var names []string
	for _, m := range variable.FindAllSubmatch(used, -1) {
		if name := string(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		to := "passed to the program"
		if s.URL != "" {
			to = "sent to the server"
		}
		fmt.Fprintf(&out, "\n\nValues of your environment, %s: %s", to, strings.Join(names, ", "))
	}
	words := []string{s.Command}
	for _, w := range s.Args {
		words = append(words, filepath.FromSlash(w))
	}
	commands := []string{strings.Join(words, "\n")}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		commands = append(commands, name+"="+s.Env[name])
	}
	programs, files := trust.Commands(root, dir, commands...)
	return out.String() + "\n" + programs, files, nil
}

// notInServer matches what cannot be in the name of a server.
var notInServer = regexp.MustCompile(`[^a-z0-9]+`)

// serverName returns a name in the form that names of servers have: see settings.MCP. It
// is empty if there is none.
func serverName(name string) string {
	name = strings.ToLower(name)
	return strings.Trim(notInServer.ReplaceAllStringFunc(name, func(s string) string {
		if s == "_" {
			return s
		}
		return "-"
	}), "-_")
}
