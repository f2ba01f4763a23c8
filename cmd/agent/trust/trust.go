// Package trust keeps what a repository configures from being used before the user has
// confirmed its exact content in this workspace: MCP servers, hooks, language servers,
// formatters and agents. Confirmations are stored in the user's state directory, by kind, name and
// hash of the content, so that changed content needs a new one. The package also holds
// `agent trust`. It uses nothing that it lists. Start reading at Review.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agent/cmd/agent/settings"
	"agent/internal/llm/phrase"
)

// Kind is a kind of item.
type Kind string

// The kinds of items.
const (
	MCP    Kind = "mcp"
	Hooks  Kind = "hooks"
	LSP    Kind = "lsp"
	Format Kind = "format"
	Agent  Kind = "agent"
)

// noun describes n items of a kind.
func (k Kind) noun(n int) string {
	switch k {
	case MCP:
		return phrase.Count(n, "MCP server")
	case LSP:
		return phrase.Count(n, "language server")
	case Format:
		return phrase.Count(n, "formatter")
	case Hooks:
		return phrase.Count(n, "hook file")
	case Agent:
		return phrase.Count(n, "agent")
	}
	return phrase.Count(n, string(k))
}

// Item is something that a repository configures. All of its texts are untrusted.
type Item struct {
	Kind Kind
	Name string // unique in its kind
	File string // where it is configured, relative to the repository
	// Content determines what will run: the user reads it before confirming, and its hash
	// is stored.
	Content string
	// Files are the absolute paths, without links, of what the content describes besides
	// File: see Programs.
	Files []string
	// Live is set if a confirmation applies to the running session.
	Live bool
	// Offer is set if the repository does not configure the item: this program could use it.
	// It is listed, but no notice asks for a confirmation.
	Offer bool
}

// sandboxed reports whether all programs of the item run in the sandbox.
func (i Item) sandboxed() bool {
	return i.Kind == LSP || i.Kind == Format || i.Kind == Hooks
}

// effect tells the user what the content does once it is used.
func (i Item) effect() string {
	area := "outside the sandbox"
	switch {
	case i.Kind == Agent:
		return "A delegate follows it as its instructions. The delegate's tool calls need the same permissions as those of the model."
	case i.sandboxed():
		area = "in the sandbox"
	}
	return "It can run programs as you, " + area + ". Files that it runs but that are not shown can change later."
}

// Sum returns the hash of the content, in hexadecimal.
func (i Item) Sum() string {
	sum := sha256.Sum256([]byte(i.Content))
	return hex.EncodeToString(sum[:])
}

func (i Item) confirmed() settings.Confirmed {
	return settings.Confirmed{Kind: string(i.Kind), Name: i.Name, Sum: i.Sum()}
}

// Source returns the items of one kind that the repository of the directory dir
// configures. It reads files and runs nothing. An error says that a file cannot be used.
type Source func(dir string) ([]Item, error)

// Review decides which items of a repository are used in a workspace. Its methods are
// safe for concurrent use.
type Review struct {
	dir     string
	file    *settings.ProjectFile // nil if nothing can be confirmed
	sources []Source

	mu        sync.Mutex
	confirmed []settings.Confirmed
	used      map[itemKey][]string // the files of items that run outside the sandbox: see note
}

// itemKey identifies an item.
type itemKey struct {
	kind Kind
	name string
}

// NewReview returns the review of the workspace dir. The confirmations are those of its
// project file, which is nil if the user has no state directory.
func NewReview(dir string, file *settings.ProjectFile, confirmed []settings.Confirmed, sources ...Source) *Review {
	return &Review{dir: dir, file: file, sources: sources, confirmed: slices.Clone(confirmed), used: map[itemKey][]string{}}
}

// Dir returns the workspace.
func (r *Review) Dir() string { return r.dir }

// Items reads all items again. Problems name the files that cannot be used.
func (r *Review) Items() (all []Item, problems []error) {
	for _, source := range r.sources {
		items, err := source(r.dir)
		all = append(all, items...)
		if err != nil {
			problems = append(problems, err)
		}
	}
	return all, problems
}

// Confirmed reports whether the user has confirmed the item with exactly its content.
func (r *Review) Confirmed(i Item) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	yes := slices.Contains(r.confirmed, i.confirmed())
	r.remember(i, yes)
	return yes
}

// Changed reports whether the user has confirmed earlier content of the item, but not its
// current content.
func (r *Review) Changed(i Item) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.Contains(r.confirmed, i.confirmed()) && slices.ContainsFunc(r.confirmed, i.same)
}

// same reports whether c confirms the item, whatever its content.
func (i Item) same(c settings.Confirmed) bool { return c.Kind == string(i.Kind) && c.Name == i.Name }

// remember remembers the files of an item if any content of it is confirmed: while other content
// is there, a command could otherwise start that changes the files when the confirmed content is
// back. The caller holds r.mu.
func (r *Review) remember(i Item, confirmed bool) {
	key := itemKey{i.Kind, i.Name}
	before := r.used[key]
	delete(r.used, key)
	switch {
	case i.sandboxed():
	case confirmed:
		r.used[key] = i.Files
	case slices.ContainsFunc(r.confirmed, i.same):
		r.used[key] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, i.Files))))
	}
}

// Files returns the absolute paths of the files and directories that programs in the
// sandbox must not change, because confirmed items run them outside it. It reads nothing:
// these are the files of the last check of each item.
func (r *Review) Files() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, files := range r.used {
		all = append(all, files...)
	}
	return all
}

// Confirm stores that the user has confirmed the item with its present content, which the
// user has seen.
func (r *Review) Confirm(i Item) error {
	return r.decide(i, settings.ProjectFile.Confirm, i.confirmed())
}

// Revoke removes the confirmation of the item, for every content.
func (r *Review) Revoke(i Item) error { return r.decide(i, settings.ProjectFile.Revoke) }

// decide stores a decision on i. Now holds its confirmation, or nothing if it is revoked.
func (r *Review) decide(i Item, store func(settings.ProjectFile, settings.Confirmed) error, now ...settings.Confirmed) error {
	if r.file == nil {
		return errors.New("there is no state directory to store the confirmation in. Set HOME or XDG_STATE_HOME")
	}
	if err := store(*r.file, i.confirmed()); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.confirmed = slices.DeleteFunc(r.confirmed, i.same)
	r.confirmed = append(r.confirmed, now...)
	r.remember(i, len(now) > 0)
	return nil
}

// Notices tells the user which items wait for a confirmation, and which files cannot be
// used. It returns nothing if there is nothing to do. On a screen or in plain mode, commands
// is set: the user can type /trust.
func (r *Review) Notices(commands bool) []string {
	all, problems := r.Items()
	waiting := slices.DeleteFunc(all, func(i Item) bool { return i.Offer || r.Confirmed(i) })
	var notices, parts, files []string
	for _, kind := range []Kind{MCP, Hooks, LSP, Format, Agent} {
		n := 0
		for _, i := range waiting {
			if i.Kind != kind {
				continue
			}
			n++
			file := i.File
			if kind == Agent { // there can be many
				file = filepath.ToSlash(filepath.Dir(file))
			}
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		if n > 0 {
			parts = append(parts, kind.noun(n))
		}
	}
	if len(waiting) > 0 {
		used, them := "They are not used", "them"
		if len(waiting) == 1 {
			used, them = "It is not used", "it"
		}
		how := "`agent trust`"
		if commands {
			how = "/trust or " + how
		}
		notices = append(notices, "This repository configures "+strings.Join(parts, ", ")+" in "+strings.Join(files, ", ")+
			". "+used+" until you confirm "+them+": "+how)
	}
	for _, err := range problems {
		notices = append(notices, err.Error())
	}
	return notices
}
