package screen

import (
	"context"
	"fmt"
	"io"
)

// Connect connects model providers during a session. Its functions may block. The zero value
// connects none.
type Connect struct {
	// Providers lists the providers that can be connected. It searches this machine for
	// servers.
	Providers func(ctx context.Context) []Provider
	// Test gets the key of a, by its command if it has one, and sends the server of the
	// provider a request that tells whether it works. It sends no prompt. It completes a.
	Test func(ctx context.Context, a *Attempt) Tested
	// Places lists where the key of a tested attempt can be kept, and says why the system
	// keyring is not one of them. It is not called for an attempt without a pasted key.
	Places func(a Attempt) (all []Place, why string)
	// Keep keeps what a has and connects the provider, and says what it did. place is the ID
	// of one of Places; empty if the key was not pasted.
	Keep func(a Attempt, place string) (said string, err error)
}

// Provider is a provider that can be connected. Its texts are untrusted.
type Provider struct {
	Name      string // "anthropic"
	What      string // what it offers, in a few words
	Connected string // why it can be used now; empty if it cannot
	Keyed     bool   // the program has a key for it
	Local     bool   // a server on this machine, which needs no key
	Runs      bool   // the local server runs
	NeedsURL  bool   // the user has to name its base URL
	Other     bool   // it stands for any other OpenAI-compatible server
	URL       string // its base URL without secrets; empty if that is not known
	URLForm   string // a base URL as an example; may be empty
	Keyless   bool   // it may need no key
	KeysAt    string // the page on which keys are created; may be empty
	Program   string // a program that prints a token of the user's login, such as gh; may be empty
	Command   string // its command
	Variable  string // the environment variable for the key; may be empty
}

// Attempt is a provider with what the user has entered.
type Attempt struct {
	Provider string
	URL      string // the base URL that the user typed; empty for the known one
	Key      Secret // pasted, or printed by Command
	OnlyURL  bool   // the base URL is tested before a key is entered, without any key
	Command  string // a shell line that prints the key; empty for none
}

// Tested is the result of a test.
type Tested struct {
	Models  []Model // that the provider offers
	Problem string  // why it cannot be used; empty if it can
	Hint    string  // what to do about Problem; may be empty
	Key     bool    // the server has rejected the key
	Note    string  // what the test cannot tell; may be empty
	Broken  bool    // nothing of the attempt can be kept: the base URL or the command is wrong
}

// Place is where a key can be kept.
type Place struct {
	ID, Name, What string
}

// Secret is a text that no format prints.
type Secret string

// String says whether there is a text.
func (s Secret) String() string {
	if s == "" {
		return "no secret"
	}
	return "[secret]"
}

// Format implements fmt.Formatter.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }
