package catalog

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// Key is an API key. Formatting it never shows the key.
type Key string

// Format prints String.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// String says whether there is a key.
func (k Key) String() string {
	if k == "" {
		return "no key"
	}
	return "[key]"
}

// GoString returns String.
func (k Key) GoString() string { return k.String() }

// MarshalText returns String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Reveal returns the key itself. Use it only for request headers.
func (k Key) Reveal() string { return string(k) }

// Vault holds API keys outside the environment.
type Vault interface {
	// Has returns where a key of the provider is stored, if that is known
	// without looking it up.
	Has(provider string) (where string, ok bool)
	// Key looks up the key; it is empty if there is none.
	Key(provider string) (key Key, where string, err error)
}

// Renewer is a Vault that can get a key again from its source.
type Renewer interface {
	// Renew returns another key than old, which the server has rejected, or an error.
	Renew(ctx context.Context, provider string, old Key) (Key, error)
}

// Login holds client credentials, used instead of an API key.
type Login struct {
	ID     Key
	Secret Key
}

// keys finds the API keys of providers: in the environment, and in the vault.
type keys struct {
	env   func(name string) string
	vault Vault // may be nil
	// noKeyring is set if the machine has no keyring: errors do not suggest to store a key.
	noKeyring bool
}

// keys returns where in finds API keys.
func (in Input) keys() keys { return keys{in.env, in.Vault, in.NoKeyring} }

// key returns r's API key from the environment, and the variable.
func (k keys) key(r Row) (name string, key Key) {
	for _, name := range r.KeyNames {
		if v := k.env(name); v != "" {
			return name, Key(v)
		}
	}
	return "", ""
}

// login returns r's client credentials from the environment, or nil.
func (k keys) login(r Row) *Login {
	if r.Client == nil {
		return nil
	}
	id, secret := k.env(r.Client.IDName), k.env(r.Client.SecretName)
	if id == "" || secret == "" {
		return nil
	}
	return &Login{ID: Key(id), Secret: Key(secret)}
}

// source returns where r's API key is stored, if there seems to be one.
func (k keys) source(r Row) (where string, ok bool) {
	if name, _ := k.key(r); name != "" {
		return name, true
	}
	if k.login(r) != nil {
		return r.Client.IDName, true
	}
	if k.vault != nil {
		return k.vault.Has(r.Name)
	}
	return "", false
}

// set sets c's API key or client credentials. If they are optional, the vault is only
// asked for a key that it is known to have.
func (k keys) set(c *Choice, needed bool) error {
	r := c.Provider
	if len(r.KeyNames) > 0 {
		c.KeyName = r.KeyNames[0]
	}
	if name, key := k.key(r); key != "" {
		c.KeyName, c.Key = name, key
		return nil
	}
	if c.Login = k.login(r); c.Login != nil {
		c.KeyName = r.Client.SecretName
		return nil
	}
	where, known := k.source(r)
	if k.vault != nil && (known || needed) {
		key, from, err := k.vault.Key(r.Name)
		if err != nil {
			return fmt.Errorf("%s needs an API key: %w", r.Name, err)
		}
		if c.Key = key; key != "" {
			c.KeyName = from
		}
		if renewer, ok := k.vault.(Renewer); ok && key != "" {
			c.renew = func(ctx context.Context, old Key) (Key, error) { return renewer.Renew(ctx, r.Name, old) }
		}
	}
	switch {
	case c.hasToken() && !r.takesToken(c.BaseURL):
		return fmt.Errorf("the token of %s is not sent to %s: configure another API key for that base URL", r.Token[0], hostOf(c.BaseURL))
	case c.Key != "" || !needed:
		return nil
	case known:
		return fmt.Errorf("%s needs an API key: none found in %s", r.Name, where)
	}
	return missingKey{r.Name, r.keyHint(k.noKeyring)}
}

// missingKey is the error of a provider without an API key.
type missingKey struct{ provider, hint string }

func (e missingKey) Error() string { return e.provider + " needs an API key: " + e.hint }

// TokenCommand returns the command in Token as a line; empty if there is none.
func (r Row) TokenCommand() string { return strings.Join(r.Token, " ") }

// takesToken reports whether the token of another program may be sent to a base URL.
func (r Row) takesToken(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Scheme == "https" && u.Port() == "" && slices.ContainsFunc(r.TokenHosts, func(host string) bool {
		return u.Host == host || strings.ContainsAny(host[:1], ".-") && strings.HasSuffix(u.Host, host)
	})
}

// keyHint returns how to set r's API key.
func (r Row) keyHint(noKeyring bool) string {
	s := "set " + strings.Join(r.KeyNames, " or ")
	if r.Client != nil {
		s += ", or " + r.Client.IDName + " and " + r.Client.SecretName
	}
	if noKeyring {
		return s
	}
	return s + ", or store one with: agent login " + r.Name
}
