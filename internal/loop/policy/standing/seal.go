package standing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// sealDomain separates these seals from any other use of the key.
const sealDomain = "agent standing permission, version 1"

// Sealer authenticates the grants of one session, so that a record that another
// program wrote or that was copied from another session grants nothing.
//
// It does not protect against a command that reads the key file, as any process of
// the user can. Such a command has to be approved first.
type Sealer struct {
	Session string // its ID
	Key     []byte
}

// Seal returns g with the seal of the session.
func (s Sealer) Seal(g Grant) Grant {
	g.Seal = hex.EncodeToString(s.sum(g))
	return g
}

// Valid reports whether g was sealed in this session, with this key.
func (s Sealer) Valid(g Grant) bool {
	sum, err := hex.DecodeString(g.Seal)
	return err == nil && len(s.Key) > 0 && hmac.Equal(sum, s.sum(g))
}

// sum returns the HMAC of a grant. Each field is preceded by its length, so that no
// two grants have the same encoding.
func (s Sealer) sum(g Grant) []byte {
	h := hmac.New(sha256.New, s.Key)
	field := func(text string) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(text)))
		h.Write([]byte(text))
	}
	for _, text := range []string{sealDomain, s.Session, string(g.Kind), g.Value, g.Dir} {
		field(text)
	}
	for _, set := range []struct {
		name string
		set  bool
	}{{"prefix", g.Prefix}, {"network", g.Network}, {"read", g.Read}} {
		if set.set {
			field(set.name)
		}
	}
	for _, f := range g.Files {
		field(f.Path)
		field(f.Sum)
	}
	return h.Sum(nil)
}
