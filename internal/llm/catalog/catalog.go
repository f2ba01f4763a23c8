// Package catalog holds the known providers and models, and decides which model
// a session uses.
//
// A provider is a row of a table, never a branch in code. Nothing here reads
// the environment or files: all of it is in an Input. Only Choice.Connect,
// Input.List, Input.Probe, Input.Verify and Input.Measured use the network. Start reading at
// Resolve.
package catalog

import (
	"slices"
	"strings"

	"agent/internal/llm/openai"
)

// Dialect is a wire format.
type Dialect string

// The dialects.
const (
	OpenAI    Dialect = "openai"    // Chat Completions API
	Responses Dialect = "responses" // OpenAI's newer Responses API
	Anthropic Dialect = "anthropic" // Messages API
	Builtin   Dialect = "builtin"   // no network: the offline guide
)

// Row describes a provider.
type Row struct {
	Name    string
	Offers  string // what models it has, in a few words
	KeysAt  string // page on which users create API keys; may be empty
	Dialect Dialect
	Several bool   // it also speaks the other dialects of OpenAI, which some models need
	BaseURL string // base URL; "" if URLName or the user must set it
	URLName string // variable that overrides BaseURL
	URLForm string // a base URL, as an example for the user; empty if BaseURL is set
	Suffix  string // API path to add to a base URL without a path
	// Path replaces the dialect's path of requests, if set; {model} stands for
	// the model.
	Path string

	Credentials

	Models  Models
	Local   bool    // server on this machine, which needs no API key
	Start   string  // command that starts the server
	Listing Listing // API that lists its models
	// KeyCheck is the path of a request that only a valid API key allows, if the list of
	// models needs none.
	KeyCheck   string
	Headers    map[string]string
	Quirks     openai.Quirks
	Configured bool // the configuration sets its base URL
}

// Credentials describes how a provider knows who sends a request.
type Credentials struct {
	KeyNames  []string // variables for the API key, the usual one first
	KeyHeader string   // header for the API key; "" for a bearer token
	Keyless   bool     // the API key is optional
	Client    *Client  // client credentials that replace an API key; nil for none
	// Token is a command of another program that prints a token of the user's login there;
	// nil for none.
	Token []string
	// TokenHosts are the hosts, or the ends of their names after a dot or a hyphen, to which
	// the token is sent over https.
	TokenHosts []string
}

// Models says which models a provider has.
type Models struct {
	Default     string            // the one that is used if only the provider is named
	DefaultName string            // variable that overrides Default
	Prefixes    []string          // prefixes of model names that only this provider has
	Vendors     map[string]string // vendors that it resells at their prices: its name for the vendor, and the vendor's row
}

// Listing is an API that lists models.
type Listing string

// The listings. The zero value is the common one at /v1/models.
const (
	OllamaListing   Listing = "ollama"
	LMStudioListing Listing = "lmstudio"
	LlamaCppListing Listing = "llamacpp"

	DatabricksListing Listing = "databricks"
	GitHubListing     Listing = "github"
)

// Client describes OAuth client credentials, an ID and a secret that get
// tokens.
type Client struct {
	IDName, SecretName string // variables that hold them
	Path               string // path of the token endpoint
	Scope              string
}

// Providers returns the table with the changes, in order of preference for the
// default provider.
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

// names returns the names of the providers.
func (c Changes) names() []string {
	var out []string
	for _, r := range c.Providers() {
		out = append(out, r.Name)
	}
	return out
}

// Find returns the provider called name, ignoring case.
func (c Changes) Find(name string) (Row, bool) {
	rows := c.Providers()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == strings.ToLower(name) })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Find returns a built-in provider.
func Find(name string) (Row, bool) { return Changes{}.Find(name) }

// Split splits PROVIDER/NAME at the first slash. NAME may contain more slashes.
func Split(model string) (provider, name string, ok bool) {
	provider, name, ok = strings.Cut(strings.TrimSpace(model), "/")
	return provider, name, ok && provider != "" && name != ""
}
