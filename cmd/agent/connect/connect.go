// Package connect connects model providers during a session: it tests a key, keeps it where
// the user chooses, and adds the provider to those of the session. It shows nothing itself:
// see slash.Connect. Start reading at Screen.
package connect

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agent/cmd/agent/credentials"
	"agent/cmd/agent/models"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
	"agent/internal/realpath"
	"agent/internal/tui/screen"
)

// The IDs of places for a key.
const (
	inKeyring = "keyring"
	inFile    = "file"
	inSession = "session"
)

// connector implements the functions of screen.Connect.
type connector struct {
	pick    *models.Picker
	set     settings.Settings
	dir     string // the workspace
	cleanup func(func()) (forget func())
}

// Screen returns the functions that connect providers to the sessions of pick, whose
// Connected must be set. set are the settings of the session and dir is its workspace. cleanup is
// that of command.Factory.
func Screen(pick *models.Picker, set settings.Settings, dir string, cleanup func(func()) (forget func())) screen.Connect {
	c := &connector{pick, set, dir, cleanup}
	return screen.Connect{Providers: c.providers, Test: c.test, Places: places, Keep: c.keep}
}

// providers lists the local servers that run, the other providers, the local servers that do
// not run, and the entry for another server.
func (c *connector) providers(ctx context.Context) (all []screen.Provider) {
	statuses, servers := c.pick.Statuses(ctx)
	var idle []screen.Provider
	for _, s := range statuses {
		p := screen.Provider{Name: s.Row.Name, What: s.Row.Offers, URL: wire.Redacted(s.BaseURL), Local: s.Row.Local && s.Here,
			NeedsURL: s.BaseURL == "", URLForm: s.Row.URLForm, Keyless: s.Row.Keyless || s.Row.Local, KeysAt: s.Row.KeysAt}
		if path := c.program(s.Row.Token); path != "" {
			p.Program, p.Command = s.Row.Token[0], strings.Join(append([]string{path}, s.Row.Token[1:]...), " ")
		}
		if len(s.Row.KeyNames) > 0 {
			p.Variable = s.Row.KeyNames[0]
		}
		i := slices.IndexFunc(servers, func(o catalog.Server) bool { return o.Row.Name == s.Row.Name })
		switch {
		case s.Row.Name == "custom" && s.BaseURL == "":
			continue // see Other below
		case p.Local && i >= 0:
			p.Runs, p.What = true, "runs at "+p.URL+" with "+phrase.Count(len(servers[i].Models), "model")
		case p.Local:
			p.What = "local server, start it with: " + s.Row.Start
			idle = append(idle, p)
			continue
		case s.Usable:
			p.Connected, p.Keyed = s.Why, s.Keyed
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b screen.Provider) int { return cmp.Compare(order(a), order(b)) })
	other := screen.Provider{Name: c.pick.FreeName(), What: "any server with an OpenAI-compatible API, by its base URL", Other: true, NeedsURL: true, Keyless: true}
	return append(append(all, other), idle...)
}

// program returns the path of the program of a command, if it is on PATH outside the
// workspace. A path with characters that the shell treats specially does not count.
func (c *connector) program(words []string) string {
	if len(words) == 0 {
		return ""
	}
	path, err := exec.LookPath(words[0])
	if err != nil || !filepath.IsAbs(path) || strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+", r)
	}) {
		return ""
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || realpath.Inside(path, c.dir) || realpath.Inside(real, c.dir) {
		return ""
	}
	return path
}

// order is lower for providers that are listed first.
func order(p screen.Provider) int {
	if p.Runs {
		return 0
	}
	return 1
}

// trial returns what is tested and connected for an attempt.
func trial(a screen.Attempt) models.Trial {
	t := models.Trial{Provider: a.Provider, URL: strings.TrimSpace(a.URL), Key: catalog.Key(a.Key.Reveal()), Where: "typed in /connect"}
	if a.Command != "" {
		t.Where = credentials.CommandPlace(a.Provider, settings.Command{Line: a.Command})
	}
	return t
}

// test implements screen.Connect.
func (c *connector) test(ctx context.Context, a *screen.Attempt) screen.Tested {
	if problem := urlProblem(a.URL); problem != "" {
		return screen.Tested{Broken: true, Problem: problem, Hint: "Write it like http://127.0.0.1:8080/v1."}
	}
	if p, _ := c.set.Changes().Find(a.Provider); a.OnlyURL && (a.Provider != c.pick.FreeName() || len(p.KeyNames) > 0 && c.pick.Environment(p.KeyNames[0]) != "") {
		return screen.Tested{} // a test could send a key
	}
	if a.Command != "" {
		key, err := credentials.FromCommand(ctx, settings.Command{Line: a.Command}, c.cleanup)
		if err != nil {
			return screen.Tested{Broken: true, Problem: err.Error(), Hint: "Run the command in a shell to see why. It has to print the key in its first line."}
		}
		a.Key = screen.Secret(key.Reveal())
	}
	if a.Key != "" {
		key, err := credentials.ParseKey(a.Key.Reveal())
		if err != nil {
			return screen.Tested{Broken: true, Problem: err.Error(), Key: true}
		}
		a.Key = screen.Secret(key.Reveal())
	}
	v, all := c.pick.Verify(ctx, trial(*a))
	t := screen.Tested{Note: v.Note}
	for _, m := range all {
		t.Models = append(t.Models, Model(m))
	}
	if v.Err != nil {
		t.Problem, t.Hint, t.Key = v.Err.Error(), v.Err.Hint, v.Err.Kind == llm.ErrKey && v.Err.Status != 0
	}
	return t
}

// Model returns a model as the screen shows it.
func Model(m models.Model) screen.Model {
	return screen.Model{Name: m.Model, Context: m.Context, Input: m.Input, Output: m.Output, Tools: m.Tools, Images: m.Images, Thinking: m.Thinking, Why: m.Why, Default: m.Default}
}

// urlProblem says why a typed base URL cannot be used; empty if it can or none was typed.
func urlProblem(base string) string {
	base = strings.TrimSpace(base)
	if err := catalog.CheckURL(base); err != nil {
		return err.Error()
	}
	if u, err := url.Parse(base); err == nil && wire.SecretURL(u) {
		return "the base URL holds a password or a key, which the configuration would show"
	}
	return ""
}

// places implements screen.Connect.
func places(screen.Attempt) (all []screen.Place, why string) {
	session := screen.Place{ID: inSession, Name: "Only until you quit", What: "in the memory of this program"}
	err := credentials.ProbeKeyring()
	if err == nil {
		return []screen.Place{{ID: inKeyring, Name: "In the system keyring"}, session}, ""
	}
	why = "The system keyring cannot be used: " + err.Error() + "."
	path, err := credentials.FilePlace()
	if err != nil {
		return []screen.Place{session}, why + " " + err.Error()
	}
	why += "\nThe key can be stored in " + path + ", which is not encrypted. " + strings.ReplaceAll(credentials.FileReaders, "\n", " ") + " So can commands that you type after !, hooks and MCP servers."
	return []screen.Place{{ID: inFile, Name: "In the file", What: "not encrypted; agent logout deletes it"}, session}, why
}

// keep implements screen.Connect.
func (c *connector) keep(a screen.Attempt, place string) (said string, err error) {
	t := trial(a)
	where, err := c.store(a, &t, place)
	if err != nil {
		return "", err
	}
	if a.Command != "" {
		t.Again = func(ctx context.Context) (catalog.Key, error) {
			return credentials.FromCommand(ctx, settings.Command{Line: a.Command}, c.cleanup)
		}
	}
	c.pick.Connect(t)
	said = "Connected " + a.Provider + "."
	if where != "" {
		said += " API key: " + where + "."
	}
	if place == inKeyring || place == inFile {
		said += " To delete it: agent logout " + a.Provider
	}
	if note := c.shadowed(a, place); note != "" {
		said += "\n" + note
	}
	return said, nil
}

// store keeps the base URL and the source of the key, and returns where the key is.
func (c *connector) store(a screen.Attempt, t *models.Trial, place string) (where string, err error) {
	var edits []settings.Edit
	if t.URL != "" {
		edits = append(edits, settings.SetValue(t.URL, "providers", a.Provider, "base_url"))
	}
	if a.Command != "" {
		edits = append(edits, settings.SetValue(a.Command, "providers", a.Provider, "key", "command"))
	}
	if len(edits) > 0 && place != inSession {
		path, err := settings.Path(os.Getenv)
		if err == nil {
			err = settings.Change(path, func(settings.Settings) ([]settings.Edit, error) { return edits, nil })
		}
		if err != nil {
			return "", fmt.Errorf("change the configuration: %w", err)
		}
	}
	switch {
	case a.Command != "":
		return "the output of the command, which is now in the configuration", nil
	case place == inKeyring:
		t.Where = "the system keyring"
		return "stored in the system keyring", credentials.KeepInKeyring(a.Provider, t.Key)
	case place == inFile:
		path, _ := credentials.FilePlace()
		t.Where = "the file " + path
		return "stored in " + path, credentials.KeepInFile(a.Provider, t.Key)
	case a.Key != "":
		return "kept until you quit, then you have to enter it again", nil
	}
	return "", nil
}

// shadowed says what new sessions use in place of the key; empty if they use it.
func (c *connector) shadowed(a screen.Attempt, place string) string {
	if a.Key == "" || place == inSession {
		return ""
	}
	r, _ := c.set.Changes().Find(a.Provider)
	for _, name := range r.KeyNames {
		if c.pick.Environment(name) != "" {
			return "The environment variable " + name + " takes precedence when you start agent again. To use the new key then, unset it."
		}
	}
	if p := c.set.Providers[a.Provider]; a.Command == "" && p.Key != nil && !p.Key.Command.Empty() {
		return "The command in the configuration takes precedence when you start agent again. To use the new key then, delete providers." + a.Provider + ".key.command."
	}
	return ""
}
