// Package catalog holds what is known of providers and models, and decides
// which model answers.
//
// A provider is a row of a table, never a branch in code. Nothing here reads
// the environment or a file by itself: what decides comes in as an Input. Only
// Choice.Connect and Probe reach out of the package, to the dialects and to
// servers on this machine.
package catalog

import (
	"slices"
	"strings"

	"agent/internal/llm/openai"
)

// Dialect is a wire format.
type Dialect string

// The dialects of the table.
const (
	OpenAI    Dialect = "openai"    // chat completions
	Responses Dialect = "responses" // what OpenAI made after them
	Anthropic Dialect = "anthropic" // messages
	Builtin   Dialect = "builtin"   // no wire at all: the offline guide
)

// Row is a provider.
type Row struct {
	Name    string
	Dialect Dialect
	Several bool   // it speaks the dialects of OpenAI that a model may need in place of Dialect
	BaseURL string // where it is, unless URLName or the person says otherwise; "" where only they can
	URLName string // the variable that may say where it is
	Suffix  string // the path of its interface, where an address is given without one
	// Path is what requests go to below the address, in place of the dialect's
	// own; {model} stands for the model.
	Path string

	KeyNames  []string // the variables that may hold its key, the usual one first
	KeyHeader string   // the header that carries the key; "" for a bearer token
	Keyless   bool     // it may do without a key
	Client    *Client  // what it takes in place of a key, if anything

	Default     string            // the model where only the provider is named
	DefaultName string            // the variable that may name that model
	Prefixes    []string          // beginnings of model names that only this provider has
	Vendors     map[string]string // makers whose prices it passes on: how it names them, and their rows
	Local       bool              // a server on this machine, which needs no key
	Start       string            // how such a server is started
	Listing     Listing           // how it tells of its models
	Headers     map[string]string
	Quirks      openai.Quirks
	Configured  bool // the configuration says where it is
}

// Listing is a way in which a server on this machine tells of its models.
type Listing string

// The listings. The zero value is the common one, at /v1/models.
const (
	OllamaListing   Listing = "ollama"
	LMStudioListing Listing = "lmstudio"
	LlamaCppListing Listing = "llamacpp"
)

// Client is a pair of an ID and a secret that gets tokens (the client
// credentials of OAuth).
type Client struct {
	IDName, SecretName string // the variables that hold them
	Path               string // where tokens are had, below the address
	Scope              string
}

// Providers returns the table, in the order in which providers are preferred
// when the keys of several are set.
func (c Changes) Providers() []Row {
	rows := Providers()
	for _, r := range c.Rows {
		if i := slices.IndexFunc(rows, func(o Row) bool { return o.Name == r.Name }); i >= 0 {
			rows[i] = r
			continue
		}
		rows = slices.Insert(rows, len(rows)-1, r) // the guide stays last
	}
	return rows
}

// names are those of the providers.
func (c Changes) names() []string {
	var out []string
	for _, r := range c.Providers() {
		out = append(out, r.Name)
	}
	return out
}

// Find returns the provider called name.
func (c Changes) Find(name string) (Row, bool) {
	rows := c.Providers()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == strings.ToLower(name) })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Find is that of no Changes.
func Find(name string) (Row, bool) { return Changes{}.Find(name) }

// Split cuts PROVIDER/NAME at its first slash, as names may hold more.
func Split(model string) (provider, name string, ok bool) {
	provider, name, ok = strings.Cut(strings.TrimSpace(model), "/")
	return provider, name, ok && provider != "" && name != ""
}
