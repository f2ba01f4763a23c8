package catalog

import (
	"fmt"
	"io"
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
