package agent

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"agent/internal/llm/catalog"
	"agent/internal/loop/chosen"
	"agent/internal/loop/turn"
)

// Model is a language model and how to reach it.
type Model struct {
	// Name is PROVIDER/NAME, such as "anthropic/claude-sonnet-4-5" or "ollama/qwen3". The
	// providers are those of `agent models`. A server that offers the API of OpenAI is
	// "openai/NAME" with its BaseURL.
	Name string
	// Key is the API key. If it is empty, it is read from the environment variable of the
	// provider, such as ANTHROPIC_API_KEY.
	Key     string
	BaseURL string // of the server; empty for the provider's own
	Context int    // context window in tokens; 0 if it is that of the catalog
}

// connect returns the model of the loop.
func (m Model) connect() (turn.Model, error) {
	if m.Name == "" {
		return turn.Model{}, errors.New("Model.Name is empty: set it to PROVIDER/NAME")
	}
	c, err := catalog.Resolve(catalog.Input{Getenv: m.getenv, Vault: ownKey(m.Key), Flag: m.Name, BaseURL: m.BaseURL, NoKeyring: true})
	if err != nil {
		return turn.Model{}, err
	}
	if c.Offline() {
		return turn.Model{}, errors.New("Model.Name: the built-in guide is no model")
	}
	out, err := chosen.Model(c)
	switch {
	case err != nil:
		return turn.Model{}, err
	case out.Confirm != nil: // nobody can
		return turn.Model{}, fmt.Errorf("%s: %s", out.Name, out.Confirm.Why)
	case m.Context > 0:
		out.Context, out.Window = m.Context, nil
	}
	out.WebSearch = false
	return out, nil
}

// getenv returns a variable of the environment, but no key if m has one.
func (m Model) getenv(name string) string {
	provider, _, _ := catalog.Split(m.Name)
	if r, ok := catalog.Find(provider); ok && m.Key != "" && slices.Contains(r.KeyNames, name) {
		return ""
	}
	return os.Getenv(name)
}

// ownKey is a catalog.Vault with the key of a Model; empty for none.
type ownKey string

// Has implements catalog.Vault.
func (k ownKey) Has(string) (where string, ok bool) { return "Model.Key", k != "" }

// Key implements catalog.Vault.
func (k ownKey) Key(string) (catalog.Key, string, error) { return catalog.Key(k), "Model.Key", nil }
