package history

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// digits are in ASCII order, so that IDs sort by time. Letters that look alike
// are left out.
const digits = "0123456789abcdefghjkmnpqrstvwxyz"

// newID returns an ID of seven digits for the second and five random ones.
func newID(t time.Time) string {
	var noise [8]byte
	rand.Read(noise[:])
	return base32(uint64(t.Unix()), 7) + base32(binary.NativeEndian.Uint64(noise[:]), 5)
}

// base32 returns the lowest n digits of v.
func base32(v uint64, n int) string {
	out := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = digits[v%32]
		v /= 32
	}
	return string(out)
}

// validID reports whether id is safe as the name of a file in the store's
// directory.
func validID(id string) bool {
	if id == "" || len(id) > 100 || id[0] == '-' {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
