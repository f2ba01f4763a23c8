package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

// A request that was rejected with status 401 is sent once more with renewed credentials.
func TestRenewedCredentials(t *testing.T) {
	for name, row := range map[string]struct {
		renewed string // the new key; empty for none
		want    []string
		ok      bool
	}{
		"a new key":       {"k2", []string{"Bearer k1 body", "Bearer k2 body"}, true},
		"another bad key": {"k3", []string{"Bearer k1 body", "Bearer k3 body"}, false},
		"no other key":    {"", []string{"Bearer k1 body"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = append(got, r.Header.Get("Authorization")+" "+string(body))
				if r.Header.Get("Authorization") != "Bearer k2" {
					w.WriteHeader(http.StatusUnauthorized)
				}
			}))
			defer s.Close()
			key := "k1"
			c := New(Endpoint{Name: "acme", Base: s.URL, Authorize: func(_ context.Context, h http.Header) error {
				h.Set("Authorization", "Bearer "+key)
				return nil
			}, Renew: func(context.Context) error {
				if row.renewed == "" {
					return errors.New("no other key")
				}
				key = row.renewed
				return nil
			}})
			defer c.Close()
			x := c.Exchange(t.Context(), "any")
			_, err := x.Post("/chat", []byte("body"))
			_ = x.Close()
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
			if err == nil != row.ok || err != nil && x.Failed(err).Kind != llm.ErrKey {
				t.Errorf("got %v", err)
			}
		})
	}
}
