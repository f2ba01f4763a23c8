package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

// AccessRequest is what a model asks for in a call: access that the sandbox of the command does
// not give. Only the user, a rule or a flag grants it.
type AccessRequest struct {
	Network bool
	Outside bool     // no sandbox at all
	Write   []string // absolute paths that the command may change, as the model named them
	Reason  string   // in the words of the model, on one line; may be empty
}

// Values of the argument access, besides paths.
const (
	networkAccess = "network"
	noSandbox     = "unsandboxed" // what other assistants call escalated permissions
)

// maxReason limits the reason of a request, in bytes.
const maxReason = 300

// parseAccess parses the argument access: "network" or paths, a colon, and the reason. Relative
// paths start at dir. It returns nil for an empty text.
func parseAccess(text, dir string) (*AccessRequest, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	what, reason, _ := strings.Cut(text, ":")
	r := &AccessRequest{Reason: phrase.OneLine(reason, maxReason)}
	for _, word := range strings.FieldsFunc(what, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\n' }) {
		switch word = strings.Trim(word, "`'\""); {
		case strings.EqualFold(word, networkAccess):
			r.Network = true
		case strings.EqualFold(word, noSandbox):
			r.Outside = true
		case word == "and":
		case strings.ContainsAny(word, "/\\"), strings.HasPrefix(word, "~"), strings.HasPrefix(word, "."):
			path, err := absolutePath(word, dir)
			if err != nil {
				return nil, err
			}
			r.Write = append(r.Write, path)
		default:
			return nil, wrongAccess(word)
		}
	}
	if !r.Network && !r.Outside && r.Write == nil {
		return nil, wrongAccess(what)
	}
	return r, nil
}

func wrongAccess(word string) error {
	return advice.Add(fmt.Errorf("access cannot be %q; the command did not run", phrase.OneLine(word, maxTitle)),
		`Send "network: WHY", or the paths to write: "/path/to/file: WHY"`)
}

// absolutePath returns a path that begins at dir, or at the home directory.
func absolutePath(path, dir string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(home, rest), nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path), nil
}

// rewriteAccess translates requests for access as other assistants write them.
func rewriteAccess(a *intake.Args) {
	if v := a.Value("access"); len(v) > 0 && v[0] == '{' {
		var sent struct {
			Network bool
			Paths   []string
			Reason  string
		}
		if json.Unmarshal(v, &sent) == nil {
			words := sent.Paths
			if sent.Network {
				words = append(words, networkAccess)
			}
			a.Set("access", strings.Join(words, ", ")+": "+sent.Reason)
		}
		return
	}
	if a.Has("access") {
		return
	}
	escalated, _ := a.Bool("with_escalated_permissions")
	outside, _ := a.Bool("dangerously_disable_sandbox")
	required := a.Text("required_permissions")
	for _, v := range a.List("required_permissions") {
		required += " " + text(v)
	}
	words := strings.Fields(required)
	switch {
	case escalated, outside, a.Text("sandbox_permissions") == "require_escalated", slices.Contains(words, "all"):
		a.Set("access", noSandbox+": "+a.Text("justification"))
	case slices.Contains(words, networkAccess), slices.Contains(words, "full_network"):
		a.Set("access", networkAccess+": "+a.Text("justification"))
	}
}
