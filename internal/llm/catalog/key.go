package catalog

import (
	"fmt"
	"io"
	"strings"
)

// Key is a provider's key. However it is printed, it does not show.
type Key string

// Format prints whether there is a key.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// String says whether there is a key.
func (k Key) String() string {
	if k == "" {
		return "no key"
	}
	return "[key]"
}

// GoString is String.
func (k Key) GoString() string { return k.String() }

// MarshalText is String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Reveal returns the key itself, for the header it belongs in and nothing else.
func (k Key) Reveal() string { return string(k) }

// Vault holds keys that stand in no variable of the environment.
type Vault interface {
	// Has says where a key of the provider is kept, if that can be told without
	// looking for it.
	Has(provider string) (where string, ok bool)
	// Key looks for the key; empty if there is none.
	Key(provider string) (key Key, where string, err error)
}

// Login is a client's ID and secret, in the place of a key.
type Login struct {
	ID     Key
	Secret Key
}

// key returns r's key and the variable that holds it.
func (in Input) key(r Row) (name string, key Key) {
	for _, name := range r.KeyNames {
		if v := in.env(name); v != "" {
			return name, Key(v)
		}
	}
	return "", ""
}

// login returns the client that gets r's tokens, if the environment has one.
func (in Input) login(r Row) *Login {
	if r.Client == nil {
		return nil
	}
	id, secret := in.env(r.Client.IDName), in.env(r.Client.SecretName)
	if id == "" || secret == "" {
		return nil
	}
	return &Login{ID: Key(id), Secret: Key(secret)}
}

// holds says what r's key is in, if there seems to be one.
func (in Input) holds(r Row) (where string, ok bool) {
	if name, _ := in.key(r); name != "" {
		return name, true
	}
	if in.login(r) != nil {
		return r.Client.IDName, true
	}
	if in.Vault != nil {
		return in.Vault.Has(r.Name)
	}
	return "", false
}

// prove fills in c's key, or what does its work. Where none is needed, only one
// that is known to be there is looked for.
func (in Input) prove(c *Choice, needed bool) error {
	r := c.Provider
	if len(r.KeyNames) > 0 {
		c.KeyName = r.KeyNames[0]
	}
	if name, key := in.key(r); key != "" {
		c.KeyName, c.Key = name, key
		return nil
	}
	if c.Login = in.login(r); c.Login != nil {
		c.KeyName = r.Client.SecretName
		return nil
	}
	where, known := in.holds(r)
	if in.Vault != nil && (known || needed) {
		key, from, err := in.Vault.Key(r.Name)
		if err != nil {
			return fmt.Errorf("%s needs a key: %w", r.Name, err)
		}
		if c.Key = key; key != "" {
			c.KeyName = from
		}
	}
	switch {
	case c.Key != "" || !needed:
		return nil
	case known:
		return fmt.Errorf("%s needs a key: there is none in %s", r.Name, where)
	}
	return fmt.Errorf("%s needs a key: %s", r.Name, r.remedy(in.NoKeyring))
}

// remedy says how r gets a key.
func (r Row) remedy(noKeyring bool) string {
	s := "set " + strings.Join(r.KeyNames, " or ")
	if r.Client != nil {
		s += ", or " + r.Client.IDName + " and " + r.Client.SecretName
	}
	if noKeyring {
		return s
	}
	return s + ", or store one with: agent login " + r.Name
}
